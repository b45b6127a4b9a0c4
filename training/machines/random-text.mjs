// Random text of alphabets and lengths that are drawn once a program.
import { shuffled } from '../random.mjs';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const base36 = lower + digits;
const alphabets = [
  ...[base36, base36, base36, lower, lower, `${digits}abcdef`, `${digits}abcdef`, `${lower}234567`],
  ...[
    '0123456789abcdefghjkmnpqrstvwxyz',
    'abcdefghjkmnpqrstuvwxyz23456789',
    'bcdfghjklmnpqrstvwxz',
    `${base36}${lower}`,
  ],
  ...['bcdfghjklmnpqrstvwxz0123456789', 'abcdefghijklmnop', `${lower}aeiouaeiou`, `${lower}etaoinshrdlu`],
];

export const joined = (count, make) => Array.from({ length: count }, make).join('');
export const textOf = (random, alphabet, length) => joined(length, () => random.pick(alphabet));

/** An alphabet as programs have them, or some letters and digits, a few of them more often. */
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

/** Text of one alphabet; what is `mixed` stands beside a name, where a few letters alone may be another name's. */
export function noiseProgram(random, shortest = 5, longest = random.pick([8, 10, 12, 24]), mixed = false) {
  const alphabet = alphabetOf(random, mixed);
  const bare = !/[0-9]/.test([...alphabet].join(''));
  const least = bare && mixed ? Math.max(6, shortest) : shortest;
  const fixed = random.chance(0.6);
  const length = random.between(least, Math.max(least, longest));
  return (drawn) => textOf(drawn, alphabet, fixed ? length : drawn.between(least, Math.max(least, longest)));
}
