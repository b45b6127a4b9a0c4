import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapeOf } from './account-shape.mjs';

/** Writes what one source gave, an account a line; the digest says whether two fetches gave the same. */
export function writeAccounts(folder, source, people) {
  const lines = [...new Set(people.map((person) => JSON.stringify(person)))].sort();
  const text = `${lines.join('\n')}\n`;
  writeFileSync(join(folder, `${source}.ndjson`), text, { mode: 0o600 });
  return createHash('sha256').update(text).digest('hex');
}

const trainingSources = ['npm', 'homepages', 'linux', 'keyring', 'translators', 'toolchain', 'wiki'];
const tuningSources = ['maintainers', 'perl', 'kde', 'rust', 'ruby', 'r'];
/** Earlier models were tested on these. */
const firstTest = ['python', 'haskell', 'cpan', 'emacs', 'vim', 'credits', 'catalogues'];
const secondTest = ['copyrights', 'changes', 'manuals', 'scoped'];
const thirdTest = ['contributors', 'php', 'headers'];

/** The accounts to train and to tune on; none stands in both. */
export function readAccounts(folder) {
  const training = read(folder, [...trainingSources, ...firstTest]);
  return { training, tuning: without(read(folder, [...tuningSources, ...secondTest, ...thirdTest]), training) };
}

/** The same without the sources of the last test, and those: what stands in another source, too, is left out. */
export function readDevelopment(folder) {
  const training = read(folder, [...trainingSources, ...firstTest]);
  const tuning = without(read(folder, [...tuningSources, ...secondTest]), training);
  return { training, tuning, aside: without(read(folder, thirdTest), [...training, ...tuning]) };
}

/** Each account once, with all the languages and one shape of it: that of the first owner whose name explains it. */
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

function without(accounts, seen) {
  const others = new Set(seen.map(({ account }) => account));
  return accounts.filter(({ account }) => !others.has(account));
}
