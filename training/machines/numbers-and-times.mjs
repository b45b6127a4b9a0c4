// Numbers in generated addresses: counters, times and dates in many formats.
import { digits, joined, textOf } from './random-text.mjs';

const two = (random, least, most) => String(random.between(least, most)).padStart(2, '0');
const seconds = (random) => random.between(1_300_000_000, 1_900_000_000);
const year = (random) => `20${two(random, 5, 30)}`;
const day = (random) => [year(random), two(random, 1, 12), two(random, 1, 28)];
const clock = (random) => joined(3, () => two(random, 0, 59));

/** (random) → (rng) → text: a time, a date, both, or random digits. */
export function numberGenerator(random) {
  const length = random.between(4, 12);
  return random.pick([timeGenerator(random), timeGenerator(random), (rng) => textOf(rng, digits, length)]);
}

/** Unix time in several units and bases, or calendar date and clock time. */
export function timeGenerator(random) {
  const separator = random.pick(['', '', '', '-', '_', '.']);
  const finer = random.pick([0, 3, 3, 6]);
  const base = random.pick([16, 36, 36]);
  const cut = random.between(5, 9);
  return random.pick([
    (rng) => seconds(rng) + textOf(rng, digits, finer),
    (rng) => seconds(rng) + textOf(rng, digits, finer),
    (rng) => (seconds(rng) * 10 ** Math.min(3, finer)).toString(base),
    (rng) => String(seconds(rng)).slice(-cut),
    (rng) => day(rng).join(separator),
    (rng) => day(rng).reverse().join(separator),
    (rng) => day(rng).join('') + separator + clock(rng),
    (rng) => day(rng).join('') + separator + clock(rng).slice(0, 4) + textOf(rng, digits, finer),
    (rng) => day(rng).join('').slice(2) + separator + clock(rng),
  ]);
}
