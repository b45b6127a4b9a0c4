// Downloads the account names for training and tuning: node fetch-accounts.mjs FOLDER [SOURCE…]
// They belong to real people, so FOLDER must be outside the repository. Only weights are published.
//   npm          package.json of 36,000 packages of the npm registry: addresses of authors, owners of repositories   training
//   homepages    the index of Debian's source packages: owners of the repositories these come from                   training
//   maintainers  the same index: maintainers of the packages                                                         tuning
//   linux        the sources of the Linux kernel: people named with an address                                      training
//   keyring      the keys of Debian's developers and maintainers                                                     training
//   translators  the catalogues of some 120 Debian packages: the last translator of each, by language                training
//   toolchain    the change logs of GCC, GDB, binutils and glibc: people named with an address                      training
//   perl         the authors of Perl                                                                                 tuning
//   kde          the catalogues of KDE's packages: the last translator of each, by language                          tuning
//   rust         the manifests of Rust's libraries: their authors                                                    tuning
//   ruby         the specifications of Ruby's libraries: their authors                                               tuning
//   r            the descriptions of R's libraries: their authors, most of them at universities                      tuning
//   wiki         the catalogues of MediaWiki: the accounts of its translators, by language                           training
//   python       the metadata of Python's libraries: their authors                                                   training
//   haskell      the registrations of Haskell's libraries: their authors                                             training
//   cpan         the manuals of Perl's libraries: people named with an address                                      training
//   emacs        the first lines of Emacs' libraries: their authors                                                  training
//   vim          the first lines of Vim's files: their authors                                                       training
//   credits      the files AUTHORS, CREDITS and the like of Debian's packages: people named with an address         training
//   catalogues   the catalogues of all Debian packages not named above: the last translator of each, by language     training
//   copyrights   the copyright files of 3,000 Debian packages: people named with an address                         tuning
//   changes      the change logs of 1,500 Debian packages: authors of changes                                       tuning
//   manuals      the manuals of 1,000 Debian packages that have some in other languages: people named with an address  tuning
//   scoped       package.json of 12,000 packages in scopes of the npm registry: addresses of authors and maintainers tuning
//   contributors the sources of 21 large projects: contributors that they list                                       tuning
//   php          the sources of PHP's libraries: their authors                                                       tuning
//   headers      the headers of 2,000 packages of C's libraries: people named with an address                       tuning
import { existsSync, mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { contributors, headerAuthors, phpAuthors } from './accounts/contributors.mjs';
import {
  crateAuthors,
  debianHomepages,
  debianMaintainers,
  gemAuthors,
  kdeTranslators,
  kernelAuthors,
  keyringOwners,
  perlAuthors,
  rPackageAuthors,
  toolchainAuthors,
  translators,
  wikiTranslators,
} from './accounts/debian.mjs';
import { writeAccounts } from './accounts/files.mjs';
import {
  cpanAuthors,
  creditedPeople,
  emacsAuthors,
  haskellAuthors,
  otherTranslators,
  pythonAuthors,
  vimAuthors,
} from './accounts/libraries.mjs';
import { changeAuthors, copyrightHolders, manualAuthors, scopeOwners } from './accounts/mentioned.mjs';
import { npmAccounts } from './accounts/npm-registry.mjs';

const sources = {
  npm: () => npmAccounts(console.log),
  homepages: debianHomepages,
  maintainers: debianMaintainers,
  linux: kernelAuthors,
  keyring: keyringOwners,
  translators,
  toolchain: toolchainAuthors,
  perl: perlAuthors,
  kde: kdeTranslators,
  rust: crateAuthors,
  ruby: gemAuthors,
  r: rPackageAuthors,
  wiki: wikiTranslators,
  python: pythonAuthors,
  haskell: haskellAuthors,
  cpan: cpanAuthors,
  emacs: emacsAuthors,
  vim: vimAuthors,
  credits: creditedPeople,
  catalogues: otherTranslators,
  copyrights: copyrightHolders,
  changes: changeAuthors,
  manuals: manualAuthors,
  scoped: scopeOwners,
  contributors,
  php: phpAuthors,
  headers: headerAuthors,
};

const [given, ...wanted] = process.argv.slice(2);
const folder = resolve(given ?? '');
if (given === undefined || !relative(resolve(import.meta.dirname, '..'), folder).startsWith('..')) {
  console.error('Name a folder outside the repository: node fetch-accounts.mjs FOLDER');
  process.exit(2);
}
mkdirSync(folder, { recursive: true, mode: 0o700 });
for (const [source, fetchPeople] of Object.entries(sources)) {
  if (existsSync(join(folder, `${source}.ndjson`)) || (wanted.length > 0 && !wanted.includes(source))) continue;
  const people = await fetchPeople(folder);
  console.log(
    `${source}: ${new Set(people.map(({ account }) => account)).size} accounts, sha256 ${writeAccounts(folder, source, people)}`,
  );
}
