// Numbers that programs write: counts, times and days in many forms.
import { joined, textOf } from './random-text.mjs';

const digits = '0123456789';
const two = (random, least, most) => String(random.between(least, most)).padStart(2, '0');
const seconds = (random) => random.between(1_300_000_000, 1_900_000_000);
const year = (random) => `20${two(random, 5, 30)}`;
const day = (random) => [year(random), two(random, 1, 12), two(random, 1, 28)];
const clock = (random) => joined(3, () => two(random, 0, 59));

/** (random) → (random) → text: a time in seconds or less, a day, both, or any digits. */
export function numberProgram(random) {
  const length = random.between(4, 12);
  return random.pick([timeProgram(random), timeProgram(random), (drawn) => textOf(drawn, digits, length)]);
}

/** A time: since 1970 in one of several units and bases, or as a calendar and a clock say it. */
export function timeProgram(random) {
  const joint = random.pick(['', '', '', '-', '_', '.']);
  const finer = random.pick([0, 3, 3, 6]);
  const base = random.pick([16, 36, 36]);
  const cut = random.between(5, 9);
  return random.pick([
    (drawn) => seconds(drawn) + textOf(drawn, digits, finer),
    (drawn) => seconds(drawn) + textOf(drawn, digits, finer),
    (drawn) => (seconds(drawn) * 10 ** Math.min(3, finer)).toString(base),
    (drawn) => String(seconds(drawn)).slice(-cut),
    (drawn) => day(drawn).join(joint),
    (drawn) => day(drawn).reverse().join(joint),
    (drawn) => day(drawn).join('') + joint + clock(drawn),
    (drawn) => day(drawn).join('') + joint + clock(drawn).slice(0, 4) + textOf(drawn, digits, finer),
    (drawn) => day(drawn).join('').slice(2) + joint + clock(drawn),
  ]);
}
