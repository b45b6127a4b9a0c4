// Text that goes by a rule a child knows: again and again, doubled, there and back, along the alphabet.
import { textOf } from './random-text.mjs';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';

/** (random) → (random) → text. */
export function repeatProgram(random) {
  const make = random.pick([again, again, again, doubled, held, mirrored, alphabet, counted])(random);
  const tail = random.pick([0, 0, 0, 1, 2, 3]);
  const same = random.chance(0.4);
  return (drawn) => make(drawn) + (same ? drawn.pick(digits).repeat(tail) : '12345'.slice(0, tail));
}

/** A few letters, or letters and digits, two to five times. */
function again(random) {
  const size = random.between(1, 4);
  const signs = random.pick([lower, lower, lower, lower + digits, 'aeiou', 'bcdfghjklmnpqrstvwxz']);
  const joint = random.chance(0.1) ? random.pick('.-_') : '';
  return (drawn) => {
    const times = drawn.between(size === 1 ? 4 : 2, size > 2 ? 4 : 5 + (size === 1 ? 4 : 0));
    const units = Array(Math.max(times, Math.ceil(5 / size))).fill(textOf(drawn, signs, size));
    return units.join(joint);
  };
}

function doubled(random) {
  const [least, most] = [3, random.between(3, 6)];
  const times = random.pick([2, 2, 3]);
  return (drawn) =>
    [...textOf(drawn, lower, drawn.between(least, most))].map((letter) => letter.repeat(times)).join('');
}

/** One key held, then another one. */
function held(random) {
  const keys = random.between(2, 3);
  return (drawn) =>
    Array.from({ length: keys }, () => drawn.pick(drawn.chance(0.3) ? digits : lower).repeat(drawn.between(2, 5))).join(
      '',
    );
}

/** There and back: `abccba`, `xyzyx`. */
function mirrored(random) {
  const once = random.chance(0.5) ? 1 : 0;
  return (drawn) => {
    const there = textOf(drawn, lower, drawn.between(3, 5));
    return there + [...there].reverse().join('').slice(once);
  };
}

/** Along the alphabet, every letter or every second, either way. */
function alphabet(random) {
  const step = random.pick([1, 1, 1, 2, 3]);
  const backwards = random.chance(0.25);
  return (drawn) => {
    const length = drawn.between(4, Math.min(9, Math.floor(26 / step)));
    const start = drawn.chance(0.5) ? 0 : drawn.below(26 - step * (length - 1));
    const letters = Array.from({ length }, (_, at) => lower[start + at * step]);
    return (backwards ? letters.reverse() : letters).join('');
  };
}

/** Letters and digits that go on together: `a1b2c3`, `aa11bb22`. */
function counted(random) {
  const [size, length] = [random.between(1, 2), random.between(3, 5)];
  return (drawn) => {
    const start = drawn.below(26 - length);
    return Array.from({ length }, (_, at) => lower[start + at].repeat(size) + String(at + 1).repeat(size)).join('');
  };
}
