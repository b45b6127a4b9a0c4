// Files from Debian source packages, verified by the digests of their index.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf, mirror, release, shellQuote } from './packages.mjs';

/** The index of source packages, line by line. */
export function sourcesIndex(folder) {
  return linesOf(`xz -dc ${shellQuote(indexFile(folder))}`);
}

function indexFile(folder) {
  const file = join(folder, 'Sources.xz');
  if (!existsSync(file)) execFileSync('curl', ['-sSf', '-o', file, `${release}/source/Sources.xz`]);
  return file;
}

/** Lines of the files with these names in the upstream sources of a package; none if there is no such package. */
export function filesInSources(folder, name, wanted) {
  const files = wanted.map((file) => shellQuote(`*/${file}`)).join(' ');
  return linesOf(
    `for archive; do tar xOaf "$archive" --wildcards ${files} 2>/dev/null; echo; done`,
    tarballs(folder, name),
  );
}

function tarballs(folder, name) {
  const entry = indexEntries(folder).findLast((one) => one.startsWith(`Package: ${name}\n`)) ?? '';
  const directory = /^Directory: (.*)$/m.exec(entry)?.[1];
  const found = [...entry.matchAll(/^ (\w{64}) \d+ (\S+\.orig(?:-\w+)?\.tar\.\w+)$/gm)];
  return found.map(([, digest, file]) => fetchVerified(folder, `${mirror}/${directory}/${file}`, file, digest));
}

let cachedEntries;

function indexEntries(folder) {
  cachedEntries ??= execFileSync('xz', ['-dc', indexFile(folder)], { encoding: 'utf8', maxBuffer: 1 << 30 }).split(
    '\n\n',
  );
  return cachedEntries;
}

function fetchVerified(folder, address, file, digest) {
  const sources = join(folder, 'sources');
  mkdirSync(sources, { recursive: true });
  const path = join(sources, file);
  if (!existsSync(path)) execFileSync('curl', ['-sSf', '-o', path, address]);
  if (createHash('sha256').update(readFileSync(path)).digest('hex') === digest) return path;
  rmSync(path);
  throw new Error(`${file} is not what its index says. Run this again.`);
}
