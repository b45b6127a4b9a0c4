// Generators with random parameters. Each family is one idea; each generator in it samples an alphabet, lengths, separators and an order
// once. There are many of each, so that an unseen generator resembles some of them.
import { ownVocabularies } from '../corpora/own-words.mjs';
import { alteredNameGenerator } from './altered-names.mjs';
import { keyboardGenerator } from './keyboards.mjs';
import { numberGenerator, timeGenerator } from './numbers-and-times.mjs';
import { prefixes } from './prefixes.mjs';
import { digits, joined, lower, randomTextGenerator, textOf } from './random-text.mjs';
import { repetitionGenerator } from './repeated-text.mjs';
import { scatteredSeparatorGenerator } from './scattered-separators.mjs';
import {
  aliasGenerator,
  longNumberGenerator,
  numberedUserGenerator,
  shortGroupsGenerator,
  shortTailGenerator,
  shortTextGenerator,
  syllableGenerator,
} from './tails-and-tokens.mjs';

const generatorsPerFamily = 250;
const consonants = 'bcdfghjklmnpqrstvwxyz';
const vowels = 'aeiou';
const optionalSeparators = ['', '', '', '.', '-', '_'];
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

/** Family → (random) → generator, which is (rng, name) → local part. `common` are frequent names. */
function generatorFamilies({ names, common, words }) {
  const { english, ...others } = words;
  const wordSource = (random) => {
    const list = random.pick([
      english,
      english,
      english,
      random.pick(Object.values(others)),
      random.pick(ownVocabularies),
    ]);
    return (rng) => {
      const word = rng.pick(list);
      return /^[a-z]{3,8}$/.test(word) ? word : rng.pick(prefixes);
    };
  };
  return {
    'sampled: random text': randomTextGenerator,
    'sampled: patterns': patternGenerator,
    'sampled: text in groups': groupGenerator,
    'sampled: prefixes with a number or text': prefixGenerator,
    'sampled: names with text': (random) => nameWithTextGenerator(random, wordSource(random)),
    'sampled: embedded addresses': embeddedAddressGenerator,
    'sampled: several words': (random) => wordsGenerator(random, wordSource(random)),
    'sampled: altered names': alteredNameGenerator,
    'sampled: keyboards': keyboardGenerator,
    'sampled: scattered separators': (random) => scatteredSeparatorGenerator(random, names),
    'sampled: timestamps': (random) => timestampGenerator(random, wordSource(random)),
    'sampled: repetitions': repetitionGenerator,
    'sampled: names with a long number': (random) => longNumberGenerator(random, wordSource(random), common),
    'sampled: names with a tail': (random) => shortTailGenerator(random, common),
    'sampled: numbered users': numberedUserGenerator,
    'sampled: aliases': (random) => aliasGenerator(random, wordSource(random)),
    'sampled: syllables with a number': syllableGenerator,
    'sampled: short text': shortTextGenerator,
    'sampled: short groups': shortGroupsGenerator,
  };
}

/** Family → (rng, name) → local part. Each call uses another generator of the family. */
export function sampledKinds(random, corpora) {
  return Object.fromEntries(
    Object.entries(generatorFamilies(corpora)).map(([family, draw]) => {
      const generators = Array.from({ length: generatorsPerFamily }, () => draw(random));
      return [family, (rng, name) => rng.pick(generators)(rng, name)];
    }),
  );
}

/** A fixed pattern of letters, digits, consonants and vowels: `aa99aa`, `cvc999`. */
function patternGenerator(random) {
  const kinds = random.pick(['a9', 'a9', 'a9', 'cv9', 'ca9', 'ac9v']);
  const mixed = Array.from({ length: random.between(5, 12) }, () => random.pick(kinds)).join('');
  const pattern = random.chance(0.4) ? runsOf(random, kinds) : mixed;
  const alphabets = { a: lower, 9: digits, c: consonants, v: vowels };
  return (rng) => pattern.replaceAll(/[a9cv]/g, (kind) => rng.pick(alphabets[kind]));
}

/** A pattern in which each kind repeats. */
function runsOf(random, kinds) {
  const text = joined(random.between(2, 4), () => random.pick(kinds).repeat(random.between(1, 4)));
  return text.length < 5 ? runsOf(random, kinds) : text;
}

