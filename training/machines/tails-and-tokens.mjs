// What programs put beside a name, a word or a word that they made up: a long number, or a short token.

import { counted, heads } from './prefixes.mjs';
import { joined, noiseProgram, textOf } from './random-text.mjs';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const base36 = lower + digits;
const joints = ['', '', '', '.', '-', '_'];
const separators = ['.', '.', '-', '_'];
/** What an alias or a tag is for. */
export const services =
  `amazon paypal ebay netflix spotify twitter github gitlab discord twitch steam dropbox adobe apple google facebook instagram tiktok
  youtube telegram signal booking uber lyft etsy shopify stripe patreon medium quora reddit yahoo office zoom slack trello notion figma
  canva bank games forum social travel hotel flights tickets food pizza shop store news letter promo deals offers alerts updates club
  member login account mail web site blog info dev me my the junk spam stuff misc other work home school phone car rent tax`
    .trim()
    .split(/\s+/);

/** (random) → (random, name) → a person as programs name one: a name, one with an initial before it, or two. */
function personProgram(random, names) {
  const joint = random.pick(joints);
  return random.pick([
    (drawn) => drawn.pick(names),
    (_drawn, name) => name,
    (drawn) => drawn.pick(lower) + joint + drawn.pick(names),
    (drawn) => drawn.pick(names) + joint + drawn.pick(names),
    (drawn, name) => drawn.pick(names) + joint + name,
  ]);
}

/** A person's name or a word, and six digits and more that are nobody's year. */
export function longNumberProgram(random, word, names) {
  const stem = random.chance(0.85) ? personProgram(random, names) : word;
  const joint = random.pick(['', '', '', '', '.', '-', '_']);
  const fixed = random.chance(0.6);
  const length = random.between(6, 10);
  return (drawn, name) => stem(drawn, name) + joint + textOf(drawn, digits, fixed ? length : drawn.between(6, 10));
}

/** A person's name with a few random letters or digits at one of its ends. */
export function shortTailProgram(random, names) {
  const stem = personProgram(random, names);
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
  const joint = random.pick(joints);
  const before = random.chance(0.3);
  const cut = random.chance(0.15);
  return (drawn, name) => {
    const tail = textOf(drawn, alphabet, drawn.between(short, Math.max(short, most)));
    const head = cut ? stem(drawn, name).slice(0, drawn.between(3, 6)) : stem(drawn, name);
    return before ? tail + joint + head : head + joint + tail;
  };
}

/** Test users and the like, counted from one on or numbered as chance has it, often with zeros before. */
export function countedProgram(random) {
  const head = random.chance(0.7)
    ? random.pick(counted)
    : `${random.pick(heads)}${random.pick(joints)}${random.pick(counted)}`;
  const joint = random.pick(joints);
  const width = random.pick([0, 0, 2, 3, 4, 5, 6]);
  const most = 10 ** random.between(2, 6) - 1;
  return (drawn) => `${head}${joint}${String(drawn.between(1, most)).padStart(width, '0')}`;
}

/** What an alias is for, in one word or two, and a token behind a separator. */
export function aliasProgram(random, word) {
  const count = random.pick([1, 1, 2]);
  const joint = random.pick(separators);
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
  return (drawn) => {
    const head = Array.from({ length: count }, () => (known ? drawn.pick(services) : word(drawn)));
    const token = textOf(drawn, alphabet, drawn.between(least, most));
    return (first ? [token, ...head] : [...head, token]).join(joint);
  };
}

const soft = 'bcdfghjklmnpqrstvwxyz';

/** Two or three syllables that nobody says, and a number. */
export function syllablesProgram(random) {
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
  const joint = random.pick(['', '', '', '', '', '-', '_', '.']);
  const [least, most] = random.pick([
    [2, 4],
    [3, 5],
    [3, 3],
    [4, 4],
    [5, 5],
    [4, 6],
  ]);
  return (drawn) =>
    pattern.replaceAll(/[cv]/g, (kind) => drawn.pick(kind === 'c' ? consonants : vowels)) +
    joint +
    textOf(drawn, digits, drawn.between(least, most));
}

/** Five to eight characters, the shortest that are likelier random than somebody's. */
export function shortTextProgram(random) {
  return noiseProgram(random, 5, random.between(6, 8));
}

/** Two to four groups, some of them shorter than a word. */
export function shortGroupsProgram(random) {
  const alphabet = random.pick([base36, base36, lower]);
  const joint = random.pick(separators);
  const count = random.between(2, 4);
  const most = random.between(3, 6);
  return (drawn) => {
    const text = Array.from({ length: count }, () => textOf(drawn, alphabet, drawn.between(2, most))).join(joint);
    return text.length < 7 ? text + joint + joined(3, () => drawn.pick(alphabet)) : text;
  };
}
