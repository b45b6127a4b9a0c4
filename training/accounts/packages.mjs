// Files from Debian packages, verified by apt's digests. Needs apt, curl, dpkg-deb, tar, xz and gpg.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

export const mirror = 'http://deb.debian.org/debian';
export const release = `${mirror}/dists/bookworm/main`;

/** Packages of this release by name, up to a size: large packages contain no more about people. */
export function packagesNamed(pattern, maxBytes = Number.POSITIVE_INFINITY) {
  return availablePackages()
    .filter(({ name, bytes }) => pattern.test(name) && bytes <= maxBytes)
    .map(({ name }) => name);
}

/** The first `count` names, ordered by their hashes. */
export function hashOrderedSample(names, count) {
  const order = (name) => createHash('sha256').update(name).digest('hex');
  return names
    .map((name) => [order(name), name])
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, count)
    .map(([, name]) => name);
}

let cachedPackages;

function availablePackages() {
  cachedPackages ??= execFileSync('apt-cache', ['dumpavail'], { encoding: 'utf8', maxBuffer: 1 << 30 })
    .split('\n\n')
    .map((entry) => ({ name: /^Package: (.*)$/m.exec(entry)?.[1], bytes: Number(/^Size: (.*)$/m.exec(entry)?.[1]) }))
    .filter(({ name }) => name !== undefined)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  return cachedPackages;
}

const downloadBatch = 2_000;

/** Downloads missing archives in batches, because each request takes half a second to start. Returns their paths. */
export function download(folder, names) {
  const downloads = join(folder, 'downloads');
  mkdirSync(downloads, { recursive: true });
  const archiveOf = () => new Map(readdirSync(downloads).map((file) => [file.split('_')[0], join(downloads, file)]));
  const there = archiveOf();
  const wanted = new Set(names);
  const missing = availablePackages().flatMap(({ name }) => (wanted.has(name) && !there.has(name) ? [name] : []));
  for (let start = 0; start < missing.length; start += downloadBatch)
    fetchArchives(downloads, missing.slice(start, start + downloadBatch));
  const archives = archiveOf();
  return names.flatMap((name) => archives.get(name) ?? []);
}

function fetchArchives(downloads, names) {
  const listed = execFileSync('apt-get', ['download', '--print-uris', ...names], { encoding: 'utf8' });
  const archives = [...listed.matchAll(/^'(.*?)' (\S+) \d+ SHA256:(\w+)/gm)];
  const input = archives.map(([, url, file]) => `url = "${url}"\noutput = "${file}"`).join('\n');
  execFileSync('curl', ['-sSf', '--no-progress-meter', '--parallel', '--parallel-max', '48', '--config', '-'], {
    cwd: downloads,
    input,
  });
  for (const [, , file, digest] of archives) {
    const path = join(downloads, file);
    if (createHash('sha256').update(readFileSync(path)).digest('hex') === digest) continue;
    rmSync(path);
    throw new Error(`${file} is not what its index says. Run this again.`);
  }
}

/** Packages up to a size that contain a file whose path matches a `grep -E` pattern. */
export function packagesWith(folder, pattern, maxBytes) {
  const files = ['all', 'amd64'].map((architecture) => join(folder, `Contents-${architecture}.gz`));
  for (const file of files)
    if (!existsSync(file)) execFileSync('curl', ['-sSf', '-o', file, `${release}/${basename(file)}`]);
  const command = `zcat ${files.map(shellQuote).join(' ')} | LC_ALL=C grep -E ${shellQuote(`${pattern} +[^ ]+$`)}`;
  const lines = execFileSync('sh', ['-c', command], { encoding: 'utf8', maxBuffer: 1 << 30 })
    .trim()
    .split('\n');
  const holders = new Set(
    lines.flatMap((line) => line.slice(line.lastIndexOf(' ') + 1).split(',')).map((one) => basename(one)),
  );
  return packagesNamed(/./, maxBytes).filter((name) => holders.has(name));
}

/** Lines of the matching files in these packages, piped through `inflate`. */
export function linesInPackages(folder, names, wanted, inflate = 'cat') {
  const files = [wanted].flat().map(shellQuote).join(' ');
  const each = `dpkg-deb --fsys-tarfile "$archive" | tar xO --wildcards ${files} 2>/dev/null | ${inflate}; echo`;
  return linesOf(`for archive; do ${each}; done`, download(folder, names));
}

/** The folder with the matching files of a package; null if this release has no such package. */
export function unpack(folder, name, wanted) {
  const target = join(folder, 'unpacked', name);
  if (existsSync(target)) return target;
  const [archive] = download(folder, [name]);
  if (archive === undefined) return null;
  mkdirSync(target, { recursive: true });
  const command = `dpkg-deb --fsys-tarfile ${shellQuote(archive)} | tar x -C ${shellQuote(target)} --wildcards ${shellQuote(wanted)} 2>/dev/null || true`;
  execFileSync('sh', ['-c', command]);
  return target;
}

export function filesIn(folder, pattern) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => pattern.test(file))
    .sort();
}

export function linesOf(command, words = []) {
  const child = spawn('sh', ['-c', command, 'sh', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  return createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY });
}

export function shellQuote(path) {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
