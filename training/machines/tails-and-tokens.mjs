// Long numbers and short tokens next to a name, a word or invented syllables.

import { accountNouns, prefixes } from './prefixes.mjs';
import { base36, digits, joined, lower, randomTextGenerator, textOf } from './random-text.mjs';

const optionalSeparators = ['', '', '', '.', '-', '_'];
const separators = ['.', '.', '-', '_'];
/** Purposes of an alias or a tag. */
export const services =
  `amazon paypal ebay netflix spotify twitter github gitlab discord twitch steam dropbox adobe apple google facebook instagram tiktok
  youtube telegram signal booking uber lyft etsy shopify stripe patreon medium quora reddit yahoo office zoom slack trello notion figma
  canva bank games forum social travel hotel flights tickets food pizza shop store news letter promo deals offers alerts updates club
  member login account mail web site blog info dev me my the junk spam stuff misc other work home school phone car rent tax`
    .trim()
    .split(/\s+/);

/** (random) → (rng, name) → a name, one with an initial, or two. */
function personGenerator(random, names) {
  const separator = random.pick(optionalSeparators);
  return random.pick([
    (rng) => rng.pick(names),
    (_rng, name) => name,
    (rng) => rng.pick(lower) + separator + rng.pick(names),
    (rng) => rng.pick(names) + separator + rng.pick(names),
    (rng, name) => rng.pick(names) + separator + name,
  ]);
}

/** A name or a word, and six or more digits that are no date. */
export function longNumberGenerator(random, word, names) {
  const stem = random.chance(0.85) ? personGenerator(random, names) : word;
  const separator = random.pick(['', '', '', '', '.', '-', '_']);
  const fixed = random.chance(0.6);
  const length = random.between(6, 10);
  return (rng, name) => stem(rng, name) + separator + textOf(rng, digits, fixed ? length : rng.between(6, 10));
}

/** A person's name with a few random letters or digits at one end. */
export function shortTailGenerator(random, names) {
  const stem = personGenerator(random, names);
  const alphabet = random.pick([lower, lower, base36, base36]);
  const [least, most] = random.pick([
    [3, 5],
    [4, 6],
    [4, 4],
    [5, 5],
    [5, 7],
    [5, 8],
    [6, 8],
  ]);
  const short = alphabet === lower ? Math.max(4, least) : least;
  const separator = random.pick(optionalSeparators);
  const before = random.chance(0.3);
  const cut = random.chance(0.15);
  return (rng, name) => {
    const tail = textOf(rng, alphabet, rng.between(short, Math.max(short, most)));
    const head = cut ? stem(rng, name).slice(0, rng.between(3, 6)) : stem(rng, name);
    return before ? tail + separator + head : head + separator + tail;
  };
}

/** Test users and the like with a number, often with leading zeros. */
export function numberedUserGenerator(random) {
  const head = random.chance(0.7)
    ? random.pick(accountNouns)
    : `${random.pick(prefixes)}${random.pick(optionalSeparators)}${random.pick(accountNouns)}`;
  const separator = random.pick(optionalSeparators);
  const width = random.pick([0, 0, 2, 3, 4, 5, 6]);
  const most = 10 ** random.between(2, 6) - 1;
  return (rng) => `${head}${separator}${String(rng.between(1, most)).padStart(width, '0')}`;
}

/** The purpose of an alias in one or two words, and a token after a separator. */
export function aliasGenerator(random, word) {
  const count = random.pick([1, 1, 2]);
  const separator = random.pick(separators);
  const alphabet = random.pick([base36, base36, base36, lower, `${digits}abcdef`]);
  const [least, most] = random.pick([
    [4, 4],
    [5, 5],
    [5, 5],
    [6, 6],
    [4, 7],
  ]);
  const first = random.chance(0.1);
  const known = random.chance(0.6);
  return (rng) => {
    const head = Array.from({ length: count }, () => (known ? rng.pick(services) : word(rng)));
    const token = textOf(rng, alphabet, rng.between(least, most));
    return (first ? [token, ...head] : [...head, token]).join(separator);
  };
}

const soft = 'bcdfghjklmnpqrstvwxyz';

/** Two or three invented syllables and a number. */
export function syllableGenerator(random) {
  const consonants = random.chance(0.5) ? soft : 'bdfghjklmnprstvwz';
  const vowels = random.pick(['aeiou', 'aeiou', 'aeiouy']);
  const pattern = random.pick([
    'cvcvc',
    'cvcvcv',
    'cvcvcvc',
    'cvccvc',
    'vcvcv',
    'cvcv',
    'cvvcvc',
    'vccvc',
    'cvccv',
    'vcvcvc',
  ]);
  const separator = random.pick(['', '', '', '', '', '-', '_', '.']);
  const [least, most] = random.pick([
    [2, 4],
    [3, 5],
    [3, 3],
    [4, 4],
    [5, 5],
    [4, 6],
  ]);
  return (rng) =>
    pattern.replaceAll(/[cv]/g, (kind) => rng.pick(kind === 'c' ? consonants : vowels)) +
    separator +
    textOf(rng, digits, rng.between(least, most));
}

/** Five to eight random characters; shorter ones are more likely a person's. */
export function shortTextGenerator(random) {
  return randomTextGenerator(random, 5, random.between(6, 8));
}

/** Two to four groups, some of them shorter than a word. */
export function shortGroupsGenerator(random) {
  const alphabet = random.pick([base36, base36, lower]);
  const separator = random.pick(separators);
  const count = random.between(2, 4);
  const most = random.between(3, 6);
  return (rng) => {
    const text = Array.from({ length: count }, () => textOf(rng, alphabet, rng.between(2, most))).join(separator);
    return text.length < 7 ? text + separator + joined(3, () => rng.pick(alphabet)) : text;
  };
}
