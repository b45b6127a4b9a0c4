// Machine-made names of programs that are drawn by chance: each family is one idea, and each program of it has an alphabet, lengths, joints
// and an order of its own. There are many of each, so that what a new program makes lies among them.
import { otherVocabularies, wordCorpora } from '../corpora/corpora.mjs';
import { spoiledProgram } from './altered-names.mjs';
import { keyboardProgram } from './keyboards.mjs';
import { numberProgram, timeProgram } from './numbers-and-times.mjs';
import { heads } from './prefixes.mjs';
import { joined, noiseProgram, textOf } from './random-text.mjs';
import { repeatProgram } from './repeated-text.mjs';
import { strewnProgram } from './scattered-separators.mjs';
import {
  aliasProgram,
  countedProgram,
  longNumberProgram,
  shortGroupsProgram,
  shortTailProgram,
  shortTextProgram,
  syllablesProgram,
} from './tails-and-tokens.mjs';

const programsOfAFamily = 250;
const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const consonants = 'bcdfghjklmnpqrstvwxyz';
const vowels = 'aeiou';
const joints = ['', '', '', '.', '-', '_'];
const endings = [
  'com',
  'net',
  'org',
  'de',
  'fr',
  'it',
  'es',
  'nl',
  'pl',
  'co.uk',
  'com.br',
  'edu',
  'io',
  'co.jp',
  'cz',
];

/** Family → (random) → program, which is (random, name) → local part; `names` are real ones, `common` those that many have. */
function drawnFamilies(names, common) {
  const { english, ...others } = wordCorpora();
  const words = (random) => {
    const list = random.pick([
      english,
      english,
      english,
      random.pick(Object.values(others)),
      random.pick(otherVocabularies),
    ]);
    return (drawn) => {
      const word = drawn.pick(list);
      return /^[a-z]{3,8}$/.test(word) ? word : drawn.pick(heads);
    };
  };
  return {
    'drawn: random text': noiseProgram,
    'drawn: patterns': patternProgram,
    'drawn: text in groups': groupProgram,
    'drawn: heads with a number or text': headProgram,
    'drawn: names with text': (random) => mixedProgram(random, words(random)),
    'drawn: addresses within': addressProgram,
    'drawn: several words': (random) => wordsProgram(random, words(random)),
    'drawn: spoiled names': spoiledProgram,
    'drawn: keys': keyboardProgram,
    'drawn: strewn names': (random) => strewnProgram(random, names),
    'drawn: times': (random) => stampProgram(random, words(random)),
    'drawn: repeats': repeatProgram,
    'drawn: names with a long number': (random) => longNumberProgram(random, words(random), common),
    'drawn: names with a tail': (random) => shortTailProgram(random, common),
    'drawn: counted users': countedProgram,
    'drawn: aliases': (random) => aliasProgram(random, words(random)),
    'drawn: syllables with a number': syllablesProgram,
    'drawn: short text': shortTextProgram,
    'drawn: short groups': shortGroupsProgram,
  };
}

/** Family → (random, name) → local part: each time of another of its programs. */
export function drawnKinds(random, names, common) {
  return Object.fromEntries(
    Object.entries(drawnFamilies(names, common)).map(([family, draw]) => {
      const programs = Array.from({ length: programsOfAFamily }, () => draw(random));
      return [family, (drawn, name) => drawn.pick(programs)(drawn, name)];
    }),
  );
}

/** Letters, digits, consonants and vowels, each kind at its place: `aa99aa`, `cvc999`. */
function patternProgram(random) {
  const kinds = random.pick(['a9', 'a9', 'a9', 'cv9', 'ca9', 'ac9v']);
  const pattern = Array.from({ length: random.between(5, 12) }, () => random.pick(kinds)).join('');
  const stuck = random.chance(0.4) ? runsOf(random, kinds) : pattern;
  const alphabets = { a: lower, 9: digits, c: consonants, v: vowels };
  return (drawn) => stuck.replaceAll(/[a9cv]/g, (kind) => drawn.pick(alphabets[kind]));
}

/** The same, each kind several times in a row. */
function runsOf(random, kinds) {
  const text = joined(random.between(2, 4), () => random.pick(kinds).repeat(random.between(1, 4)));
  return text.length < 5 ? runsOf(random, kinds) : text;
}

