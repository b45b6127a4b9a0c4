// Mailboxes of people mentioned in packages: tuning data, the test set of an earlier model.
import { languageOf } from './language.mjs';
import { scopedPeople } from './npm-registry.mjs';
import { hashOrderedSample, linesInPackages, packagesNamed, packagesWith } from './packages.mjs';
import { parsePerson } from './person.mjs';

const smallBytes = 200_000;
const mediumBytes = 1_000_000;

/** Packages that another source reads for authors of libraries. */
const libraryPackages = /^(librust-|ruby-|r-(cran|bioc)-|python3-|libghc-|elpa-|lib.*-perl$)/;

/** Copyright holders, from the copyright files of Debian packages. */
export async function copyrightHolders(folder) {
  const packages = packagesNamed(/./, smallBytes).filter((name) => !libraryPackages.test(name));
  return readPeople(linesInPackages(folder, hashOrderedSample(packages, 3_000), '*/doc/*/copyright'), 'copyrights');
}

/** Authors of changes, from the first line of each entry in change logs. */
export async function changeAuthors(folder) {
  const packages = packagesWith(folder, 'usr/share/doc/[^/]+/changelog\\.gz', mediumBytes);
  const lines = linesInPackages(folder, hashOrderedSample(packages, 1_500), '*/doc/*/changelog.gz', 'gzip -dcf');
  return readPeople(lines, 'change logs', /^\d{4}-\d\d-\d\d\s/);
}

/** Authors and translators of manuals that exist in several languages. */
export async function manualAuthors(folder) {
  const packages = packagesWith(folder, 'usr/share/man/[a-z]{2}(_[A-Z]{2})?/man[0-9]/[^/]+', mediumBytes);
  const lines = linesInPackages(folder, hashOrderedSample(packages, 1_000), '*/man/*.gz', 'gzip -dcf');
  return readPeople(lines, 'manuals');
}

/** Authors and maintainers of scoped npm packages, which training does not read. */
export async function scopeOwners() {
  const people = await scopedPeople(12_000);
  return people.map((person) => withLanguage(person, 'scoped packages')).filter((person) => person !== null);
}

export async function readPeople(lines, source, wanted = /./) {
  const people = [];
  for await (const line of lines) {
    if (!line.includes('@') || !wanted.test(line)) continue;
    for (const [one] of stripMarkup(line).matchAll(/[^<>,;]*<[^<>]*>/g)) {
      const person = withLanguage(one, source);
      if (person !== null && person.name !== '') people.push(person);
    }
  }
  return people;
}

/** Removes roff markup, and a year, a label or "Copyright" before a name. */
function stripMarkup(line) {
  return line
    .replaceAll('\\(la', '<')
    .replaceAll('\\(ra', '>')
    .replaceAll(/\\f.|\\-/g, (mark) => (mark === '\\-' ? '-' : ''))
    .replace(/^.*?(copyright|author|contact|written by|maintainer)[^:<]*?(:|\(c\)|©|by |\d{4})/i, '')
    .replace(/^[\s\d.,©*#(–-]+|^\s*\(c\)/i, '');
}

export function withLanguage(value, source) {
  const person = parsePerson(value);
  const language = person === null ? undefined : languageOf(value, person.name);
  return person === null ? null : { ...person, source, ...(language === undefined ? {} : { language }) };
}
