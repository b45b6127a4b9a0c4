// Kinds that training does not see: the networks and the calibration are fitted to them.
import { digits, hexadecimal, joined, lower, textOf } from './random-text.mjs';

const consonants = 'bcdfghjklmnpqrstvwxz';
const vowels = 'aeiou';

const padded = (number) => String(number).padStart(2, '0');

const keyColumns = '1qaz 2wsx 3edc 4rfv 5tgb 6yhn qaz wsx edc rfv zaq1 xsw2 plm okn ijb'.split(' ');
const rotated = (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + 13) % 26));

const base36 = digits + lower;

const babble = (random) =>
  joined(2, () => random.pick('aeiouy') + random.pick('bcdfghklmnprstvzx')).replace(
    /^/,
    random.pick('bcdfghklmnprstvz'),
  );

const otherRows = [
  ...['azertyuiop', 'qsdfghjklm', 'wxcvbn'],
  ...['qwertzuiop', 'yxcvbnm'],
  ...['pyfgcrl', 'aoeuidhtns', 'qjkxbmwvz'],
  ...['qwfpgjluy', 'arstdhneio', 'zxcvbkm'],
];

function otherKeyRun(random) {
  const row = random.pick(otherRows);
  const length = random.between(5, row.length);
  const keys = row.slice(random.below(row.length - length + 1)).slice(0, length);
  return random.chance(0.3) ? [...keys].reverse().join('') : keys;
}

const padFigures = '147258369 789456123 159357 7410 963 852 741 123654789 321456987 258 456 0852 951753'.split(' ');

const leftHand = 'qwertasdfgzxcvb';
const rightHand = 'yuiophjklnm';

/** Syllables of koremutake, a pronounceable encoding of numbers. */
const koremutake =
  `ba be bi bo bu by da de di do du dy fa fe fi fo fu fy ga ge gi go gu gy ha he hi ho hu hy ja je ji jo ju jy ka ke
  ki ko ku ky la le li lo lu ly ma me mi mo mu my na ne ni no nu ny pa pe pi po pu py ra re ri ro ru ry sa se si so su sy ta te ti
  to tu ty va ve vi vo vu vy bra bre bri bro bru bry dra dre dri dro dru dry fra fre fri fro fru fry gra gre gri gro gru gry pra pre
  pri pro pru pry sta ste sti sto stu sty tra tre`.split(/\s+/);

const day = (random) => `20${random.between(10, 26)}${padded(random.between(1, 12))}${padded(random.between(1, 28))}`;
const clock = (random) => joined(3, () => padded(random.below(60)));

/** Kind → (random, name) → local part. */
export const tuningKinds = {
  'keyboard columns': (random) => joined(random.between(2, 4), () => random.pick(keyColumns)),
  'time in base 36': (random) => Math.floor(1.4e12 + random.below(4e11)).toString(36),
  'name in rot13': (_random, name) => [...name].map(rotated).join(''),
  'serial number': (random) =>
    random
      .pick(['aa99aaa999', 'a9a9a9', '99aa99aa', 'aaa-999-aaa', 'aa9999aa', '9aaa999'])
      .replaceAll(/[a9]/g, (kind) => random.pick(kind === 'a' ? lower : digits)),
  'consonants with a vowel here and there': (random) =>
    joined(random.between(6, 12), () => random.pick(random.chance(0.2) ? vowels : consonants)),
  'identifier of 24 hex digits': (random) => `6${textOf(random, hexadecimal, 23)}`,
  'mixed case and digits': (random) => textOf(random, lower + lower.toUpperCase() + digits, random.between(8, 14)),
  'bubble babble': (random) => Array.from({ length: random.between(2, 3) }, () => babble(random)).join('-'),
  cuid: (random) => `c${textOf(random, base36, 24)}`,
  ulid: (random) => `01${textOf(random, '0123456789abcdefghjkmnpqrstvwxyz', 24)}`,
  xid: (random) => textOf(random, '0123456789abcdefghijklmnopqrstuv', 20),
  'video ids': (random) => textOf(random, `${base36}${lower.toUpperCase()}-_`, 11),
  base58: (random) =>
    textOf(random, '123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ', random.between(26, 34)),
  'license keys': (random) => Array.from({ length: random.between(2, 4) }, () => textOf(random, base36, 4)).join('-'),
  'key runs of other layouts': otherKeyRun,
  'figures on the number pad': (random) => joined(3, () => random.pick(padFigures)).slice(0, random.between(6, 10)),
  'alternating hands': (random) => joined(random.between(4, 6), () => random.pick(leftHand) + random.pick(rightHand)),
  koremutake: (random) => joined(random.between(3, 5), () => random.pick(koremutake)),
  geohash: (random) => textOf(random, '0123456789bcdefghjkmnpqrstuvwxyz', random.between(7, 12)),
  'account numbers of banks': (random) =>
    random.pick(['de', 'fr', 'gb', 'nl', 'es']) + textOf(random, digits, random.between(16, 20)),
  'host names of a cloud': (random) =>
    `${random.pick(['ip', 'ec2', 'host', 'vm'])}-${Array.from({ length: 4 }, () => random.below(256)).join('-')}`,
  'hardware addresses': (random) => Array.from({ length: 6 }, () => textOf(random, hexadecimal, 2)).join('-'),
  'day and time': (random) => day(random) + random.pick(['', '-', '.', 't']) + clock(random),
  'message ids of mutt': (random) =>
    `${day(random)}${clock(random)}.g${random.pick('abcdef')}${random.between(100, 32_000)}`,
  'message ids of gnus': (random) => `87${textOf(random, base36, 8)}.fsf`,
  'ids of browser extensions': (random) => textOf(random, 'abcdefghijklmnop', 32),
  'coupon codes': (random) => textOf(random, 'abcdefghjkmnpqrstuvwxyz23456789', random.between(8, 12)),
};
