// Account names of people whom packages mention: mailboxes, all of them. They tune; an earlier model was tested on them.
import { languageOf } from './language.mjs';
import { scopedPeople } from './npm-registry.mjs';
import { linesInPackages, packagesNamed, packagesWith, someOf } from './packages.mjs';
import { parsePerson } from './person.mjs';

const small = 200_000;
const medium = 1_000_000;

/** The packages that an earlier source read for the authors of libraries. */
const readBefore = /^(librust-|ruby-|r-(cran|bioc)-|python3-|libghc-|elpa-|lib.*-perl$)/;

/** Those who hold the rights to programs, by the files that Debian's packages have of it. */
export async function copyrightHolders(folder) {
  const packages = packagesNamed(/./, small).filter((name) => !readBefore.test(name));
  return peopleInLines(linesInPackages(folder, someOf(packages, 3_000), '*/doc/*/copyright'), 'copyrights');
}

/** Those who changed programs, by the first line of each entry in their change logs. */
export async function changeAuthors(folder) {
  const packages = packagesWith(folder, 'usr/share/doc/[^/]+/changelog\\.gz', medium);
  const lines = linesInPackages(folder, someOf(packages, 1_500), '*/doc/*/changelog.gz', 'gzip -dcf');
  return peopleInLines(lines, 'change logs', /^\d{4}-\d\d-\d\d\s/);
}

/** Those whom manuals name that are there in several languages: authors and translators. */
export async function manualAuthors(folder) {
  const packages = packagesWith(folder, 'usr/share/man/[a-z]{2}(_[A-Z]{2})?/man[0-9]/[^/]+', medium);
  const lines = linesInPackages(folder, someOf(packages, 1_000), '*/man/*.gz', 'gzip -dcf');
  return peopleInLines(lines, 'manuals');
}

/** Authors and maintainers of the npm registry's packages in scopes, which training does not read. */
export async function scopeOwners() {
  const people = await scopedPeople(12_000);
  return people.map((person) => placed(person, 'scoped packages')).filter((person) => person !== null);
}

export async function peopleInLines(lines, source, wanted = /./) {
  const people = [];
  for await (const line of lines) {
    if (!line.includes('@') || !wanted.test(line)) continue;
    for (const [one] of plain(line).matchAll(/[^<>,;]*<[^<>]*>/g)) {
      const person = placed(one, source);
      if (person !== null && person.name !== '') people.push(person);
    }
  }
  return people;
}

/** Without the marks of manuals, and without what stands before a name: a year, a label, "Copyright". */
function plain(line) {
  return line
    .replaceAll('\\(la', '<')
    .replaceAll('\\(ra', '>')
    .replaceAll(/\\f.|\\-/g, (mark) => (mark === '\\-' ? '-' : ''))
    .replace(/^.*?(copyright|author|contact|written by|maintainer)[^:<]*?(:|\(c\)|©|by |\d{4})/i, '')
    .replace(/^[\s\d.,©*#(–-]+|^\s*\(c\)/i, '');
}

export function placed(value, source) {
  const person = parsePerson(value);
  const language = person === null ? undefined : languageOf(value, person.name);
  return person === null ? null : { ...person, source, ...(language === undefined ? {} : { language }) };
}
