// Text from scripts and from people who type at random. Each kind is (random, name) → local part, where `name` is a real name to alter.

import { shuffled } from '../random.mjs';
import { digits, hexadecimal, joined, lower, textOf } from './random-text.mjs';

const alphanumeric = lower + digits;
const consonants = 'bcdfghjklmnpqrstvwxz';
const vowels = 'aeiou';
const keyRows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** Hexadecimal with at least one letter: digits alone may be an employee number. */
function hash(random, length) {
  const text = textOf(random, hexadecimal, length);
  return /[a-f]/.test(text) ? text : hash(random, length);
}

/** A walk over neighboring keys. */
function walk(random, length) {
  let row = random.below(3);
  let column = random.below(keyRows[row].length);
  let text = '';
  for (let index = 0; index < length; index++) {
    text += keyRows[row][column];
    if (random.chance(0.25)) row = Math.min(2, Math.max(0, row + random.pick([-1, 1])));
    column = Math.min(keyRows[row].length - 1, Math.max(0, column + random.pick([-1, 1, 1, -2, 2, 0])));
  }
  return text;
}

/** A straight run along a row of keys in either direction, perhaps followed by digits in order. */
function run(random) {
  const row = random.pick(keyRows);
  const length = random.between(4, row.length);
  const start = random.below(row.length - length + 1);
  const keys = row.slice(start, start + length);
  const tail = random.chance(0.4) ? '1234567890'.slice(0, random.between(1, 8)) : '';
  return (random.chance(0.2) ? [...keys].reverse().join('') : keys) + tail;
}

/** Fingers drumming on the home row. */
function mash(random, length) {
  const hands = ['asdfasdfwerqzxcv', 'jkljklhuiopnm'];
  let text = '';
  while (text.length < length) text += textOf(random, random.pick(hands), random.between(1, 4));
  return text.slice(0, length);
}

const openSyllable = (random) => random.pick(consonants) + random.pick(vowels);
const closedSyllable = (random) => openSyllable(random) + (random.chance(0.4) ? random.pick(consonants) : '');

/** Several typos in one name: letters dropped, inserted, swapped or replaced. */
function typos(random, text) {
  const letters = [...text];
  for (let slips = random.between(3, 5); slips > 0; slips--) {
    const at = random.below(letters.length - 1);
    const slip = letters.length < 6 ? random.between(1, 3) : random.below(4);
    if (slip === 0) letters.splice(at, 1);
    else if (slip === 1) letters.splice(at, 0, random.pick(lower));
    else if (slip === 2) letters.splice(at, 2, letters[at + 1], letters[at]);
    else letters[at] = random.pick(consonants);
  }
  return letters.join('');
}

const placeholderWords =
  `test testing tester asdf qwerty foo bar baz foobar abc xxx aaa temp tmp fake nobody none null spam trash junk
  dummy sample qwe zxc asd blah noemail nomail xyz abcd abcdef user demo lorem ipsum asdasd qweqwe`
    .trim()
    .split(/\s+/);

function placeholder(random) {
  const { pick, between } = random;
  const tails = [
    '',
    '',
    pick(placeholderWords),
    String(between(1, 99999)),
    `_${between(1, 999)}`,
    '123',
    '1234',
    '123456',
  ];
  return pick(placeholderWords) + pick(tails);
}

function heldKey(random) {
  const unit = random.chance(0.5) ? random.pick(lower) : textOf(random, lower, 2);
  return unit.repeat(9).slice(0, random.between(5, 12));
}

/** Repeated or ascending digits, perhaps after two neighboring keys. */
function idleDigits(random) {
  const { pick, between, chance } = random;
  const row = '01234567890';
  const length = between(4, 9);
  const start = between(0, row.length - length);
  const up = row.slice(start, start + length);
  const forms = [
    () => String(between(0, 9)).repeat(between(3, 10)),
    () => up,
    () => [...up].reverse().join(''),
    () => String(between(10, 99)).repeat(between(2, 5)),
    () => [...textOf(random, digits, between(2, 4))].map((digit) => digit + digit).join(''),
  ];
  const keys = chance(0.3) ? run(random).slice(0, between(2, 3)) : '';
  return (chance(0.5) ? [...keys].reverse().join('') : keys) + pick(forms)();
}

/** Cyrillic, Greek, Hebrew and Arabic: first letter and number of letters. */
const scripts = [
  [0x430, 32],
  [0x3b1, 24],
  [0x5d0, 27],
  [0x627, 28],
];

function foreignLetters(random) {
  const [first, count] = random.pick(scripts);
  return joined(random.between(6, 12), () => String.fromCharCode(first + random.below(count)));
}

const prefixes = ['user', 'bounce', 'usr', 'guest', 'acct', 'u', 'id', 'test', 'reply', 'anon'];
const gaps = ['', '-', '_', '.'];

const byEnglishFrequency =
  'eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnssssssrrrrrrhhhhhhllllddddccccuuummmffpppgggwwyybbvk';

