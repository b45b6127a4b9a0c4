// Builds the Debian package: the executable, manual pages, completions and the service with its own user.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { output, root } from './node.mjs';
import { gzip, normalize, sourceDate, version, writeTree } from './tree.mjs';

const { description, homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch];
const debianVersion = `${version}-1`;
const maintainer = 'The mailvet authors <mailvet@users.noreply.github.com>';

/** Needs dist/ with its manual pages, and the executable. Returns the path of the package. */
export function buildDeb() {
  const folder = mkdtempSync(join(output, 'deb-'));
  try {
    writeTree(join(folder, 'usr'), { zsh: 'vendor-completions' });
    mkdirSync(join(folder, 'etc/default'), { recursive: true });
    copyFileSync(join(root, 'packaging/mailvet.default'), join(folder, 'etc/default/mailvet'));
    // Debian 12 looks for units here only.
    mkdirSync(join(folder, 'lib/systemd'), { recursive: true });
    renameSync(join(folder, 'usr/lib/systemd/system'), join(folder, 'lib/systemd/system'));
    rmSync(join(folder, 'usr/lib'), { recursive: true });
    writeFileSync(join(folder, 'usr/share/doc/mailvet/changelog.Debian.gz'), gzip(changelog()));
    mkdirSync(join(folder, 'usr/share/lintian/overrides'), { recursive: true });
    copyFileSync(join(root, 'packaging/debian/lintian-overrides'), join(folder, 'usr/share/lintian/overrides/mailvet'));
    writeControl(folder);
    normalize(folder);
    const file = join(output, `mailvet_${debianVersion}_${architecture}.deb`);
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(sourceDate) };
    const options = ['--root-owner-group', '-Zxz', '-z3', '--build', folder, file];
    execFileSync('dpkg-deb', options, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    return file;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeControl(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const contents = files.map((file) => [file, readFileSync(join(folder, file))]);
  const kilobytes = Math.ceil(contents.reduce((sum, [, bytes]) => sum + bytes.length, 0) / 1024);
  const control = join(folder, 'DEBIAN');
  mkdirSync(control);
  for (const name of ['postinst', 'prerm', 'postrm'])
    copyFileSync(join(root, 'packaging/debian', name), join(control, name));
  writeFileSync(join(control, 'conffiles'), '/etc/default/mailvet\n');
  const sums = contents.map(([file, bytes]) => `${createHash('md5').update(bytes).digest('hex')}  ${file}\n`);
  writeFileSync(join(control, 'md5sums'), sums.filter((line) => !line.endsWith('  etc/default/mailvet\n')).join(''));
  writeFileSync(join(control, 'control'), controlFile(kilobytes));
}

function controlFile(kilobytes) {
  return `Package: mailvet
Version: ${debianVersion}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${kilobytes}
Depends: adduser, libc6 (>= 2.28), libgcc-s1 (>= 3.4), libstdc++6 (>= 9)
Section: mail
Priority: optional
Homepage: ${homepage}
Description: vets email addresses, one or many
${description.replace(/(.{1,77})(?:\s|$)/g, ' $1\n')}`;
}

function changelog() {
  const date = new Date(sourceDate * 1000).toUTCString().replace('GMT', '+0000');
  return `mailvet (${debianVersion}) unstable; urgency=medium

  * See /usr/share/doc/mailvet/changelog.gz.

 -- ${maintainer}  ${date}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(buildDeb());
