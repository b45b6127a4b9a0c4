// Text after a plus: people write a word, a site, a date or a short number; programs a token, a time or an address.
import { ownVocabularies } from '../corpora/own-words.mjs';
import { prefixes } from '../machines/prefixes.mjs';
import { digits, hexadecimal, joined, randomTextGenerator, textOf } from '../machines/random-text.mjs';
import { services } from '../machines/tails-and-tokens.mjs';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const domainEndings = 'com com com de org net io co.uk fr it es nl pl eu dev app me tv com.br'.split(' ');
const commonTags =
  'test test1 tests spam junk temp tmp foo bar baz abc xyz x y z a b new old me my us home work dev qa demo alt backup hi ok'.split(
    ' ',
  );
const optionalSeparators = ['', '', '-', '_', '.', '.'];
const generatorCount = 400;

/** Tags as samples { text, label }, `count` of each label. Account names serve as tags too. */
export function tagSamples(random, { accounts, names, words }, count) {
  const vocabularies = [...Object.values(words), ...ownVocabularies];
  const word = () => random.pick(random.pick(vocabularies));
  const generators = Array.from({ length: generatorCount }, () => tokenGenerator(random));
  const samplesOf = (label, make) => Array.from({ length: count }, () => ({ text: make(), label }));
  return [
    ...samplesOf(1, () => ordinaryTag(random, word, () => random.pick(accounts).account)),
    ...samplesOf(0, () => random.pick(generators)(random, random.pick(names)).toLowerCase()),
  ];
}

/** A word, perhaps with a number or a date, or two words with a dot in place of a second plus. */
function ordinaryTag(random, word, account) {
  const { pick, between } = random;
  const two = (least, most) => String(between(least, most)).padStart(2, '0');
  const year = String(between(1995, 2030));
  const day = () =>
    pick([year + two(1, 12) + two(1, 31), [year, two(1, 12), two(1, 31)].join(pick('-_.')), year + two(1, 12)]);
  const number = () =>
    pick([between(1, 9), between(1, 99), between(1, 999), between(1, 9999), between(1, 999_999), year, year]);
  const one = () =>
    pick([
      () => pick(services),
      () => pick(services),
      () => pick(commonTags),
      word,
      word,
      account,
      account,
      () => `${pick([pick(services), word(), account()])}.${pick(domainEndings)}`,
      () => word().slice(0, between(1, 4)),
      // `o2`, `b2b`, `mp3`.
      () => pick(letters) + pick(['', pick(letters)]) + between(1, 9) + pick(['', pick(letters)]),
    ])();
  return pick([
    one,
    one,
    one,
    () => one() + pick(optionalSeparators) + number(),
    () => one() + pick(optionalSeparators) + one(),
    () => String(number()),
    day,
    day,
    () => one() + pick(['-', '_', '.', '']) + day(),
    () => `${number()}${pick(optionalSeparators)}${one()}`,
  ])();
}

function tokenGenerator(random) {
  const separator = random.pick(['-', '-', '.', '_', '=']);
  const id = () =>
    random.pick([
      () => randomTextGenerator(random, 6, random.pick([8, 10, 12, 16, 24, 32]), true),
      () => (rng) => textOf(rng, hexadecimal, 8 * random.pick([1, 1, 2, 4, 5])),
      () => longNumber(random),
      () => time(random),
    ])();
  const [first, second] = [id(), id()];
  const short = randomTextGenerator(random, 4, 8);
  const head = random.pick(prefixes);
  return random.pick([
    () => first,
    () => first,
    () => (rng) => first(rng) + separator + second(rng),
    () => (rng) => first(rng) + separator + short(rng),
    () => (rng) => head + separator + first(rng),
    () => (rng) => `${head}${separator}${rng.between(1, 99_999)}${separator}${first(rng)}`,
    () => (rng, name) => embeddedAddress(rng, name),
    () => (rng, name) => first(rng) + separator + embeddedAddress(rng, name),
    () => (rng) => [8, 4, 4, 4, 12].map((length) => textOf(rng, hexadecimal, length)).join('-'),
    () => (rng) => `ip-${Array.from({ length: 4 }, () => rng.below(256)).join('-')}`,
  ])();
}

/** Unix time in seconds or milliseconds. Dates are left out, because people write them too. */
function time(random) {
  const extraDigits = random.pick([0, 3, 3]);
  return (rng) => rng.between(1_300_000_000, 1_900_000_000) + textOf(rng, digits, extraDigits);
}

function longNumber(random) {
  const length = random.between(7, 14);
  return (rng) => rng.between(1, 9) + joined(length - 1, () => rng.pick(digits));
}

function embeddedAddress(random, name) {
  return `${name}${random.chance(0.3) ? random.between(1, 99) : ''}=${random.pick(services)}.${random.pick(domainEndings)}`;
}
