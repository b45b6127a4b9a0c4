// Account names of free-software people, out of Debian's archive: `apt-get download` verifies what it fetches. Needs dpkg-deb, tar, xz and gpg.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parsePerson } from './person.mjs';
import { kdePackages, translatedPackages } from './translated-packages.mjs';

const indexUrl = 'http://deb.debian.org/debian/dists/bookworm/main/source/Sources.xz';

/** Owners of the repositories that Debian's source packages come from, people and teams: training data. */
export async function debianHomepages(folder) {
  const people = [];
  for await (const line of sourcesIndex(folder)) {
    const owner = /^Homepage:.*github\.com\/([A-Za-z0-9-]{2,39})\//.exec(`${line}/`)?.[1];
    if (owner !== undefined) people.push({ account: owner.toLowerCase(), name: '', source: 'debian homepages' });
  }
  return people;
}

/** Maintainers and uploaders of Debian's source packages: tuning data. */
export async function debianMaintainers(folder) {
  const people = [];
  for await (const line of sourcesIndex(folder)) {
    if (/^(Maintainer|Uploaders):/.test(line))
      people.push(...peopleIn(line.replace(/^\w+:/, ''), 'debian maintainers'));
  }
  return people;
}

function sourcesIndex(folder) {
  const file = join(folder, 'Sources.xz');
  if (!existsSync(file)) execFileSync('curl', ['-sSf', '-o', file, indexUrl]);
  return linesOf(`xz -dc ${quoted(file)}`);
}

const address = '[^<>"():;,*#/=|]{3,60}<[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+>';

/** Everybody whom the sources of the Linux kernel name with an address: training data. */
export async function kernelAuthors(folder) {
  const unpacked = unpack(folder, 'linux-source-6.1', './usr/src/*');
  const [archive] = filesIn(unpacked, /\.tar\.xz$/);
  return peopleFrom(`xz -dc ${quoted(join(unpacked, archive))} | tar xO`, 'linux kernel');
}

/** Everybody whom the change logs of the GNU tools name with an address: kept aside. */
export async function toolchainAuthors(folder) {
  const people = [];
  for (const name of ['gcc-12-source', 'gdb-source', 'binutils-source', 'glibc-source']) {
    const unpacked = unpack(folder, name, '*.tar.*');
    for (const archive of filesIn(unpacked, /\.tar\.(xz|bz2|gz)$/)) {
      const logs = `tar xOaf ${quoted(join(unpacked, archive))} --wildcards '*ChangeLog*' '*MAINTAINERS*' 2>/dev/null`;
      people.push(await peopleFrom(logs, 'gnu tools'));
    }
  }
  return people.flat();
}

/** The authors of Perl: kept aside. */
export async function perlAuthors(folder) {
  const unpacked = unpack(folder, 'perl-base', '*AUTHORS.gz');
  return peopleFrom(`gzip -dc ${quoted(join(unpacked, filesIn(unpacked, /AUTHORS\.gz$/)[0]))}`, 'perl');
}

async function peopleFrom(command, source) {
  const people = [];
  for await (const line of linesOf(`${command} | LC_ALL=C grep -aoE '${address}'`))
    people.push(...peopleIn(line, source));
  return people;
}

/** The user names on the keys of Debian's developers and maintainers: training data. */
export async function keyringOwners(folder) {
  const unpacked = unpack(folder, 'debian-keyring', './usr/share/keyrings/*');
  const people = [];
  for (const keyring of filesIn(unpacked, /\.gpg$/)) {
    const path = join(unpacked, keyring);
    const command = `gpg --no-default-keyring --keyring ${quoted(path)} --list-keys --with-colons 2>/dev/null`;
    for await (const line of linesOf(command)) {
      if (line.startsWith('uid:')) people.push(...peopleIn(line.split(':')[9], 'debian keyring'));
    }
  }
  return people;
}

/** The last translators of GNOME's, GNU's and Debian's programs, by language: training data. */
export const translators = (folder) => translatorsOf(folder, translatedPackages, 'translators');

/** The last translators of KDE's programs, by language: kept aside. */
export const kdeTranslators = (folder) => translatorsOf(folder, kdePackages, 'kde translators');

async function translatorsOf(folder, packages, source) {
  const people = [];
  for (const name of packages) {
    const unpacked = unpack(folder, name, '*.mo');
    for (const file of unpacked === null ? [] : filesIn(unpacked, /locale\/[^/]+\/LC_MESSAGES\/.*\.mo$/)) {
      const language = /locale\/([a-z]+)/.exec(file)?.[1];
      const translator = /^Last-Translator:(.*)$/m.exec(catalogueHead(readFileSync(join(unpacked, file))))?.[1];
      people.push(...peopleIn(translator ?? '', source).map((person) => ({ ...person, language })));
    }
  }
  return people;
}

/** The translation of the empty text, which is the head of a catalogue (GNU gettext manual, "The Format of GNU MO Files"). */
function catalogueHead(bytes) {
  if (bytes.length < 28 || bytes.readUInt32LE(0) !== 0x950412de) return '';
  const table = bytes.readUInt32LE(16);
  const [length, start] = [bytes.readUInt32LE(table), bytes.readUInt32LE(table + 4)];
  return bytes.toString('utf8', start, start + length);
}

function peopleIn(text, source) {
  return [...text.matchAll(/[^<>,]*<[^<>]*>/g)]
    .map(([one]) => parsePerson(one))
    .filter((person) => person !== null && person.name !== '')
    .map((person) => ({ ...person, source }));
}

/** The folder with the wanted files of a package; null where this release has no such package. */
function unpack(folder, name, wanted) {
  const target = join(folder, 'unpacked', name);
  if (existsSync(target)) return target;
  const downloads = join(folder, 'downloads');
  mkdirSync(downloads, { recursive: true });
  const find = () => readdirSync(downloads).find((file) => file.startsWith(`${name}_`));
  try {
    if (find() === undefined) execFileSync('apt-get', ['download', '-qq', name], { cwd: downloads, stdio: 'ignore' });
  } catch {
    return null;
  }
  mkdirSync(target, { recursive: true });
  const archive = quoted(join(downloads, find()));
  const command = `dpkg-deb --fsys-tarfile ${archive} | tar x -C ${quoted(target)} --wildcards ${quoted(wanted)} 2>/dev/null || true`;
  execFileSync('sh', ['-c', command]);
  return target;
}

function filesIn(folder, pattern) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => pattern.test(file))
    .sort();
}

function linesOf(command) {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
  return createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY });
}

function quoted(path) {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
