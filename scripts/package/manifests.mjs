// Writes what a release has in addition to its packages: checksums, notes, the Homebrew formula and the Scoop manifest.
//   node scripts/package/manifests.mjs FOLDER
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './node.mjs';

const { version, homepage, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const summary = 'Vets email addresses: syntax, DNS, SMTP, disposable, role and catch-all';
const download = `https://github.com/mailvet/mailvet/releases/download/v${version}`;
const written = ['SHA256SUMS', 'notes.md', 'mailvet.rb', 'mailvet.json'];

/** Returns the names of the files; those whose packages are missing in the folder are left out. */
export function writeManifests(folder) {
  const packages = readdirSync(folder).filter((name) => !written.includes(name));
  const sums = new Map(packages.sort().map((name) => [name, sha256(join(folder, name))]));
  const files = {
    SHA256SUMS: [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join(''),
    'notes.md': releaseNotes(),
    'mailvet.rb': homebrewFormula(sums),
    'mailvet.json': scoopManifest(sums),
  };
  const present = Object.entries(files).filter(([, text]) => text !== null);
  for (const [name, text] of present) writeFileSync(join(folder, name), text);
  return present.map(([name]) => name);
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** The section of this version in CHANGELOG.md. */
export function releaseNotes(text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')) {
  const sections = text.split(/^(?=## )/m);
  const section = sections.find((part) => part.startsWith(`## ${version} `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} (DATE)".`);
  return `${section.split('\n').slice(1).join('\n').trim()}\n`;
}

function homebrewFormula(sums) {
  const systems = [
    ['on_macos', 'darwin'],
    ['on_linux', 'linux'],
  ];
  const processors = [
    ['on_arm', 'arm64'],
    ['on_intel', 'x64'],
  ];
  const blocks = systems.flatMap(([system, platform]) => {
    const inner = processors.flatMap(([processor, architecture]) => {
      const name = `mailvet-${version}-${platform}-${architecture}.tar.gz`;
      const sum = sums.get(name);
      if (sum === undefined) return [];
      return [`    ${processor} do`, `      url "${download}/${name}"`, `      sha256 "${sum}"`, '    end'];
    });
    return inner.length === 0 ? [] : [`  ${system} do`, ...inner, '  end', ''];
  });
  if (blocks.length === 0) return null;
  return `class Mailvet < Formula
  desc "${summary}"
  homepage "${homepage.replace('#readme', '')}"
  version "${version}"
  license "${license}"

${blocks.join('\n')}
  def install
    bin.install "bin/mailvet"
    man1.install Dir["share/man/man1/*"]
    bash_completion.install "share/bash-completion/completions/mailvet"
    zsh_completion.install "share/zsh/site-functions/_mailvet"
    fish_completion.install "share/fish/vendor_completions.d/mailvet.fish"
    doc.install Dir["share/doc/mailvet/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mailvet --version")
    assert_match "valid", shell_output("#{bin}/mailvet validate jane.doe@gmail.com --level syntax")
  end
end
`;
}

function scoopManifest(sums) {
  const name = `mailvet-${version}-win32-x64.zip`;
  const hash = sums.get(name);
  if (hash === undefined) return null;
  const nameOf = (version) => `mailvet-${version}-win32-x64`;
  const manifest = {
    version,
    description: summary,
    homepage: homepage.replace('#readme', ''),
    license,
    architecture: { '64bit': { url: `${download}/${name}`, hash, extract_dir: nameOf(version) } },
    bin: 'bin\\mailvet.exe',
    checkver: 'github',
    autoupdate: {
      architecture: {
        '64bit': {
          url: `https://github.com/mailvet/mailvet/releases/download/v$version/${nameOf('$version')}.zip`,
          extract_dir: nameOf('$version'),
        },
      },
    },
  };
  return `${JSON.stringify(manifest, null, 4)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined)
    throw new Error('Name the folder of the packages: node scripts/package/manifests.mjs FOLDER');
  console.log(writeManifests(resolve(folder)).join('\n'));
}
