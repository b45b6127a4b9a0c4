// What stands behind a plus: people write a word, a site, a day or a short number there, programs a token, a time or another address.
import { otherVocabularies, wordCorpora } from '../corpora/corpora.mjs';
import { heads } from '../machines/prefixes.mjs';
import { joined, noiseProgram, textOf } from '../machines/random-text.mjs';
import { services } from '../machines/tails-and-tokens.mjs';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const hexadecimal = `${digits}abcdef`;
const endings = 'com com com de org net io co.uk fr it es nl pl eu dev app me tv com.br'.split(' ');
const usual =
  'test test1 tests spam junk temp tmp foo bar baz abc xyz x y z a b new old me my us home work dev qa demo alt backup hi ok'.split(
    ' ',
  );
const joints = ['', '', '-', '_', '.', '.'];
const programCount = 400;

/** Tags as samples, { text, label }, so many a side; `accounts` are real ones, since what people call a mailbox they call a tag. */
export function tagSamples(random, accounts, names, count) {
  const words = [...Object.values(wordCorpora()), ...otherVocabularies];
  const word = () => random.pick(random.pick(words));
  const programs = Array.from({ length: programCount }, () => tokenProgram(random));
  const side = (label, make) => Array.from({ length: count }, () => ({ text: make(), label }));
  return [
    ...side(1, () => ordinaryTag(random, word, () => random.pick(accounts).account)),
    ...side(0, () => random.pick(programs)(random, random.pick(names)).toLowerCase()),
  ];
}

/** One word or so, perhaps with a number or a day; now and then two, with a dot for the second plus. */
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
      () => pick(usual),
      word,
      word,
      account,
      account,
      () => `${pick([pick(services), word(), account()])}.${pick(endings)}`,
      () => word().slice(0, between(1, 4)),
      // `o2`, `b2b`, `mp3`.
      () => pick(letters) + pick(['', pick(letters)]) + between(1, 9) + pick(['', pick(letters)]),
    ])();
  return pick([
    one,
    one,
    one,
    () => one() + pick(joints) + number(),
    () => one() + pick(joints) + one(),
    () => String(number()),
    day,
    day,
    () => one() + pick(['-', '_', '.', '']) + day(),
    () => `${number()}${pick(joints)}${one()}`,
  ])();
}

/** (random) → (random, name) → text. */
function tokenProgram(random) {
  const joint = random.pick(['-', '-', '.', '_', '=']);
  const id = () =>
    random.pick([
      () => noiseProgram(random, 6, random.pick([8, 10, 12, 16, 24, 32]), true),
      () => (drawn) => textOf(drawn, hexadecimal, 8 * random.pick([1, 1, 2, 4, 5])),
      () => longNumber(random),
      () => time(random),
    ])();
  const [first, second] = [id(), id()];
  const short = noiseProgram(random, 4, 8);
  const head = random.pick(heads);
  return random.pick([
    () => first,
    () => first,
    () => (drawn) => first(drawn) + joint + second(drawn),
    () => (drawn) => first(drawn) + joint + short(drawn),
    () => (drawn) => head + joint + first(drawn),
    () => (drawn) => `${head}${joint}${drawn.between(1, 99_999)}${joint}${first(drawn)}`,
    () => (drawn, name) => addressed(drawn, name),
    () => (drawn, name) => first(drawn) + joint + addressed(drawn, name),
    () => (drawn) => [8, 4, 4, 4, 12].map((length) => textOf(drawn, hexadecimal, length)).join('-'),
    () => (drawn) => `ip-${Array.from({ length: 4 }, () => drawn.below(256)).join('-')}`,
  ])();
}

/** Since 1970, in seconds or less; a day alone is a person's as well. */
function time(random) {
  const finer = random.pick([0, 3, 3]);
  return (drawn) => drawn.between(1_300_000_000, 1_900_000_000) + textOf(drawn, digits, finer);
}

function longNumber(random) {
  const length = random.between(7, 14);
  return (drawn) => drawn.between(1, 9) + joined(length - 1, () => drawn.pick(digits));
}

function addressed(random, name) {
  return `${name}${random.chance(0.3) ? random.between(1, 99) : ''}=${random.pick(services)}.${random.pick(endings)}`;
}