function groupProgram(random) {
  const joint = random.pick('.-_');
  const groups = Array.from({ length: random.between(2, 5) }, () => noiseProgram(random, 2, 8));
  return (drawn) => groups.map((group) => group(drawn)).join(joint);
}

/** One or two words of programs, with text or a number before or behind. */
function headProgram(random) {
  const words = Array.from({ length: random.pick([1, 1, 2]) }, () => random.pick(heads));
  const tails = Array.from({ length: random.pick([1, 1, 2]) }, () =>
    random.chance(0.5) ? noiseProgram(random, 4, 12) : numberProgram(random),
  );
  const joint = random.pick(joints);
  const inner = random.pick(joints);
  const first = random.chance(0.15);
  return (drawn) => {
    const text = tails.map((tail) => tail(drawn)).join(inner);
    const head = words.join(inner);
    return first ? text + joint + head : head + joint + text;
  };
}

/** A time, alone or behind a word, a word of programs or a name, and perhaps random text behind it. */
function stampProgram(random, word) {
  const time = timeProgram(random);
  const head = random.pick([random.pick(heads), random.pick(heads), word, (_drawn, name) => name, '']);
  const joint = head === '' ? '' : random.pick(joints);
  const tail = random.chance(0.25) ? noiseProgram(random, 3, 8) : () => '';
  return (drawn, name) => {
    const stamp = joint + time(drawn) + tail(drawn);
    return typeof head === 'string' ? head + stamp : head(drawn, name) + stamp;
  };
}

/** A person's name, a word or both, with random text before, behind or within. */
function mixedProgram(random, word) {
  const noise = random.chance(0.8) ? noiseProgram(random, 4, 9, true) : noiseProgram(random, 3, 4, true);
  const joint = random.pick(joints);
  const inner = random.pick(joints);
  const before = random.chance(0.2);
  const within = random.chance(0.12);
  const cut = random.chance(0.3) ? random.between(2, 6) : 20;
  const stem = random.pick([
    (_drawn, name) => name,
    (_drawn, name) => name,
    (drawn) => word(drawn),
    (drawn, name) => name + inner + word(drawn),
    (drawn, name) => drawn.pick(lower) + inner + name,
  ]);
  return (drawn, name) => {
    const head = stem(drawn, name).slice(0, cut);
    const text = noise(drawn);
    if (within && head.length >= 4) {
      const at = drawn.between(2, head.length - 2);
      return head.slice(0, at) + joint + text + joint + head.slice(at);
    }
    return before ? text + joint + head : head + joint + text;
  };
}

/** A bounce: words, ids and the address that it is about. */
function addressProgram(random) {
  const sign = random.pick(['=', '=', '=', '=', '-at-', '_at_', '.at.', '--']);
  const joint = random.pick(['-', '-', '.', '=', '_']);
  const host = random.pick([(_, name) => name, (drawn) => textOf(drawn, lower, 6), (drawn) => drawn.pick(heads)]);
  const dotted = random.chance(0.7);
  const parts = Array.from({ length: random.between(0, 3) }, () =>
    random.pick([() => random.pick(heads), () => noiseProgram(random, 3, 10), () => numberProgram(random)])(),
  );
  const last = random.chance(0.85);
  return (drawn, name) => {
    const address = `${name}${sign}${host(drawn, name)}${dotted ? `.${drawn.pick(endings)}` : ''}`;
    const told = parts.map((part) => (typeof part === 'string' ? part : part(drawn)));
    return (last ? [...told, address] : [address, ...told]).join(joint);
  };
}

/** Three words and more, or two with a tail, as services name what nobody names. */
function wordsProgram(random, word) {
  const joint = random.pick('.-_');
  if (random.chance(0.5)) {
    const count = random.between(3, 4);
    return (drawn) => Array.from({ length: count }, () => word(drawn)).join(joint);
  }
  const tail = random.chance(0.5) ? noiseProgram(random, 2, 5, true) : (drawn) => textOf(drawn, digits, 4);
  const other = random.pick('.-_');
  return (drawn) => word(drawn) + joint + word(drawn) + other + tail(drawn);
}
