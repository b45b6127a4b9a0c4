// Account names of free-software people, out of Debian's archive: mailboxes, all of them. They train; an earlier model was tested on them.
import { peopleIn, translatorsOf } from './debian.mjs';
import { linesInPackages, packagesNamed, packagesWith, someOf } from './packages.mjs';
import { parsePerson } from './person.mjs';
import { kdePackages, translatedPackages } from './translated-packages.mjs';

/** Whatever is larger is fetched for nobody's address. */
const small = 200_000;
const medium = 1_000_000;
/** Of a kind of packages, so many are fetched. */
const many = 2_000;

/** The authors and maintainers of Python's libraries, by their metadata. */
export async function pythonAuthors(folder) {
  const people = [];
  const wanted = ['*-info/METADATA', '*-info/PKG-INFO', '*.egg-info'];
  let names = {};
  for await (const line of linesInPackages(folder, someOf(packagesNamed(/^python3-/, small), many), wanted)) {
    const [, who, kind, value] = /^(Author|Maintainer)(-email)?: (.*)$/i.exec(line) ?? [];
    if (/^Metadata-Version/.test(line)) names = {};
    if (who === undefined) continue;
    if (kind === undefined) names[who] = value;
    else people.push(...(value.includes('<') ? peopleIn(value, 'python') : named(names[who], value, 'python')));
  }
  return people;
}

/** The authors and maintainers of Haskell's libraries, as their compiler registers them. */
export async function haskellAuthors(folder) {
  const people = [];
  let name = '';
  for await (const line of linesInPackages(folder, packagesNamed(/^libghc-.*-dev$/, medium), '*/package.conf.d/*')) {
    if (line === '') name = '';
    if (line.startsWith('author:')) name = line.slice(7).trim();
    if (!/^(author|maintainer):/.test(line)) continue;
    const value = line.replace(/^\w+:/, '').trim();
    people.push(...(value.includes('<') ? peopleIn(value, 'haskell') : named(name, value, 'haskell')));
  }
  return people;
}

/** The authors of Perl's libraries, by their manuals. */
export async function cpanAuthors(folder) {
  const people = [];
  for await (const line of linesInPackages(folder, someOf(packagesNamed(/^lib.*-perl$/, small), many), '*.pm'))
    if (line.includes('@') && line.includes('<')) people.push(...peopleIn(plainPod(line), 'cpan'));
  return people;
}

/** `E<lt>` and `E<gt>` are the brackets of Perl's manuals, `C<…>` and the like their emphasis. */
function plainPod(line) {
  return line
    .replaceAll('E<lt>', '<')
    .replaceAll('E<gt>', '>')
    .replaceAll(/[BCFILS]<+\s*(?:mailto:)?([^<>]*?)\s*>+/g, '$1');
}

/** The authors of Emacs' libraries, by the first lines of their files. */
export async function emacsAuthors(folder) {
  const people = [];
  for await (const line of linesInPackages(folder, packagesNamed(/^elpa-/, medium), '*.el'))
    if (/^;+ *(author|maintainer|copyright|created by)/i.test(line))
      people.push(...peopleIn(withoutLabel(line), 'emacs'));
  return people;
}

const withoutLabel = (line) => line.replace(/^;+[^:]*:/, '').replace(/^;+ *copyright *(\(c\))?[\d ,–-]*/i, '');

/** Those who keep the files of Vim, by the first lines of these. */
export async function vimAuthors(folder) {
  const people = [];
  for await (const line of linesInPackages(folder, ['vim-runtime'], '*.vim'))
    if (/^" *(last change|(former|original|previous|current|co-)? *(maintainer|author|contributor)s?)/i.test(line))
      people.push(...peopleIn(line.replace(/^"[^:]*:/, ''), 'vim'));
  return people;
}

/** Those whom the files AUTHORS, CREDITS and the like of Debian's packages name. */
export async function creditedPeople(folder) {
  const people = [];
  const files = 'AUTHORS CONTRIBUTORS CREDITS THANKS TRANSLATORS'.split(' ');
  const packages = packagesWith(folder, `usr/share/doc/[^/]+/(${files.join('|')})[^/]*`, medium);
  const wanted = files.map((file) => `*/doc/*/${file}*`);
  for await (const line of linesInPackages(folder, someOf(packages, many), wanted, 'gzip -dcf'))
    if (line.includes('@') && line.includes('<')) people.push(...peopleIn(line.replace(/^[\s*#•–-]+/, ''), 'credits'));
  return people;
}

/** The last translators of all other programs with catalogues, by language. */
export function otherTranslators(folder) {
  const used = new Set([...translatedPackages, ...kdePackages]);
  const packages = packagesWith(folder, 'locale/[^/]+/LC_MESSAGES/[^/]+\\.mo', medium);
  return translatorsOf(
    folder,
    someOf(
      packages.filter((name) => !used.has(name)),
      many,
    ),
    'other translators',
  );
}

/** Addresses without a name beside them, which is told apart: they belong together where there is one of each. */
function named(name, value, source) {
  const addresses = value.split(/[,;\s]+/).filter((word) => word.includes('@'));
  return addresses
    .map((address) =>
      parsePerson(`${addresses.length === 1 ? (name ?? '') : ''} <${address.replaceAll(/[<>"']/g, '')}>`),
    )
    .filter((person) => person !== null)
    .map((person) => ({ ...person, source }));
}
