// What training and tuning never see, chosen before this model was trained (Perl, while it was);
// test.mjs looks at it once, when the model is done.
//   sources  everybody named with an address in the change logs of GCC, GDB, binutils and glibc, the authors of Perl, and the translators of KDE,
//            without those that also stand in the training or tuning sources, so that none of them was ever seen
//   shapes   four ways to make a mailbox of a name (keptShapes)
//   kinds    eleven kinds of machine-made names (keptGenerators), two of them made to be pronounced
// An earlier choice was looked at with an earlier model, so it now serves to train and to tune.
import { wordCorpora } from './corpora.mjs';

const joined = (count, make) => Array.from({ length: count }, make).join('');
const textOf = (random, alphabet, length) => joined(length, () => random.pick(alphabet));
const digits = '0123456789';
const base36 = `${digits}abcdefghijklmnopqrstuvwxyz`;
const padded = (number, length = 2) => String(number).padStart(length, '0');

/** The syllables of koremutake, which names numbers so that they can be said. */
const koremutake =
  `ba be bi bo bu by da de di do du dy fa fe fi fo fu fy ga ge gi go gu gy ha he hi ho hu hy ja je ji jo ju jy ka ke
  ki ko ku ky la le li lo lu ly ma me mi mo mu my na ne ni no nu ny pa pe pi po pu py ra re ri ro ru ry sa se si so su sy ta te ti
  to tu ty va ve vi vo vu vy bra bre bri bro bru bry dra dre dri dro dru dry fra fre fri fro fru fry gra gre gri gro gru gry pra pre
  pri pro pru pry sta ste sti sto stu sty tra tre`.split(/\s+/);

let english;

/** As gpw does: each letter follows two others as often as in English words. */
function trigrams(random) {
  english ??= wordCorpora().english;
  let text = random.pick(english).slice(0, 2);
  while (text.length < 8) {
    const word = random.pick(english);
    const at = word.indexOf(text.slice(-2));
    if (at >= 0 && at + 2 < word.length) text += word[at + 2];
    else if (random.chance(0.002)) text += random.pick('aeiou');
  }
  return text;
}

const day = (random) => `20${random.between(10, 26)}${padded(random.between(1, 12))}${padded(random.between(1, 28))}`;
const clock = (random) => joined(3, () => padded(random.below(60)));

/** Kinds of machine-made names that no training kind is. */
export const keptGenerators = {
  koremutake: (random) => joined(random.between(3, 5), () => random.pick(koremutake)),
  'gpw passwords': trigrams,
  geohash: (random) => textOf(random, '0123456789bcdefghjkmnpqrstuvwxyz', random.between(7, 12)),
  'account numbers of banks': (random) =>
    random.pick(['de', 'fr', 'gb', 'nl', 'es']) + textOf(random, digits, random.between(16, 20)),
  'host names of a cloud': (random) =>
    `${random.pick(['ip', 'ec2', 'host', 'vm'])}-${Array.from({ length: 4 }, () => random.below(256)).join('-')}`,
  'hardware addresses': (random) => Array.from({ length: 6 }, () => textOf(random, '0123456789abcdef', 2)).join('-'),
  'day and time': (random) => day(random) + random.pick(['', '-', '.', 't']) + clock(random),
  'message ids of mutt': (random) =>
    `${day(random)}${clock(random)}.g${random.pick('abcdef')}${random.between(100, 32_000)}`,
  'message ids of gnus': (random) => `87${textOf(random, base36, 8)}.fsf`,
  'ids of browser extensions': (random) => textOf(random, 'abcdefghijklmnop', 32),
  'coupon codes': (random) => textOf(random, 'abcdefghjkmnpqrstuvwxyz23456789', random.between(8, 12)),
};

const firstSyllable = (name) => /^[^aeiouy]*[aeiouy]+/.exec(name)?.[0] ?? name.slice(0, 2);

/** Ways to make a mailbox of a name that training does not make. */
export const keptShapes = {
  'initial of the surname + first name': (_random, given, family) => family[0] + given,
  'first name + two letters': (_random, given, family) => given + family.slice(0, 2),
  'two letters + surname': (_random, given, family) => given.slice(0, 2) + family,
  'first syllables': (_random, given, family) => firstSyllable(given) + firstSyllable(family),
};
