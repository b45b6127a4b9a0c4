// Labelled local parts: 1 is somebody's mailbox, 0 is made by a machine or a bored hand.
import { dressed, personal, role, terse, worded } from './positives.mjs';

/** Groups of people's mailboxes that tell nothing of where a name comes from. */
export const notOrigins = ['words', 'roles', 'terse', 'own script'];

/** Mailboxes from the given corpora; each origin gets the same share, however many names it has. */
export function peopleSamples(random, { corpora, words, otherWords, natives }, count) {
  const lists = listsByOrigin(corpora);
  const origins = Object.keys(lists);
  const towns = allNames(corpora);
  const dictionaries = Object.values(words);
  const vocabularies = otherWords.length > 0 ? otherWords : dictionaries;
  const word = () => random.pick(random.pick(random.chance(0.4) ? dictionaries : vocabularies));
  return Array.from({ length: count }, () => {
    const origin = random.pick(origins);
    const nameOf = (part) => random.pick(random.pick(lists[origin][part]));
    const [first, middle, last] = [nameOf('given'), nameOf('given'), nameOf('family')];
    const kind = random.below(100);
    const [group, text] =
      kind < 72
        ? [origin, personal(random, first, middle, last)]
        : kind < 86
          ? ['words', worded(random, word(), random.chance(0.5) ? word() : first)]
          : kind < 91
            ? ['roles', role(random, random.pick(towns))]
            : kind < 97
              ? ['terse', terse(random, first, middle, last)]
              : [
                  'own script',
                  random.chance(0.5) ? random.pick(natives) : `${random.pick(natives)}.${random.pick(natives)}`,
                ];
    return { text: dressed(random, text), label: 1, group };
  });
}

/** The names of one corpus bare, seven times each, so that none is too rare to be learnt. */
export function bareNames(corpus) {
  const names = [...new Set(allNames({ corpus }))].filter((name) => name.length >= 4);
  return names.flatMap((text) => Array(7).fill({ text, label: 1, group: 'bare' }));
}

/** Local parts of the given generators, each with the same share. */
export function machineSamples(random, generators, corpora, count) {
  const names = allNames(corpora).filter((name) => name.length >= 5);
  const kinds = Object.entries(generators);
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

function allNames(corpora) {
  return Object.values(corpora).flatMap((corpus) =>
    Object.values(corpus).flatMap(({ given, family }) => [...given, ...family]),
  );
}
