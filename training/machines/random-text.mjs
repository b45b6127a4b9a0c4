// Random text. Each generator samples its alphabet and lengths once.
import { shuffled } from '../random.mjs';

export const lower = 'abcdefghijklmnopqrstuvwxyz';
export const digits = '0123456789';
export const hexadecimal = `${digits}abcdef`;
export const base36 = lower + digits;
const alphabets = [
  ...[base36, base36, base36, lower, lower, hexadecimal, hexadecimal, `${lower}234567`],
  ...[
    '0123456789abcdefghjkmnpqrstvwxyz',
    'abcdefghjkmnpqrstuvwxyz23456789',
    'bcdfghjklmnpqrstvwxz',
    `${base36}${lower}`,
  ],
  ...['bcdfghjklmnpqrstvwxz0123456789', 'abcdefghijklmnop', `${lower}aeiouaeiou`, `${lower}etaoinshrdlu`],
];

/** Joins `count` results of make(index). */
export const joined = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join('');
export const textOf = (random, alphabet, length) => joined(length, () => random.pick(alphabet));

/** A common alphabet, or a sample of letters and digits with some of them repeated. */
function alphabetOf(random, mixed) {
  if (random.chance(0.7)) {
    const alphabet = random.pick(alphabets);
    return mixed && !/[0-9]/.test(alphabet) && random.chance(0.6) ? base36 : alphabet;
  }
  const kept = random.between(8, 26);
  const letters = shuffled(random, lower).slice(0, kept);
  const numbers = random.chance(0.6) || mixed ? [...digits] : [];
  const more = Array.from({ length: random.below(10) }, () => random.pick(letters));
  return [...letters, ...numbers, ...more];
}

/** Text of one alphabet. `mixed` text stands next to a name, where a few letters alone may be another name. */
export function randomTextGenerator(random, shortest = 5, longest = random.pick([8, 10, 12, 24]), mixed = false) {
  const alphabet = alphabetOf(random, mixed);
  const bare = !/[0-9]/.test([...alphabet].join(''));
  const least = bare && mixed ? Math.max(6, shortest) : shortest;
  const fixed = random.chance(0.6);
  const length = random.between(least, Math.max(least, longest));
  return (rng) => textOf(rng, alphabet, fixed ? length : rng.between(least, Math.max(least, longest)));
}
