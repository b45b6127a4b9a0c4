// Text with a simple rule: repetition, doubling, palindromes, alphabetical order.
import { digits, lower, textOf } from './random-text.mjs';

/** (random) → (rng) → text. */
export function repetitionGenerator(random) {
  const make = random.pick([repeated, repeated, repeated, doubled, heldKeys, mirrored, alphabet, counted])(random);
  const tail = random.pick([0, 0, 0, 1, 2, 3]);
  const same = random.chance(0.4);
  return (rng) => make(rng) + (same ? rng.pick(digits).repeat(tail) : '12345'.slice(0, tail));
}

/** A few letters or digits, two to five times. */
function repeated(random) {
  const size = random.between(1, 4);
  const signs = random.pick([lower, lower, lower, lower + digits, 'aeiou', 'bcdfghjklmnpqrstvwxz']);
  const separator = random.chance(0.1) ? random.pick('.-_') : '';
  return (rng) => {
    const times = rng.between(size === 1 ? 4 : 2, size > 2 ? 4 : 5 + (size === 1 ? 4 : 0));
    const units = Array(Math.max(times, Math.ceil(5 / size))).fill(textOf(rng, signs, size));
    return units.join(separator);
  };
}

function doubled(random) {
  const [least, most] = [3, random.between(3, 6)];
  const times = random.pick([2, 2, 3]);
  return (rng) => [...textOf(rng, lower, rng.between(least, most))].map((letter) => letter.repeat(times)).join('');
}

/** Two or three keys, each held down. */
function heldKeys(random) {
  const keys = random.between(2, 3);
  return (rng) =>
    Array.from({ length: keys }, () => rng.pick(rng.chance(0.3) ? digits : lower).repeat(rng.between(2, 5))).join('');
}

/** Palindromes: `abccba`, `xyzyx`. */
function mirrored(random) {
  const once = random.chance(0.5) ? 1 : 0;
  return (rng) => {
    const there = textOf(rng, lower, rng.between(3, 5));
    return there + [...there].reverse().join('').slice(once);
  };
}

/** Every letter, or every second or third, in either direction. */
function alphabet(random) {
  const step = random.pick([1, 1, 1, 2, 3]);
  const backwards = random.chance(0.25);
  return (rng) => {
    const length = rng.between(4, Math.min(9, Math.floor(26 / step)));
    const start = rng.chance(0.5) ? 0 : rng.below(26 - step * (length - 1));
    const letters = Array.from({ length }, (_, at) => lower[start + at * step]);
    return (backwards ? letters.reverse() : letters).join('');
  };
}

/** Letters and digits that ascend together: `a1b2c3`, `aa11bb22`. */
function counted(random) {
  const [size, length] = [random.between(1, 2), random.between(3, 5)];
  return (rng) => {
    const start = rng.below(26 - length);
    return Array.from({ length }, (_, at) => lower[start + at].repeat(size) + String(at + 1).repeat(size)).join('');
  };
}
