// What hands do on keyboards of several layouts, each program with a habit of its own.
import { textOf } from './random-text.mjs';

const layouts = [
  ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['1234567890', 'qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
  ['1234567890', 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
  ['1234567890', 'pyfgcrl', 'aoeuidhtns', 'qjkxbmwvz'],
  ['1234567890', 'qwfpgjluy', 'arstdhneio', 'zxcvbkm'],
];

/** (random) → (random) → text. */
export function keyboardProgram(random) {
  const rows = random.pick(layouts);
  const shortest = random.between(5, 7);
  const longest = shortest + random.between(0, 6);
  const make = random.pick([walked, walked, mashed, mashed, run, again, inTurn, columns])(random, rows);
  const number = random.chance(0.15) ? random.between(1, 4) : 0;
  return (drawn) => {
    const text = make(drawn, drawn.between(shortest, longest));
    return text + textOf(drawn, '0123456789', number);
  };
}

/** From key to key, seldom far; how often up or down and how far aside is the walker's habit. */
function walked(random, rows) {
  const upOrDown = random.pick([0, 0.1, 0.25, 0.5]);
  const steps = random.pick([[1], [1, 1, -1], [1, -1, 1, -1, 2, -2, 0], [1, 2], [-1], [-1, -1, 1]]);
  const top = random.chance(0.2) ? 0 : 1;
  return (drawn, length) => {
    let row = drawn.between(top, 3);
    let column = drawn.below(rows[row].length);
    let text = '';
    while (text.length < length) {
      text += rows[row][column];
      if (drawn.chance(upOrDown)) row = Math.max(top, Math.min(3, row + drawn.pick([-1, 1])));
      column = (column + drawn.pick(steps) + rows[row].length) % rows[row].length;
    }
    return text;
  };
}

/** Keys under the fingers, each hand with its favourites, in bursts. */
function mashed(random, rows) {
  const favourites = (keys) => keys.flatMap((key) => Array(random.pick([0, 1, 1, 2, 4, 8])).fill(key)).concat(keys[0]);
  const home = random.pick([[2], [2], [1, 2], [1, 2, 3]]).map((row) => rows[row]);
  const left = favourites(home.flatMap((row) => [...row.slice(0, 5)]));
  const right = favourites(home.flatMap((row) => [...row.slice(5)]));
  const burst = random.between(1, 4);
  return (drawn, length) => {
    let text = '';
    for (let hand = drawn.below(2); text.length < length; hand++)
      text += textOf(drawn, hand % 2 === 0 ? left : right, drawn.between(1, burst));
    return text.slice(0, length);
  };
}

/** Along one row, and perhaps along another one then. */
function run(random, rows) {
  const backwards = random.chance(0.3);
  return (drawn, length) => {
    const part = (size) => {
      const row = drawn.pick(rows.slice(drawn.chance(0.2) ? 0 : 1));
      const keys = row.slice(drawn.below(Math.max(1, row.length - size + 1))).slice(0, size);
      return backwards ? [...keys].reverse().join('') : keys;
    };
    const first = drawn.chance(0.5) ? length : Math.ceil(length / 2);
    const text = part(first);
    return text.length < length ? text + part(length - text.length) : text;
  };
}

/** A few keys again and again. */
function again(random, rows) {
  const size = random.between(1, 4);
  const beside = random.chance(0.6);
  return (drawn, length) => {
    const row = drawn.pick(rows);
    const start = drawn.below(row.length - size + 1);
    const unit = beside ? row.slice(start, start + size) : textOf(drawn, row, size);
    return unit.repeat(length).slice(0, length);
  };
}

/** Two rows in turn. */
function inTurn(random, rows) {
  const upper = random.below(3);
  return (drawn, length) => {
    const columns = Math.min(rows[upper].length, rows[upper + 1].length);
    const start = drawn.below(columns);
    return Array.from({ length }, (_, at) => rows[upper + (at % 2)][(start + (at >> 1)) % columns]).join('');
  };
}

/** Down one column, and the next. */
function columns(random, rows) {
  const top = random.below(2);
  const up = random.chance(0.3);
  return (drawn, length) => {
    let text = '';
    for (let column = drawn.below(6); text.length < length; column = (column + 1) % 7) {
      const keys = rows.slice(top).map((row) => row[column] ?? '');
      text += (up ? keys.reverse() : keys).join('');
    }
    return text.slice(0, length);
  };
}
