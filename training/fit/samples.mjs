// Labelled local parts: 1 is somebody's mailbox, 0 is made by a machine or a bored hand.

import { nativeNames, otherVocabularies } from '../corpora/corpora.mjs';
import { accountNumbers } from '../people/account-numbers.mjs';
import {
  birthday,
  dressed,
  hackerName,
  inDigits,
  nickname,
  numberWithin,
  personal,
  role,
  terse,
  worded,
} from '../people/mailbox-shapes.mjs';
import { chineseMailbox } from '../people/pinyin.mjs';
import { compoundName, indonesianMailbox, vietnameseMailbox } from '../people/regional-names.mjs';

/** Origins of many people with short syllables, which are easily taken for noise: they get twice the share. */
const commonAndShort = ['chinese', 'turkish', 'vietnamese', 'korean', 'indonesian', 'nordic'];

/** Mailboxes made from the given corpora; each origin gets the same share, however many names it has. */
export function peopleSamples(random, { corpora, words, otherWords, natives }, count) {
  const lists = listsByOrigin(corpora);
  const origins = [...Object.keys(lists), ...commonAndShort];
  const towns = allNames(corpora);
  const dictionaries = Object.values(words);
  const word = () => random.pick(random.pick(random.chance(0.4) ? dictionaries : otherWords));
  const native = () => random.pick(natives);
  const compound = () => compoundName(random);
  const numbered = accountNumbers(random);
  return Array.from({ length: count }, () => {
    const origin = random.pick(origins);
    const nameOf = (part) => random.pick(random.pick(lists[origin][part]));
    const [first, middle, last] = [nameOf('given'), nameOf('given'), nameOf('family')];
    const makers = [
      [42, () => personal(random, first, middle, last)],
      [3, () => personal(random, random.chance(0.5) ? compound() : first, compound(), compound())],
      [3, () => numberWithin(random, first, middle, last)],
      [4, () => chineseMailbox(random)],
      [3, () => vietnameseMailbox(random)],
      [2, () => indonesianMailbox(random)],
      [2, () => numbered(random)],
      [3, () => hackerName(random, random.chance(0.6) ? first : last, word())],
      [12, () => worded(random, word(), random.chance(0.5) ? word() : first)],
      [9, () => nickname(random, random.chance(0.6) ? first : last, word())],
      [5, () => role(random, random.pick(towns))],
      [9, () => terse(random, first, middle, last)],
      [3, () => (random.chance(0.5) ? native() : `${native()}.${native()}`)],
    ];
    return { text: dressed(random, weighted(random, makers)()), label: 1 };
  });
}

/** Mailboxes of shapes that few accounts online have, although organisations and countries full of people do. */
export function rareSamples(random, corpora, count) {
  const names = allNames(corpora).filter((name) => name.length >= 4);
  const numbered = accountNumbers(random);
  const words = otherVocabularies.flat().filter((word) => word.length >= 4);
  const natives = nativeNames();
  const makers = [
    () => hackerName(random, random.pick(names), random.pick(words)),
    () => inDigits(random, random.pick(names)),
    () => inDigits(random, random.pick(words)),
    () => inDigits(random, random.pick(names) + random.pick(['', '', '.', '_']) + random.pick(words)),
    () => inDigits(random, random.pick(words) + random.pick(words)),
    ...Array(3).fill(() => numbered(random)),
    ...Array(3).fill(() => numberWithin(random, random.pick(names), random.pick(names), random.pick(names))),
    () => random.pick(names) + birthday(random),
    ...Array(2).fill(() => random.pick(names) + random.pick(['', '.', '_']) + random.between(10_000, 99_999)),
    () => random.pick(natives),
    () => `${random.pick(natives)}.${random.pick(natives)}`,
    () => vietnameseMailbox(random),
    () => indonesianMailbox(random),
    () => personal(random, compoundName(random), compoundName(random), compoundName(random)),
  ];
  return Array.from({ length: count }, () => ({ text: random.pick(makers)(), label: 1 }));
}

function weighted(random, choices) {
  let left = random.below(100);
  for (const [share, choice] of choices) {
    left -= share;
    if (left < 0) return choice;
  }
}

/** Account names of real people, each as often as chance wants; those that are easily taken for noise more often. */
export function accountSamples(random, accounts, count) {
  const chosen = accounts.flatMap((account) => Array(rarity(account)).fill(account.account));
  return Array.from({ length: count }, () => ({ text: random.pick(chosen), label: 1 }));
}

/** How much more an account counts than others: few have digits within, and few are of Chinese people. */
function rarity({ shape, languages }) {
  return (shape === 'digits within' ? 4 : 1) * (languages.includes('zh') ? 2 : 1);
}

/** The names of one corpus bare, twelve times each, so that none is too rare to be learnt. */
export function bareNames(corpus) {
  const names = [...new Set(allNames({ corpus }))].filter((name) => name.length >= 4);
  return names.flatMap((text) => Array(12).fill({ text, label: 1 }));
}

/** Local parts of the given generators, each with the same share, and once more for each time that it stands in `again`. */
export function machineSamples(random, { generators, again = [] }, corpora, count) {
  const names = allNames(corpora).filter((name) => name.length >= 5);
  const kinds = [...Object.entries(generators), ...again.map((kind) => [kind, generators[kind]])];
  return Array.from({ length: count }, () => {
    const [group, make] = random.pick(kinds);
    return { text: make(random, random.pick(names)), label: 0, group };
  });
}

/** Origin → its lists of given and of family names, one a corpus; where it has none of one kind, those of the other. */
function listsByOrigin(corpora) {
  const lists = {};
  for (const corpus of Object.values(corpora)) {
    for (const [origin, { given, family }] of Object.entries(corpus)) {
      lists[origin] ??= { given: [], family: [] };
      lists[origin].given.push(...shares(given));
      lists[origin].family.push(...shares(family));
    }
  }
  for (const list of Object.values(lists)) {
    if (list.given.length === 0) list.given = list.family;
    if (list.family.length === 0) list.family = list.given;
  }
  return lists;
}

/** A list as often as its share: short lists hold the common names, so a list counts by the root of its length. */
function shares(list) {
  return Array(Math.ceil(Math.sqrt(list.length))).fill(list);
}

/** The names of all corpora, given and family. */
export function allNames(corpora) {
  return Object.values(corpora).flatMap((corpus) =>
    Object.values(corpus).flatMap(({ given, family }) => [...given, ...family]),
  );
}

/** Names that several corpora have, towns apart: those that programs have, too, and that a model knows best. */
export function commonNames({ towns, ...corpora }) {
  const counts = new Map();
  for (const corpus of Object.values(corpora))
    for (const name of new Set(allNames({ corpus }))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].filter(([name, count]) => count > 1 && /^[a-z]{3,}$/.test(name)).map(([name]) => name);
}
