// Writes the files of an installation under a prefix such as /usr: the executable, manual pages, completions, documents and, on Linux,
// the systemd unit.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, lutimesSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { executable } from './executable.mjs';
import { fetchNode, nodeVersion, output, root } from './node.mjs';
import { withNode } from './sbom.mjs';

export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Seconds since 1970, for all files of a package: of the last commit, unless SOURCE_DATE_EPOCH is set. */
export const sourceDate = Number(
  process.env.SOURCE_DATE_EPOCH ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim(),
);

/** Systems search for completions of zsh in different folders. */
const completions = (zsh) => ({
  bash: 'share/bash-completion/completions/mailvet',
  zsh: `share/zsh/${zsh}/_mailvet`,
  fish: 'share/fish/vendor_completions.d/mailvet.fish',
});

/** Writes the files below `folder`. Needs dist/ with its manual pages, and the executable. */
export function writeTree(folder, { zsh = 'site-functions' } = {}) {
  const write = (path, content, mode = 0o644) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode });
  };
  write(`bin/${basename(executable)}`, readFileSync(executable), 0o755);
  for (const page of readdirSync(join(root, 'dist/man'))) {
    write(`share/man/man1/${page}.gz`, gzip(readFileSync(join(root, 'dist/man', page))));
  }
  for (const [shell, path] of Object.entries(completions(zsh))) {
    write(path, execFileSync(executable, ['completion', shell], { env: { HOME: output, MAILVET_HOME: output } }));
  }
  const documents = join(folder, 'share/doc/mailvet');
  mkdirSync(documents, { recursive: true });
  for (const name of ['README.md', 'docs', 'examples']) {
    cpSync(join(root, name), join(documents, name), { recursive: true });
  }
  write('share/doc/mailvet/changelog.gz', gzip(readFileSync(join(root, 'CHANGELOG.md'))));
  write('share/doc/mailvet/copyright', copyright());
  const sbom = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8'));
  write('share/doc/mailvet/sbom.cdx.json', `${JSON.stringify(withNode(sbom, nodeVersion), null, 2)}\n`);
  write('share/doc/mailvet/third-party-licenses.txt.gz', gzip(thirdPartyLicenses()));
  if (process.platform === 'linux') {
    write('lib/systemd/system/mailvet.service', readFileSync(join(root, 'packaging/mailvet.service')));
  }
}

export function gzip(bytes) {
  return gzipSync(bytes, { level: 9 });
}

function copyright() {
  return `${readFileSync(join(root, 'LICENSE'), 'utf8')}
Node ${nodeVersion}, other packages and lists are part of the executable, under the licenses in
third-party-licenses.txt.gz.
`;
}

function thirdPartyLicenses() {
  const read = (name) => readFileSync(join(root, 'dist', name), 'utf8');
  const node = `Node ${nodeVersion}\n\n${fetchNode().license}`;
  return [read('third-party-licenses.txt'), read('data/licenses.txt'), node].join(`\n${'='.repeat(72)}\n\n`);
}

/** Sets one time and modes without the umask for everything below `folder`, so that packages are reproducible. */
export function normalize(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const isProgram = /\/(?:bin|DEBIAN)\/[a-z]+$|\.sh$/.test(path) && !/\/(?:control|conffiles|md5sums)$/.test(path);
    chmodSync(path, entry.isDirectory() || isProgram ? 0o755 : 0o644);
    lutimesSync(path, sourceDate, sourceDate);
  }
  chmodSync(folder, 0o755);
  lutimesSync(folder, sourceDate, sourceDate);
}
