// Generators found in public code, random typing and aliases. An earlier model was tested on them.
//   robots    scripts that fill in registration forms; the repository is named with the kind
//   typing    people who type at random instead of giving an address; key frequencies are those of one recorded sample
//   aliases   a person's name with generated text, and bounces
// All have five characters or more. Names from lists, with or without a number, and counters are left out: people choose the same.
import { base36, digits, hexadecimal, joined, lower, textOf } from './random-text.mjs';

const consonants = 'bcdfghjklmnprstvwyz';
const domain = (random, name) => `${name}.${random.pick(['com', 'de', 'org', 'fr', 'co.uk', 'com.br', 'net'])}`;
const milliseconds = (random) => random.between(1_500_000_000, 1_790_000_000) * 1000 + random.below(1000);

/** Random letters and digits, which other kinds generate too. */
const randomTextRobots = {
  'five letters (ITA_Auto)': (random) => textOf(random, lower, 5),
  'five letters and digits (TrainingAutomationLinux)': (random) => textOf(random, base36, 5),
  'seven letters (AQA_Selenium)': (random) => textOf(random, lower, 7),
  'eight letters (conduit)': (random) => textOf(random, lower, 8),
  'eight letters and digits (jegoferz/instagram)': (random) => textOf(random, base36, 8),
  'ten letters (cypress-web-ui-automation-project)': (random) => textOf(random, lower, 10),
  'ten letters and digits (pytemp-mail)': (random) => textOf(random, base36, 10),
  'sixteen letters and digits (airmail)': (random) => textOf(random, base36, 16),
};

const otherRobots = {
  'six letters, four digits (Random-Gamil-Python)': (random) => textOf(random, lower, 6) + random.between(1000, 9999),
  'user and six characters (jegoferz/instagram)': (random) => `user${textOf(random, base36, 6)}`,
  'base 36 twice and a number (GitStart_Assessment)': (random) =>
    `${textOf(random, base36, 6)}.${textOf(random, base36, 6)}.${random.below(10_000)}`,
  'testuser, number, time (AutomationExercise)': (random) => `testuser${random.below(1000)}_${milliseconds(random)}`,
};

/** Alternating consonants and vowels, one in eight doubled, sometimes with a number. */
function alternatingWithDoubles(random) {
  const text = alternating(random, random.between(6, 9), 'bcdfghjklmnpqrstvwxyz');
  const name = [...text].map((letter) => (random.chance(1 / 8) ? letter + letter : letter)).join('');
  return random.chance(0.2) ? name + random.between(1, 999) : name;
}

function alternating(random, length, sounds) {
  const first = random.below(2);
  return Array.from({ length }, (_, at) => random.pick((at + first) % 2 === 0 ? sounds : 'aeiou')).join('');
}

const clusters = 'b c d f g h j k l m n p qu r s t v w x z ch cr fr nd ng nk nt ph pr rd sh sl sp st th tr'.split(' ');

const pronounceableRobots = {
  'consonant and vowel, three times (interval)': (random) =>
    joined(3, () => random.pick(consonants) + random.pick('aeiou')),
  'alternating, some doubled (Username-Generator)': alternatingWithDoubles,
  'clusters and vowels, four times (lifehelpr)': (random) =>
    joined(4, () => random.pick(clusters) + random.pick('aeiouy')),
  'alternating, five to ten (Kaidan)': (random) => alternating(random, random.between(5, 10), 'bcdfghjklmnprstvwxz'),
};

/** Keys of each hand and lengths of bursts, as often as in the recorded sample. */
const leftKeys = 'qqwwwwweeeeeeerrtaaaaaaaassssssdddddddffffffffgzxccvvb';
const rightKeys = 'yuiiiiioooooopphhjjjjjjjjjkkkkkkkkkllllllllnnnnmm';
const burstLengths = [1, 1, 1, 1, 1, 2, 2, 2, 3];

function mash(random) {
  const hands = random.chance(0.5) ? [leftKeys, rightKeys] : [rightKeys, leftKeys];
  const bursts = Array.from({ length: 12 }, (_, at) => textOf(random, hands[at % 2], random.pick(burstLengths)));
  return bursts.join('').slice(0, random.between(6, 12));
}

const keyRows = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** Three or four neighboring keys, repeated: `dfgdfg`, `lkjlkjlk`. */
function repeatKeys(random) {
  const row = random.pick(keyRows.slice(1));
  const keys = random.between(3, 4);
  const start = random.below(row.length - keys + 1);
  const unit = [...row.slice(start, start + keys)];
  if (random.chance(0.5)) unit.reverse();
  return unit
    .join('')
    .repeat(4)
    .slice(0, random.between(2 * keys, 4 * keys));
}

/** Two rows of keys alternating: `1q2w3e4r`, `qawsedrf`. */
function zigzag(random) {
  const upper = random.below(3);
  const length = random.between(3, 5);
  const start = random.below(7 - length + 1);
  return Array.from({ length }, (_, at) => keyRows[upper][start + at] + keyRows[upper + 1][start + at]).join('');
}

const typing = {
  'both hands in bursts': mash,
  'one hand on its row': (random) => textOf(random, random.pick(['asdfg', 'hjkl']), random.between(6, 10)),
  'a few keys repeated': repeatKeys,
  'two alternating rows': zigzag,
};

const aliases = {
  'name, dot, five characters (alias services)': (random, name) => `${name}.${textOf(random, base36, 5)}`,
  'name and six characters (alias scripts)': (random, name) => name + textOf(random, base36, 6),
  "bounces of Debian's lists": (random, name) =>
    `bounce-debian-${random.pick(['user', 'devel', 'announce', 'security'])}=${name}=${domain(random, name)}`,
  'bounces of Mandrill': (random) =>
    `bounce-md_${textOf(random, digits, 8)}.${textOf(random, hexadecimal, 8)}.v1-${textOf(random, hexadecimal, 32)}`,
};

/** Kind → (random, name) → local part in lower case. */
export const publishedGenerators = {
  ...randomTextRobots,
  ...otherRobots,
  ...pronounceableRobots,
  ...typing,
  ...aliases,
};
