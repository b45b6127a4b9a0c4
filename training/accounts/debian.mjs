// Account names of free-software people, out of Debian's archive.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { download, filesIn, linesInPackages, linesOf, packagesNamed, quoted, unpack } from './packages.mjs';
import { parsePerson } from './person.mjs';
import { sourcesIndex } from './sources.mjs';
import { kdePackages, translatedPackages } from './translated-packages.mjs';

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

/** Packages up to this many bytes are fetched by the thousand. */
const smallest = 200_000;
const address = '[^<>"():;,*#/=|]{3,60}<[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+>';

/** Everybody whom the sources of the Linux kernel name with an address: training data. */
export async function kernelAuthors(folder) {
  const unpacked = unpack(folder, 'linux-source-6.1', './usr/src/*');
  const [archive] = filesIn(unpacked, /\.tar\.xz$/);
  return peopleFrom(`xz -dc ${quoted(join(unpacked, archive))} | tar xO`, 'linux kernel');
}

/** Everybody whom the change logs of the GNU tools name with an address: training data. */
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

/** The authors of Perl: tuning data. */
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

/** The authors of Rust's libraries, by their manifests: tuning data. */
export async function crateAuthors(folder) {
  const people = [];
  for await (const line of linesInPackages(folder, packagesNamed(/^librust-[^+]*-dev$/, smallest), '*/Cargo.toml'))
    people.push(...peopleIn(line.replaceAll('"', ''), 'rust crates'));
  return people;
}

/** The authors of R's libraries, most of them at universities: tuning data. */
export async function statisticians(folder) {
  const people = [];
  for await (const line of linesInPackages(folder, packagesNamed(/^r-(cran|bioc)-/, smallest), '*/DESCRIPTION'))
    people.push(
      ...peopleIn(line.replace(/^(Author|Maintainer):/, '').replaceAll(/\[.*?\]|\(.*?\)/g, ''), 'r packages'),
    );
  return people;
}

/** The authors of Ruby's libraries; a name goes with an address where there are as many of both: tuning data. */
export async function gemAuthors(folder) {
  const people = [];
  const texts = (line) => [...line.matchAll(/"([^"]+)"/g)].map(([, text]) => text);
  let names = [];
  for await (const line of linesInPackages(folder, packagesNamed(/^ruby-/, smallest), '*.gemspec')) {
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

/** Those who translated MediaWiki, by language: accounts of a wiki, not mailboxes. Training data. */
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

/** The last translators of KDE's programs, by language: tuning data. */
export const kdeTranslators = (folder) => translatorsOf(folder, kdePackages, 'kde translators');

export async function translatorsOf(folder, packages, source) {
  const people = [];
  download(folder, packages);
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

export function peopleIn(text, source) {
  return [...text.matchAll(/[^<>,]*<[^<>]*>/g)]
    .map(([one]) => parsePerson(one))
    .filter((person) => person !== null && person.name !== '')
    .map((person) => ({ ...person, source }));
}
