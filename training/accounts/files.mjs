import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapeOf } from './account-shape.mjs';

/** Writes the accounts of one source as NDJSON and returns its SHA-256, to compare two downloads. */
export function writeAccounts(folder, source, people) {
  const lines = [...new Set(people.map((person) => JSON.stringify(person)))].sort();
  const text = `${lines.join('\n')}\n`;
  writeFileSync(join(folder, `${source}.ndjson`), text, { mode: 0o600 });
  return createHash('sha256').update(text).digest('hex');
}

const trainingSources = ['npm', 'homepages', 'linux', 'keyring', 'translators', 'toolchain', 'wiki'];
const tuningSources = ['maintainers', 'perl', 'kde', 'rust', 'ruby', 'r'];
/** Test sets of earlier models. */
const firstTestSources = ['python', 'haskell', 'cpan', 'emacs', 'vim', 'credits', 'catalogues'];
const secondTestSources = ['copyrights', 'changes', 'manuals', 'scoped'];
const thirdTestSources = ['contributors', 'php', 'headers'];

/** Accounts for training and for tuning, without overlap. */
export function readAccounts(folder) {
  const training = read(folder, [...trainingSources, ...firstTestSources]);
  return {
    training,
    tuning: exclude(read(folder, [...tuningSources, ...secondTestSources, ...thirdTestSources]), training),
  };
}

/** Like `readAccounts` without the sources of the last test, which are returned as `heldOut`. Nothing overlaps. */
export function readHeldOut(folder) {
  const training = read(folder, [...trainingSources, ...firstTestSources]);
  const tuning = exclude(read(folder, [...tuningSources, ...secondTestSources]), training);
  return { training, tuning, heldOut: exclude(read(folder, thirdTestSources), [...training, ...tuning]) };
}

/** Each account once, with all its languages and the shape of the first owner whose name explains it. */
function read(folder, sources) {
  if (folder === undefined) throw new Error('Set ACCOUNTS to the folder that fetch-accounts.mjs filled.');
  const accounts = new Map();
  for (const source of sources) {
    const file = join(folder, `${source}.ndjson`);
    if (!existsSync(file)) throw new Error(`${file} is missing. Run fetch-accounts.mjs first.`);
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) add(accounts, JSON.parse(line));
  }
  return [...accounts.values()];
}

function add(accounts, { account, name, source, language }) {
  const shape = shapeOf(account, name);
  const known = accounts.get(account);
  if (known === undefined) {
    accounts.set(account, { account, source, shape, languages: language === undefined ? [] : [language] });
    return;
  }
  if (language !== undefined && !known.languages.includes(language)) known.languages.push(language);
  if (known.shape.startsWith('nickname')) known.shape = shape;
}

function exclude(accounts, seen) {
  const others = new Set(seen.map(({ account }) => account));
  return accounts.filter(({ account }) => !others.has(account));
}