const templates = 'cv cvc vc v ccv cvv cvcc'.split(' ');

function syllables(random) {
  const text = joined(random.between(2, 4), () => random.pick(templates));
  return text.replaceAll(/[cv]/g, (kind) => random.pick(kind === 'c' ? consonants : vowels)).slice(0, 14);
}

/** The letters of a name plus two, shuffled: typical letters in an atypical order. */
function shuffledLetters(random, name) {
  const letters = shuffled(random, name + random.pick(['a', 'e', 'i', 'n', 'r', 's']) + random.pick(consonants));
  return letters.slice(0, random.between(6, 11)).join('');
}

/** Groups of digits, hexadecimal and letters, as in serial numbers. */
function serialNumber(random) {
  const separator = random.pick(['-', '-', '.', '_', '']);
  const kinds = [digits, digits, hexadecimal, lower];
  const group = () => textOf(random, random.pick(kinds), random.between(1, separator === '' ? 4 : 8));
  const groups = Array.from({ length: random.between(3, 6) }, group);
  const prefix = random.chance(0.3) ? [random.pick(prefixes)] : [];
  return [...prefix, ...groups].join(separator);
}

/** Length limits of random text. Most is short, because short text resembles names. */
const maxLengths = [8, 10, 12, 20];

/** Kind → (random, name) → local part; pronounceable ones are in pronounceable-kinds.mjs. */
export const basicKinds = {
  'random letters': (random) => textOf(random, lower, random.between(5, random.pick(maxLengths))),
  'random letters and digits': (random) => textOf(random, alphanumeric, random.between(5, random.pick(maxLengths))),
  hex: (random) => hash(random, random.pick([6, 8, 10, 12, 16, 20, 24, 32, 40])),
  'uuid pieces': (random) =>
    [8, 4, 4, 4, 12]
      .slice(0, random.between(2, 5))
      .map((length) => hash(random, length))
      .join('-'),
  'base64-like': (random) => textOf(random, alphanumeric + lower.toUpperCase(), random.between(8, 22)),
  'keyboard walk': (random) => walk(random, random.between(5, 12)) + random.pick(['', '', random.between(1, 9999)]),
  'keyboard run': run,
  'keyboard mash': (random) => mash(random, random.between(5, 14)),
  'pronounceable random': (random) => joined(random.between(3, 6), () => openSyllable(random)),
  'closed syllables': (random) => joined(random.between(2, 5), () => closedSyllable(random)),
  'syllables of all kinds': syllables,
  'letters by English frequency': (random) => textOf(random, byEnglishFrequency, random.between(6, 13)),
  'letters of a name': shuffledLetters,
  'base32 identifier': (random) => textOf(random, `${lower}234567`, random.pick([8, 10, 13, 16, 26])),
  'alternating letters and digits': (random) =>
    joined(random.between(3, 7), () => random.pick(lower) + random.pick(digits)),
  'two hashes joined': (random) => `${hash(random, 6)}.${hash(random, 6)}`,
  'syllables in groups': (random) =>
    Array.from({ length: random.between(2, 3) }, () => syllables(random).slice(0, random.between(3, 6))).join(
      random.pick('.-_'),
    ),
  'groups of letters and digits': (random) =>
    Array.from({ length: random.between(2, 5) }, () => textOf(random, alphanumeric, random.between(3, 6))).join(
      random.pick('.-_'),
    ),
  'groups of digits, hexadecimal and letters': serialNumber,
  'shuffled name': (random, name) => shuffled(random, name).join(''),
  'name with typos': typos,
  'random consonants': (random) => textOf(random, consonants, random.between(4, 10)),
  'name with a random tail': (random, name) =>
    name.slice(0, random.between(2, 5)) + textOf(random, alphanumeric, random.between(6, 10)),
  'prefix with a hash': (random) => random.pick(prefixes) + random.pick(gaps) + hash(random, random.between(6, 16)),
  'placeholder words': placeholder,
  'one key held': heldKey,
  'random words': (random) =>
    textOf(random, lower, random.between(3, 7)) + random.pick('._-') + textOf(random, lower, random.between(3, 8)),
  'random with a number': (random) => textOf(random, lower, random.between(5, 9)) + random.between(10, 99999),
  'random digits': (random) => textOf(random, digits, random.between(4, 20)),
  'idle digits': idleDigits,
  'letters in foreign scripts': foreignLetters,
};

/** Kinds that resemble names, or that have many forms: they get a double share. */
export const doubledBasicKinds = [
  'random letters',
  'random letters and digits',
  'one key held',
  'idle digits',
  'keyboard run',
  'groups of digits, hexadecimal and letters',
  'pronounceable random',
  'closed syllables',
  'syllables of all kinds',
  'syllables in groups',
  'letters by English frequency',
  'letters of a name',
  'shuffled name',
  'name with typos',
];
