// Labeled local parts: 1 is a person's mailbox, 0 is machine-made or typed at random.

import { ownVocabularies } from '../corpora/own-words.mjs';
import { accountNumberGenerator } from '../people/account-numbers.mjs';
import {
  birthday,
  leetHandle,
  leetspeak,
  nickname,
  numberInside,
  personalMailbox,
  roleMailbox,
  shortMailbox,
  withTagOrCapitals,
  wordMailbox,
} from '../people/mailbox-shapes.mjs';
import { chineseMailbox } from '../people/pinyin.mjs';
import { compoundName, indonesianMailbox, vietnameseMailbox } from '../people/regional-names.mjs';

/** Large populations with short syllables, which resemble random text, are sampled twice as often. */
const doubledOrigins = ['chinese', 'turkish', 'vietnamese', 'korean', 'indonesian', 'nordic'];

/** Mailboxes generated from corpora. Each origin has the same share, regardless of its number of names. */
export function peopleSamples(random, { names, words, natives }, count) {
  const lists = listsByOrigin(names);
  const origins = [...Object.keys(lists), ...doubledOrigins];
  const towns = allNames(names);
  const dictionaries = Object.values(words);
  const word = () => random.pick(random.pick(random.chance(0.4) ? dictionaries : ownVocabularies));
  const native = () => random.pick(natives);
  const compound = () => compoundName(random);
  const numbered = accountNumberGenerator(random);
  return Array.from({ length: count }, () => {
    const origin = random.pick(origins);
    const nameOf = (part) => random.pick(random.pick(lists[origin][part]));
    const [first, middle, last] = [nameOf('given'), nameOf('given'), nameOf('family')];
    const makers = [
      [42, () => personalMailbox(random, first, middle, last)],
      [3, () => personalMailbox(random, random.chance(0.5) ? compound() : first, compound(), compound())],
      [3, () => numberInside(random, first, middle, last)],
      [4, () => chineseMailbox(random)],
      [3, () => vietnameseMailbox(random)],
      [2, () => indonesianMailbox(random)],
      [2, () => numbered(random)],
      [3, () => leetHandle(random, random.chance(0.6) ? first : last, word())],
      [12, () => wordMailbox(random, word(), random.chance(0.5) ? word() : first)],
      [9, () => nickname(random, random.chance(0.6) ? first : last, word())],
      [5, () => roleMailbox(random, random.pick(towns))],
      [9, () => shortMailbox(random, first, middle, last)],
      [3, () => (random.chance(0.5) ? native() : `${native()}.${native()}`)],
    ];
    return { text: withTagOrCapitals(random, pickByShare(random, makers)()), label: 1 };
  });
}

/** Mailboxes of shapes that are common in organizations and some countries but rare among public accounts. */
export function rareShapeSamples(random, corpora, count) {
  const names = allNames(corpora.names).filter((name) => name.length >= 4);
  const numbered = accountNumberGenerator(random);
  const words = ownVocabularies.flat().filter((word) => word.length >= 4);
  const { natives } = corpora;
  const makers = [
    () => leetHandle(random, random.pick(names), random.pick(words)),
    () => leetspeak(random, random.pick(names)),
    () => leetspeak(random, random.pick(words)),
    () => leetspeak(random, random.pick(names) + random.pick(['', '', '.', '_']) + random.pick(words)),
    () => leetspeak(random, random.pick(words) + random.pick(words)),
    ...Array(3).fill(() => numbered(random)),
    ...Array(3).fill(() => numberInside(random, random.pick(names), random.pick(names), random.pick(names))),
    () => random.pick(names) + birthday(random),
    ...Array(2).fill(() => random.pick(names) + random.pick(['', '.', '_']) + random.between(10_000, 99_999)),
    () => random.pick(natives),
    () => `${random.pick(natives)}.${random.pick(natives)}`,
    () => vietnameseMailbox(random),
    () => indonesianMailbox(random),
    () => personalMailbox(random, compoundName(random), compoundName(random), compoundName(random)),
  ];
  return Array.from({ length: count }, () => ({ text: random.pick(makers)(), label: 1 }));
}

function pickByShare(random, choices) {
  let left = random.below(100);
  for (const [share, choice] of choices) {
    left -= share;
    if (left < 0) return choice;
  }
}

/** Account names of real people. Those that resemble random text are sampled more often. */
export function accountSamples(random, accounts, count) {
  const chosen = accounts.flatMap((account) => Array(sampleWeight(account)).fill(account.account));
  return Array.from({ length: count }, () => ({ text: random.pick(chosen), label: 1 }));
}

/** Accounts with digits inside and Chinese accounts are rare and count more. */
function sampleWeight({ shape, languages }) {
  return (shape === 'digits inside' ? 4 : 1) * (languages.includes('zh') ? 2 : 1);
}

/** The names of one corpus alone, twelve times each, so that rare ones are learned too. */
export function singleNames(corpus) {
  const names = [...new Set(allNames({ corpus }))].filter((name) => name.length >= 4);
  return names.flatMap((text) => Array(12).fill({ text, label: 1 }));
}

/** Local parts of the given generators with equal shares, plus one share for each mention in `again`. */
export function machineSamples(random, { generators, again = [] }, corpora, count) {
  const names = allNames(corpora).filter((name) => name.length >= 5);
  const kinds = [...Object.entries(generators), ...again.map((kind) => [kind, generators[kind]])];
  return Array.from({ length: count }, () => {
    const [group, make] = random.pick(kinds);
    return { text: make(random, random.pick(names)), label: 0, group };
  });
}

/** Origin → lists of given and family names, one per corpus. A missing kind is replaced by the other. */
function listsByOrigin(corpora) {
  const lists = {};
  for (const corpus of Object.values(corpora)) {
    for (const [origin, { given, family }] of Object.entries(corpus)) {
      lists[origin] ??= { given: [], family: [] };
      lists[origin].given.push(...repeatedByRootOfLength(given));
      lists[origin].family.push(...repeatedByRootOfLength(family));
    }
  }
  for (const list of Object.values(lists)) {
    if (list.given.length === 0) list.given = list.family;
    if (list.family.length === 0) list.family = list.given;
  }
  return lists;
}

/** Repeats a list by the square root of its length: short lists hold the common names. */
function repeatedByRootOfLength(list) {
  return Array(Math.ceil(Math.sqrt(list.length))).fill(list);
}

/** The given and family names of all corpora. */
export function allNames(corpora) {
  return Object.values(corpora).flatMap((corpus) =>
    Object.values(corpus).flatMap(({ given, family }) => [...given, ...family]),
  );
}

/** Names that occur in several corpora, towns excluded. Generators use these names too. */
export function commonNames({ towns, ...corpora }) {
  const counts = new Map();
  for (const corpus of Object.values(corpora))
    for (const name of new Set(allNames({ corpus }))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].filter(([name, count]) => count > 1 && /^[a-z]{3,}$/.test(name)).map(([name]) => name);
}
