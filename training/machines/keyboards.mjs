// Random typing on several keyboard layouts. Each generator samples a layout and a habit once.
import { textOf } from './random-text.mjs';

const layouts = [
  ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['1234567890', 'qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
  ['1234567890', 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
  ['1234567890', 'pyfgcrl', 'aoeuidhtns', 'qjkxbmwvz'],
  ['1234567890', 'qwfpgjluy', 'arstdhneio', 'zxcvbkm'],
];

/** (random) → (rng) → text. */
export function keyboardGenerator(random) {
  const rows = random.pick(layouts);
  const shortest = random.between(5, 7);
  const longest = shortest + random.between(0, 6);
  const make = random.pick([walk, walk, mash, mash, rowRun, repeatKeys, alternateRows, columns])(random, rows);
  const number = random.chance(0.15) ? random.between(1, 4) : 0;
  return (rng) => {
    const text = make(rng, rng.between(shortest, longest));
    return text + textOf(rng, '0123456789', number);
  };
}

/** Moves from key to key. How often it changes rows, and how far it moves, is sampled once. */
function walk(random, rows) {
  const upOrDown = random.pick([0, 0.1, 0.25, 0.5]);
  const steps = random.pick([[1], [1, 1, -1], [1, -1, 1, -1, 2, -2, 0], [1, 2], [-1], [-1, -1, 1]]);
  const top = random.chance(0.2) ? 0 : 1;
  return (rng, length) => {
    let row = rng.between(top, 3);
    let column = rng.below(rows[row].length);
    let text = '';
    while (text.length < length) {
      text += rows[row][column];
      if (rng.chance(upOrDown)) row = Math.max(top, Math.min(3, row + rng.pick([-1, 1])));
      column = (column + rng.pick(steps) + rows[row].length) % rows[row].length;
    }
    return text;
  };
}

/** Bursts of both hands, each with favorite keys. */
function mash(random, rows) {
  const favorites = (keys) => keys.flatMap((key) => Array(random.pick([0, 1, 1, 2, 4, 8])).fill(key)).concat(keys[0]);
  const home = random.pick([[2], [2], [1, 2], [1, 2, 3]]).map((row) => rows[row]);
  const left = favorites(home.flatMap((row) => [...row.slice(0, 5)]));
  const right = favorites(home.flatMap((row) => [...row.slice(5)]));
  const burst = random.between(1, 4);
  return (rng, length) => {
    let text = '';
    for (let hand = rng.below(2); text.length < length; hand++)
      text += textOf(rng, hand % 2 === 0 ? left : right, rng.between(1, burst));
    return text.slice(0, length);
  };
}

/** Along one row, perhaps continued on another. */
function rowRun(random, rows) {
  const backwards = random.chance(0.3);
  return (rng, length) => {
    const part = (size) => {
      const row = rng.pick(rows.slice(rng.chance(0.2) ? 0 : 1));
      const keys = row.slice(rng.below(Math.max(1, row.length - size + 1))).slice(0, size);
      return backwards ? [...keys].reverse().join('') : keys;
    };
    const first = rng.chance(0.5) ? length : Math.ceil(length / 2);
    const text = part(first);
    return text.length < length ? text + part(length - text.length) : text;
  };
}

/** Repeats a few keys. */
function repeatKeys(random, rows) {
  const size = random.between(1, 4);
  const areNeighbors = random.chance(0.6);
  return (rng, length) => {
    const row = rng.pick(rows);
    const start = rng.below(row.length - size + 1);
    const unit = areNeighbors ? row.slice(start, start + size) : textOf(rng, row, size);
    return unit.repeat(length).slice(0, length);
  };
}

/** Alternates between two rows. */
function alternateRows(random, rows) {
  const upper = random.below(3);
  return (rng, length) => {
    const columns = Math.min(rows[upper].length, rows[upper + 1].length);
    const start = rng.below(columns);
    return Array.from({ length }, (_, at) => rows[upper + (at % 2)][(start + (at >> 1)) % columns]).join('');
  };
}

/** Down one column, then the next. */
function columns(random, rows) {
  const top = random.below(2);
  const up = random.chance(0.3);
  return (rng, length) => {
    let text = '';
    for (let column = rng.below(6); text.length < length; column = (column + 1) % 7) {
      const keys = rows.slice(top).map((row) => row[column] ?? '');
      text += (up ? keys.reverse() : keys).join('');
    }
    return text.slice(0, length);
  };
}
