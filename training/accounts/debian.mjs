// Account names of free-software developers, from the Debian archive.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { download, filesIn, linesInPackages, linesOf, packagesNamed, shellQuote, unpack } from './packages.mjs';
import { parsePerson } from './person.mjs';
import { sourcesIndex } from './sources.mjs';
import { kdePackages, translatedPackages } from './translated-packages.mjs';

/** Owners of the GitHub repositories of Debian's source packages: training data. */
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
      people.push(...parsePeople(line.replace(/^\w+:/, ''), 'debian maintainers'));
  }
  return people;
}

/** Larger packages are skipped when thousands are downloaded. */
const smallBytes = 200_000;
const address = '[^<>"():;,*#/=|]{3,60}<[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+>';

/** People named with an address in the Linux kernel's sources: training data. */
export async function kernelAuthors(folder) {
  const unpacked = unpack(folder, 'linux-source-6.1', './usr/src/*');
  const [archive] = filesIn(unpacked, /\.tar\.xz$/);
  return readPeopleFrom(`xz -dc ${shellQuote(join(unpacked, archive))} | tar xO`, 'linux kernel');
}

/** People named with an address in the change logs of the GNU tools: training data. */
export async function toolchainAuthors(folder) {
  const people = [];
  for (const name of ['gcc-12-source', 'gdb-source', 'binutils-source', 'glibc-source']) {
    const unpacked = unpack(folder, name, '*.tar.*');
    for (const archive of filesIn(unpacked, /\.tar\.(xz|bz2|gz)$/)) {
      const logs = `tar xOaf ${shellQuote(join(unpacked, archive))} --wildcards '*ChangeLog*' '*MAINTAINERS*' 2>/dev/null`;
      people.push(await readPeopleFrom(logs, 'gnu tools'));
    }
  }
  return people.flat();
}

/** Authors of Perl: tuning data. */
export async function perlAuthors(folder) {
  const unpacked = unpack(folder, 'perl-base', '*AUTHORS.gz');
  return readPeopleFrom(`gzip -dc ${shellQuote(join(unpacked, filesIn(unpacked, /AUTHORS\.gz$/)[0]))}`, 'perl');
}

async function readPeopleFrom(command, source) {
  const people = [];
  for await (const line of linesOf(`${command} | LC_ALL=C grep -aoE '${address}'`))
    people.push(...parsePeople(line, source));
  return people;
}

/** Authors of Rust libraries, from their manifests: tuning data. */
export async function crateAuthors(folder) {
  const people = [];
  for await (const line of linesInPackages(folder, packagesNamed(/^librust-[^+]*-dev$/, smallBytes), '*/Cargo.toml'))
    people.push(...parsePeople(line.replaceAll('"', ''), 'rust crates'));
  return people;
}

/** Authors of R libraries, most of them at universities: tuning data. */
export async function rPackageAuthors(folder) {
  const people = [];
  for await (const line of linesInPackages(folder, packagesNamed(/^r-(cran|bioc)-/, smallBytes), '*/DESCRIPTION'))
    people.push(
      ...parsePeople(line.replace(/^(Author|Maintainer):/, '').replaceAll(/\[.*?\]|\(.*?\)/g, ''), 'r packages'),
    );
  return people;
}

/** Authors of Ruby libraries: tuning data. Names and addresses are paired if there are as many of both. */
export async function gemAuthors(folder) {
  const people = [];
  const texts = (line) => [...line.matchAll(/"([^"]+)"/g)].map(([, text]) => text);
  let names = [];
  for await (const line of linesInPackages(folder, packagesNamed(/^ruby-/, smallBytes), '*.gemspec')) {
    if (/^\s*s\.authors = /.test(line)) names = texts(line);
    if (!/^\s*s\.email = /.test(line)) continue;
    const addresses = texts(line);
    for (const [at, address] of addresses.entries()) {
      const person = parsePerson(`${addresses.length === names.length ? names[at] : ''} <${address}>`);
      if (person !== null) people.push({ ...person, source: 'ruby gems' });
    }
    names = [];
  }
  return people;
}

/** Translators of MediaWiki by language: wiki accounts, not mailboxes. Training data. */
export async function wikiTranslators(folder) {
  const unpacked = unpack(folder, 'mediawiki', '*/i18n/*.json');
  const people = [];
  for (const file of filesIn(unpacked, /\/i18n\/[a-z-]+\.json$/)) {
    const language = /([a-z]+)[a-z-]*\.json$/.exec(file)[1];
    const { authors = [] } = JSON.parse(readFileSync(join(unpacked, file), 'utf8'))['@metadata'] ?? {};
    for (const author of [authors].flat().map(String).filter(isLatinAccount))
      people.push({
        account: author.toLowerCase().replaceAll(' ', '_'),
        name: '',
        source: 'wiki translators',
        language,
      });
  }
  return people;
}

const isLatinAccount = (name) => /^[A-Za-z0-9._ -]{2,40}$/.test(name) && !/bot$/i.test(name);

/** User names on the keys of Debian's developers and maintainers: training data. */
export async function keyringOwners(folder) {
  const unpacked = unpack(folder, 'debian-keyring', './usr/share/keyrings/*');
  const people = [];
  for (const keyring of filesIn(unpacked, /\.gpg$/)) {
    const path = join(unpacked, keyring);
    const command = `gpg --no-default-keyring --keyring ${shellQuote(path)} --list-keys --with-colons 2>/dev/null`;
    for await (const line of linesOf(command)) {
      if (line.startsWith('uid:')) people.push(...parsePeople(line.split(':')[9], 'debian keyring'));
    }
  }
  return people;
}

/** Last translators of GNOME, GNU and Debian programs, by language: training data. */
export const translators = (folder) => translatorsOf(folder, translatedPackages, 'translators');

/** Last translators of KDE programs, by language: tuning data. */
export const kdeTranslators = (folder) => translatorsOf(folder, kdePackages, 'kde translators');

export async function translatorsOf(folder, packages, source) {
  const people = [];
  download(folder, packages);
  for (const name of packages) {
    const unpacked = unpack(folder, name, '*.mo');
    for (const file of unpacked === null ? [] : filesIn(unpacked, /locale\/[^/]+\/LC_MESSAGES\/.*\.mo$/)) {
      const language = /locale\/([a-z]+)/.exec(file)?.[1];
      const translator = /^Last-Translator:(.*)$/m.exec(catalogHeader(readFileSync(join(unpacked, file))))?.[1];
      people.push(...parsePeople(translator ?? '', source).map((person) => ({ ...person, language })));
    }
  }
  return people;
}

/** The translation of the empty string: the header of a catalog (GNU gettext manual, "The Format of GNU MO Files"). */
function catalogHeader(bytes) {
  if (bytes.length < 28 || bytes.readUInt32LE(0) !== 0x950412de) return '';
  const table = bytes.readUInt32LE(16);
  const [length, start] = [bytes.readUInt32LE(table), bytes.readUInt32LE(table + 4)];
  return bytes.toString('utf8', start, start + length);
}

export function parsePeople(text, source) {
  return [...text.matchAll(/[^<>,]*<[^<>]*>/g)]
    .map(([one]) => parsePerson(one))
    .filter((person) => person !== null && person.name !== '')
    .map((person) => ({ ...person, source }));
}
