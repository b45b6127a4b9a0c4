// Text from sign-up robots, testers, disposable mail, alias services and random typing. An earlier model was tested on them, independently.
import { base36, digits, hexadecimal, joined, lower, textOf } from './random-text.mjs';

const consonants = 'bcdfghjklmnpqrstvwxz';
const vowels = 'aeiou';

const pickOne = (random, ...makers) => random.pick(makers)();
const seconds = (random) => random.between(1_420_070_400, 1_795_000_000);
const milliseconds = (random) => seconds(random) * 1000 + random.below(1000);
const calendar = (random, length) =>
  new Date(milliseconds(random))
    .toISOString()
    .replaceAll(/[^0-9]/g, '')
    .slice(0, length);
const words = (text) => text.trim().split(/\s+/);

/** Random text of fixed alphabets. */
const plain = {
  'five or six letters': (random) => textOf(random, lower, random.pick([5, 6, 6, 6])),
  'eight letters': (random) => textOf(random, lower, 8),
  'nine to twelve letters': (random) => textOf(random, lower, random.pick([9, 10, 10, 10, 12])),
  'fourteen to twenty letters': (random) => textOf(random, lower, random.between(14, 20)),
  'base 36, six or seven': (random) => textOf(random, base36, random.between(6, 7)),
  'base 36, eight to ten': (random) => textOf(random, base36, random.between(8, 10)),
  'base 36, twelve to sixteen': (random) => textOf(random, base36, random.pick([12, 12, 16])),
  'no signs that look alike': (random) => textOf(random, 'abcdefghjkmnpqrstuvwxyz23456789', random.between(8, 12)),
  'hexadecimal, eight to sixteen': (random) => textOf(random, hexadecimal, random.pick([7, 8, 10, 12, 16, 20])),
  'a letter first': (random) => random.pick(lower) + textOf(random, base36, random.between(7, 13)),
  'a heap of consonants': (random) => textOf(random, consonants, random.between(6, 12)),
  'letters and two to four digits': (random) =>
    textOf(random, lower, random.between(5, 10)) + textOf(random, digits, random.between(2, 4)),
  'letters and digits, one or two each': (random) =>
    joined(
      random.between(3, 6),
      () => textOf(random, lower, random.between(1, 2)) + textOf(random, digits, random.between(1, 2)),
    ),
  'two groups of letters': (random) =>
    textOf(random, lower, random.between(3, 6)) +
    random.pick('_.-') +
    textOf(random, lower, random.between(3, 6)) +
    textOf(random, digits, random.pick([0, 2, 3])),
};

const testPrefixes = words(
  'test test_ user user_ qa auto tester demo e2e_ email signup new cypress selenium playwright- t acc',
);
const probePrefixes = words(
  'test- catchall- catch-all-test- noexist nonexistent- doesnotexist verify- check- probe- random- invalid- nosuchuser zz xyzzy',
);
const accountPrefixes = words(
  'temp disposable throwaway quick random secure anon guest user player client account customer member',
);
const commonNouns = words(
  `apple arrow badge bamboo basket beacon bridge cabin cactus candle carbon castle cedar cherry circle clover coffee comet copper coral
  crystal desert dolphin dragon eagle ember falcon feather forest frost galaxy garden ginger granite harbor honey island jasmine kettle
  lemon lunar maple marble meadow mirror moon night ocean olive orbit panda paper pepper piano planet quartz rabbit raven river robot
  shadow silver spark spring stone storm summer tiger tulip valley velvet whale window winter wolf zebra shop mail news amazon paypal`,
);

