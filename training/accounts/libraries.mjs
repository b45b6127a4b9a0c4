// Mailboxes of library authors, from the Debian archive: training data, the test set of an earlier model.
import { parsePeople, translatorsOf } from './debian.mjs';
import { hashOrderedSample, linesInPackages, packagesNamed, packagesWith } from './packages.mjs';
import { parsePerson } from './person.mjs';
import { kdePackages, translatedPackages } from './translated-packages.mjs';

/** Larger packages are skipped. */
const smallBytes = 200_000;
const mediumBytes = 1_000_000;
/** Downloads per kind of package. */
const packageLimit = 2_000;

/** Authors and maintainers of Python libraries, from their metadata. */
export async function pythonAuthors(folder) {
  const people = [];
  const wanted = ['*-info/METADATA', '*-info/PKG-INFO', '*.egg-info'];
  let names = {};
  for await (const line of linesInPackages(
    folder,
    hashOrderedSample(packagesNamed(/^python3-/, smallBytes), packageLimit),
    wanted,
  )) {
    const [, who, kind, value] = /^(Author|Maintainer)(-email)?: (.*)$/i.exec(line) ?? [];
    if (/^Metadata-Version/.test(line)) names = {};
    if (who === undefined) continue;
    if (kind === undefined) names[who] = value;
    else people.push(...(value.includes('<') ? parsePeople(value, 'python') : pairNames(names[who], value, 'python')));
  }
  return people;
}

/** Authors and maintainers of Haskell libraries, from the compiler's registry. */
export async function haskellAuthors(folder) {
  const people = [];
  let name = '';
  for await (const line of linesInPackages(
    folder,
    packagesNamed(/^libghc-.*-dev$/, mediumBytes),
    '*/package.conf.d/*',
  )) {
    if (line === '') name = '';
    if (line.startsWith('author:')) name = line.slice(7).trim();
    if (!/^(author|maintainer):/.test(line)) continue;
    const value = line.replace(/^\w+:/, '').trim();
    people.push(...(value.includes('<') ? parsePeople(value, 'haskell') : pairNames(name, value, 'haskell')));
  }
  return people;
}

/** Authors of Perl libraries, from their manuals. */
export async function cpanAuthors(folder) {
  const people = [];
  for await (const line of linesInPackages(
    folder,
    hashOrderedSample(packagesNamed(/^lib.*-perl$/, smallBytes), packageLimit),
    '*.pm',
  ))
    if (line.includes('@') && line.includes('<')) people.push(...parsePeople(plainPod(line), 'cpan'));
  return people;
}

/** Replaces POD markup: `E<lt>`, `E<gt>`, `C<…>`. */
function plainPod(line) {
  return line
    .replaceAll('E<lt>', '<')
    .replaceAll('E<gt>', '>')
    .replaceAll(/[BCFILS]<+\s*(?:mailto:)?([^<>]*?)\s*>+/g, '$1');
}

/** Authors of Emacs libraries, from the first lines of their files. */
export async function emacsAuthors(folder) {
  const people = [];
  for await (const line of linesInPackages(folder, packagesNamed(/^elpa-/, mediumBytes), '*.el'))
    if (/^;+ *(author|maintainer|copyright|created by)/i.test(line))
      people.push(...parsePeople(withoutLabel(line), 'emacs'));
  return people;
}

const withoutLabel = (line) => line.replace(/^;+[^:]*:/, '').replace(/^;+ *copyright *(\(c\))?[\d ,–-]*/i, '');

/** Maintainers of Vim's files, from the first lines of these. */
export async function vimAuthors(folder) {
  const people = [];
  for await (const line of linesInPackages(folder, ['vim-runtime'], '*.vim'))
    if (/^" *(last change|(former|original|previous|current|co-)? *(maintainer|author|contributor)s?)/i.test(line))
      people.push(...parsePeople(line.replace(/^"[^:]*:/, ''), 'vim'));
  return people;
}

/** People named in AUTHORS, CREDITS and similar files of Debian packages. */
export async function creditedPeople(folder) {
  const people = [];
  const files = 'AUTHORS CONTRIBUTORS CREDITS THANKS TRANSLATORS'.split(' ');
  const packages = packagesWith(folder, `usr/share/doc/[^/]+/(${files.join('|')})[^/]*`, mediumBytes);
  const wanted = files.map((file) => `*/doc/*/${file}*`);
  for await (const line of linesInPackages(folder, hashOrderedSample(packages, packageLimit), wanted, 'gzip -dcf'))
    if (line.includes('@') && line.includes('<'))
      people.push(...parsePeople(line.replace(/^[\s*#•–-]+/, ''), 'credits'));
  return people;
}

/** Last translators of all other programs with catalogs, by language. */
export function otherTranslators(folder) {
  const used = new Set([...translatedPackages, ...kdePackages]);
  const packages = packagesWith(folder, 'locale/[^/]+/LC_MESSAGES/[^/]+\\.mo', mediumBytes);
  return translatorsOf(
    folder,
    hashOrderedSample(
      packages.filter((name) => !used.has(name)),
      packageLimit,
    ),
    'other translators',
  );
}

/** Addresses whose names are in another field. They are paired if there is one of each. */
function pairNames(name, value, source) {
  const addresses = value.split(/[,;\s]+/).filter((word) => word.includes('@'));
  return addresses
    .map((address) =>
      parsePerson(`${addresses.length === 1 ? (name ?? '') : ''} <${address.replaceAll(/[<>"']/g, '')}>`),
    )
    .filter((person) => person !== null)
    .map((person) => ({ ...person, source }));
}