function groupGenerator(random) {
  const separator = random.pick('.-_');
  const groups = Array.from({ length: random.between(2, 5) }, () => randomTextGenerator(random, 2, 8));
  return (rng) => groups.map((group) => group(rng)).join(separator);
}

/** One or two prefixes with text or a number before or after. */
function prefixGenerator(random) {
  const words = Array.from({ length: random.pick([1, 1, 2]) }, () => random.pick(prefixes));
  const tails = Array.from({ length: random.pick([1, 1, 2]) }, () =>
    random.chance(0.5) ? randomTextGenerator(random, 4, 12) : numberGenerator(random),
  );
  const separator = random.pick(optionalSeparators);
  const inner = random.pick(optionalSeparators);
  const first = random.chance(0.15);
  return (rng) => {
    const text = tails.map((tail) => tail(rng)).join(inner);
    const head = words.join(inner);
    return first ? text + separator + head : head + separator + text;
  };
}

/** A time, alone or after a word, a prefix or a name, perhaps followed by random text. */
function timestampGenerator(random, word) {
  const time = timeGenerator(random);
  const head = random.pick([random.pick(prefixes), random.pick(prefixes), word, (_rng, name) => name, '']);
  const separator = head === '' ? '' : random.pick(optionalSeparators);
  const tail = random.chance(0.25) ? randomTextGenerator(random, 3, 8) : () => '';
  return (rng, name) => {
    const stamp = separator + time(rng) + tail(rng);
    return typeof head === 'string' ? head + stamp : head(rng, name) + stamp;
  };
}

/** A person's name, a word or both, with random text before, after or inside. */
function nameWithTextGenerator(random, word) {
  const noise = random.chance(0.8) ? randomTextGenerator(random, 4, 9, true) : randomTextGenerator(random, 3, 4, true);
  const separator = random.pick(optionalSeparators);
  const inner = random.pick(optionalSeparators);
  const isBefore = random.chance(0.2);
  const isInside = random.chance(0.12);
  const cut = random.chance(0.3) ? random.between(2, 6) : 20;
  const stem = random.pick([
    (_rng, name) => name,
    (_rng, name) => name,
    (rng) => word(rng),
    (rng, name) => name + inner + word(rng),
    (rng, name) => rng.pick(lower) + inner + name,
  ]);
  return (rng, name) => {
    const head = stem(rng, name).slice(0, cut);
    const text = noise(rng);
    if (isInside && head.length >= 4) {
      const at = rng.between(2, head.length - 2);
      return head.slice(0, at) + separator + text + separator + head.slice(at);
    }
    return isBefore ? text + separator + head : head + separator + text;
  };
}

/** A bounce: words, ids and the address that it refers to. */
function embeddedAddressGenerator(random) {
  const sign = random.pick(['=', '=', '=', '=', '-at-', '_at_', '.at.', '--']);
  const separator = random.pick(['-', '-', '.', '=', '_']);
  const host = random.pick([(_, name) => name, (rng) => textOf(rng, lower, 6), (rng) => rng.pick(prefixes)]);
  const dotted = random.chance(0.7);
  const parts = Array.from({ length: random.between(0, 3) }, () =>
    random.pick([
      () => random.pick(prefixes),
      () => randomTextGenerator(random, 3, 10),
      () => numberGenerator(random),
    ])(),
  );
  const last = random.chance(0.85);
  return (rng, name) => {
    const address = `${name}${sign}${host(rng, name)}${dotted ? `.${rng.pick(endings)}` : ''}`;
    const texts = parts.map((part) => (typeof part === 'string' ? part : part(rng)));
    return (last ? [...texts, address] : [address, ...texts]).join(separator);
  };
}

/** Three or more words, or two with a random tail. */
function wordsGenerator(random, word) {
  const separator = random.pick('.-_');
  if (random.chance(0.5)) {
    const count = random.between(3, 4);
    return (rng) => Array.from({ length: count }, () => word(rng)).join(separator);
  }
  const tail = random.chance(0.5) ? randomTextGenerator(random, 2, 5, true) : (rng) => textOf(rng, digits, 4);
  const other = random.pick('.-_');
  return (rng) => word(rng) + separator + word(rng) + other + tail(rng);
}