/** Words with a time, a number or random text. */
const wordsWithText = {
  'a tester and a time': (random) =>
    random.pick(testPrefixes) +
    pickOne(
      random,
      () => seconds(random),
      () => milliseconds(random),
      () => calendar(random, 14),
      () => String(seconds(random)).slice(-6),
    ),
  'a time alone': (random) =>
    pickOne(
      random,
      () => String(milliseconds(random)),
      () => calendar(random, random.pick([14, 17])),
    ),
  'a time in base 36 and text': (random) =>
    random.pick(['u', 'fake', 'user', 'm', '', 'tmp']) +
    milliseconds(random).toString(36) +
    textOf(random, base36, random.pick([0, 4, 6])),
  'a probe of a catch-all': (random) =>
    random.pick(probePrefixes) +
    pickOne(
      random,
      () => textOf(random, base36, random.between(6, 11)),
      () => textOf(random, hexadecimal, random.pick([6, 8, 10, 12])),
      () => random.between(100_000, 9_999_999_999),
    ),
  'a prefix and text': (random) =>
    random.pick([
      ...accountPrefixes,
      'test',
      'admin',
      'kek',
      'qa',
      'demo',
      'acc',
      'bot-',
      'agent-',
      'u-',
      'id-',
      '0x_',
    ]) +
    random.pick(['', '', '_', '-']) +
    pickOne(
      random,
      () => textOf(random, base36, random.between(5, 10)),
      () => textOf(random, hexadecimal, random.pick([6, 8, 12])),
      () => textOf(random, lower, random.pick([5, 10])),
      () => random.between(1000, 999_999),
    ),
  'a word and a tail': (random) =>
    random.pick(commonNouns) +
    pickOne(
      random,
      () => random.pick('._-') + textOf(random, base36, random.between(5, 7)),
      () => textOf(random, base36, random.between(5, 6)),
      () =>
        `${random.pick('._-')}${random.pick(commonNouns)}${random.pick('._-')}${textOf(random, lower, random.between(4, 5))}`,
      () => `${random.pick('._')}${random.pick(commonNouns)}.0${random.pick(base36)}`,
      () => `-${textOf(random, hexadecimal, random.pick([4, 6, 8]))}`,
    ),
  'ids of sessions and bounces': (random) =>
    pickOne(
      random,
      () =>
        `${random.pick(words('bounce- b- reply- r- ret-'))}${textOf(random, digits, random.between(5, 9))}-${textOf(random, hexadecimal, 8)}`,
      () => `${textOf(random, base36, 5)}-${textOf(random, digits, 10)}`,
      () =>
        random.pick(words('sess sid tok req job msg notify m e')) +
        random.pick(['_', '-', '.', '']) +
        textOf(random, base36, random.pick([10, 12, 16])),
    ),
  'ids of messages': (random) =>
    pickOne(
      random,
      () => `${textOf(random, hexadecimal, 8)}.${textOf(random, digits, 7)}`,
      () => `${calendar(random, 14)}.${random.pick('abg')}${random.pick('abcdef')}${textOf(random, digits, 4)}`,
      () => `${calendar(random, 12)}.${textOf(random, digits, 5)}`,
      () => `${textOf(random, base36, random.between(9, 12))}.fsf`,
    ),
};

const rows = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** Key → its neighbors in the same row, above and below. */
const neighborsOf = Object.fromEntries(
  rows.flatMap((row, y) =>
    [...row].map((key, x) => [
      key,
      rows
        .slice(Math.max(0, y - 1), y + 2)
        .join('')
        .split('')
        .filter(
          (other) => other !== key && rows.some((one) => Math.abs(one.indexOf(other) - x) <= 1 && one.includes(other)),
        ),
    ]),
  ),
);

const typing = {
  'a walk over keys': (random) => {
    let text = random.pick(lower);
    for (let left = random.between(5, 10); left > 0; left--) text += random.pick(neighborsOf[text.at(-1)]);
    return text;
  },
  'a run of keys': (random) => {
    const row = random.pick(rows.slice(1));
    const length = random.between(4, row.length);
    const keys = [...row.slice(random.below(row.length - length + 1)).slice(0, length)];
    const text = (random.chance(0.35) ? keys.reverse() : keys).join('');
    return pickOne(
      random,
      () => text,
      () => text.slice(0, 4).repeat(2),
      () => text.slice(0, 3).repeat(random.between(2, 3)),
      () => text + random.pick(words('1 12 123 1234 321 11 00 666')),
    );
  },
  'fists on the home row': (random) => {
    const text = textOf(random, `${'asdfjkl'.repeat(4)}ghqweruiopzxcvbnmty`, random.between(6, 13));
    return random.chance(0.4) ? text.slice(0, 3).repeat(2) + text.slice(3, 6) : text;
  },
  'both hands alternating': (random) => {
    const pair = () => random.pick('qwertasdfgzxcvb') + random.pick('yuiophjklnm');
    return random.chance(0.5) ? pair().repeat(random.between(3, 5)) : joined(random.between(4, 6), pair);
  },
  'a pattern again': (random) => textOf(random, lower, random.between(1, 3)).repeat(6).slice(0, random.between(5, 10)),
  'doubled letters': (random) => joined(random.between(3, 5), () => random.pick(lower).repeat(2)),
};

const onsets = words(
  'b bl br c ch cl cr d dr f fl fr g gl gr h j k kl kr l m n p pl pr qu r s sc sh sk sl sm sn sp st t th tr v w wh x y z',
);
const nuclei = words('a e i o u ai ea ee ie oa oo ou ia eu');
const codas = words('b ck d ft g k ld lm lp m mp n nd ng nk nt p r rd rk rn rt s sh sk sp st t th x z');

const pronounceable = {
  'consonants and vowels in turn, seven to eleven': (random) => {
    const first = random.below(2);
    return joined(random.between(7, 11), (at) => random.pick((at + first) % 2 === 0 ? 'bcdfghjklmnprstvwxz' : vowels));
  },
  'three or four heavy syllables': (random) =>
    joined(
      random.between(3, 4),
      () => random.pick(onsets) + random.pick(nuclei) + (random.chance(0.9) ? random.pick(codas) : ''),
    ).slice(0, 14),
};

const scattered = {
  'a name with scattered dots': (random, name) => {
    const share = random.between(35, 65) / 100;
    return [...name].map((letter, at) => (at > 0 && random.chance(share) ? '.' : '') + letter).join('');
  },
};

/** Family → kind → (random, name) → local part. */
export const signUpKinds = {
  'sign-ups: random text': plain,
  'sign-ups: words with text': wordsWithText,
  'sign-ups: typing': typing,
  'sign-ups: pronounceable': pronounceable,
  'sign-ups: scattered names': scattered,
};
