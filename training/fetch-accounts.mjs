// Downloads the account names for training and tuning: node fetch-accounts.mjs FOLDER [SOURCE…]
// They belong to real people, so FOLDER must be outside the repository. Only weights are published.
// README.md lists the sources.
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
