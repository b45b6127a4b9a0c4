// Mailboxes and aliases of services, sender fields of programs, and pronounceable passwords. An earlier model was tested on them.
import { digits, hexadecimal, joined, lower, textOf } from './random-text.mjs';

/** A disposable-mail service: pairs of consonant and vowel, perhaps one consonant more, and a number. */
const disposableMailbox = (random) =>
  joined(3, () => random.pick('bcdfghjklmnprstvwxy') + random.pick('aeiou')) +
  (random.chance(0.4) ? random.pick('bcdfghjklmnprstvwxy') : '') +
  random.between(100, 99_999);

const frenchOnsets = 'b br c cr d f fr g gr j l m n p pr pp q t tr tt v w x cr ff ll nn s dd bb'.split(' ');
const frenchRhymes = 'a e i o u oi ou au eu ei a e i o u'.split(' ');

/** Another one: four French syllables and a number. */
const frenchMailbox = (random) =>
  `${joined(4, () => random.pick(frenchOnsets).replace('q', 'qu') + random.pick(frenchRhymes))}-${random.between(1000, 9999)}`;

/** Passwords of apg (FIPS 181, simplified): units of one or two letters. */
const apgVowels = 'a e i o u y'.split(' ');
const apgOnsets =
  'b c d f g h j k l m n p r s t v w x z ch gh ph rh sh th wh qu bl br cl cr dr fl fr gl gr pr sc st tr'.split(' ');
const apgCodas = 'b c d f g k l m n p r s t v ck ng nd rk lt ft gs ps ts th sh'.split(' ');

function pronounceablePassword(random) {
  const length = random.between(7, 10);
  let text = '';
  while (text.length < length) {
    if (text !== '' || random.chance(0.75)) text += random.pick(apgOnsets);
    text += random.pick(apgVowels);
    if (random.chance(0.55)) text += random.pick(apgCodas);
  }
  return text.slice(0, length);
}

/** Names of Urbit ships: two or four syllables of consonant, vowel, consonant. */
const urbitSyllable = (random) => random.pick('bdfhlmnprstwz') + random.pick('aeiouy') + random.pick('bcdglmnprstvx');
const urbitName = (random) =>
  Array.from({ length: random.between(1, 2) }, () => urbitSyllable(random) + urbitSyllable(random)).join('-');

/** Apple's strong passwords in lower case: groups of two syllables, with one digit. */
function appleGroups(random) {
  const half = () => random.pick('bcdfghjkmnpqrstvwxz') + random.pick('aeiouy') + random.pick('bcdfghjkmnpqrstvwxz');
  const groups = Array.from({ length: random.between(2, 3) }, () => half() + half());
  groups[random.below(groups.length)] = `${half()}${half().slice(0, 2)}${random.pick(digits)}`;
  return groups.join('-');
}

/** Invented brand names, as domain-name generators offer them. */
const coinedEndings = 'aro evo ixo ura izo ela oma iva uno yra exa ity ovo isa umi axo ego ino obo aza'.split(' ');
const coinedWord = (random) =>
  random.pick('bcdfghjklmnprstvwxyz') +
  random.pick('aeiou') +
  random.pick('bcdfghjklmnprstvwxyz') +
  joined(random.between(1, 2), () => random.pick(coinedEndings) + random.pick('bdfgklmnrtvz')).slice(0, -1);

const keyRows = ['qwertyuiop', 'asdfghjkl;', 'zxcvbnm,.'];

/** A name typed with the hands one key too far to the right. */
const shiftedHands = (_random, name) =>
  [...name]
    .map((letter) => {
      const row = keyRows.find((keys) => keys.includes(letter)) ?? 'qwertyuiop';
      return row[(row.indexOf(letter) + 1) % row.length];
    })
    .join('')
    .replaceAll(/[;,.]/g, 'a');

/** Kind → (random, name) → local part: training data. */
export const serviceMailboxes = {
  'disposable mailbox, syllables + number': disposableMailbox,
  'disposable mailbox, French syllables': frenchMailbox,
  'apg passwords': pronounceablePassword,
  'replies through a market place': (random) => `${textOf(random, lower, 5)}-${textOf(random, digits, 10)}`,
  'bounces that name a campaign': (random) =>
    `${random.pick(['bounces', 'b', 'msprvs1', 'bnc'])}-${random.between(1000, 9_999_999)}-${textOf(random, hexadecimal, random.between(4, 8))}`,
  'aliases of Outlook': (random) => `outlook_${textOf(random, hexadecimal, 16)}`,
  'message ids of a mail service': (random) =>
    `010${textOf(random, hexadecimal, 13)}-${textOf(random, hexadecimal, 8)}-${textOf(random, hexadecimal, 4)}`,
  'order numbers': (random) => [3, 7, 7].map((length) => textOf(random, digits, length)).join('-'),
  'payment addresses': (random) => `bc1q${textOf(random, '023456789acdefghjklmnpqrstuvwxyz', 38)}`,
  snowflakes: (random) => random.between(1, 9) + textOf(random, digits, random.between(16, 18)),
  'parcel numbers': (random) =>
    random.chance(0.5)
      ? `1z${textOf(random, lower + digits, 6)}${textOf(random, digits, 10)}`
      : `${random.pick('rlce')}${random.pick(lower)}${textOf(random, digits, 9)}${random.pick(['cn', 'de', 'us', 'gb'])}`,
};

/** Kind → (random, name) → local part: tuning data. Most are pronounceable, and training has no similar kinds. */
export const tuningMailboxes = {
  'urbit names': urbitName,
  'Apple passwords': appleGroups,
  'coined words': coinedWord,
  'names with shifted hands': shiftedHands,
  'base64 of an address': (random, name) => Buffer.from(`${name}${random.between(1, 99)}@`).toString('base64url'),
};
