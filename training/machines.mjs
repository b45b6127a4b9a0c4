// Machine-made local parts, in fifteen kinds. A generator samples its alphabets, lengths, separators and order once; there
// are many generators of each kind, so that an unseen program resembles some of them.
import { allNames, lists } from './corpora.mjs';
import { shuffled } from './random.mjs';

export const lower = 'abcdefghijklmnopqrstuvwxyz';
export const digits = '0123456789';
const hexadecimal = `${digits}abcdef`;
const base36 = lower + digits;
const consonants = 'bcdfghjklmnpqrstvwxz';
const vowels = 'aeiou';
const generatorsPerKind = 300;

export const joined = (count, make) => Array.from({ length: count }, (_, at) => make(at)).join('');
export const textOf = (random, alphabet, length) => joined(length, () => random.pick(alphabet));
const optionalSeparator = (random) => random.pick(['', '', '', '.', '-', '_']);
const two = (random, least, most) => String(random.between(least, most)).padStart(2, '0');

/** Text of one alphabet. `mixed` text stands next to a name, where a few letters alone could be another name. */
export function tokenGenerator(random, shortest = 5, longest = random.pick([7, 8, 10, 12, 24]), mixed = false) {
  const sampled = random.chance(0.85)
    ? random.pick(lists.alphabets)
    : shuffled(random, base36).slice(0, random.between(8, 30));
  const bare = !/[0-9]/.test([...sampled].join(''));
  const alphabet = mixed && bare && random.chance(0.5) ? base36 : sampled;
  const least = mixed && alphabet === sampled && bare ? Math.max(5, shortest) : shortest;
  const length = random.chance(0.6) ? random.between(least, Math.max(least, longest)) : 0;
  return (rng) => textOf(rng, alphabet, length || rng.between(least, Math.max(least, longest)));
}

/** Unix time in several units and bases, or calendar date and clock time. */
function timeGenerator(random) {
  const seconds = (rng) => rng.between(1_300_000_000, 1_900_000_000);
  const separator = random.pick(['', '', '', '-', '_', '.']);
  const finer = random.pick([0, 3, 3, 6]);
  const base = random.pick([16, 36, 36]);
  const cut = random.between(5, 9);
  const day = (rng) => [`20${two(rng, 5, 30)}`, two(rng, 1, 12), two(rng, 1, 28)];
  const clock = (rng) => joined(3, () => two(rng, 0, 59));
  return random.pick([
    (rng) => seconds(rng) + textOf(rng, digits, finer),
    (rng) => (seconds(rng) * 10 ** Math.min(3, finer)).toString(base),
    (rng) => String(seconds(rng)).slice(-cut),
    (rng) => day(rng).join('') + separator + clock(rng),
    (rng) => day(rng).join('') + separator + clock(rng).slice(0, 4) + textOf(rng, digits, finer),
    (rng) => day(rng).join(separator) + random.pick(['t', '.', '-', '']) + textOf(rng, digits, 4),
  ]);
}

function numberGenerator(random) {
  const [width, most] = [random.pick([0, 0, 2, 3, 4, 5, 6]), 10 ** random.between(2, 6) - 1];
  const counter = (rng) => String(rng.between(1, most)).padStart(width, '0');
  const length = random.between(4, 12);
  return random.pick([counter, timeGenerator(random), (rng) => textOf(rng, digits, length)]);
}

/** Pronounceable text of no language: each grammar has its own sounds and patterns. */
function syllableGenerator(random) {
  const some = (list) =>
    shuffled(random, list).slice(0, Math.max(4, Math.floor(list.length * random.pick([0.3, 0.6, 1]))));
  const plain = random.chance(0.5);
  const sounds = {
    c: plain ? [...consonants] : some(lists.onsets),
    v: plain ? [...random.pick([vowels, vowels, `${vowels}y`])] : some(lists.nuclei),
    k: plain ? [...consonants] : some(lists.codas),
  };
  const forms = random.pick(['cv', 'cv', 'cvk', 'cv cvk', 'vc', 'cv cvk v vk', 'cv cvv cvk']).split(' ');
  const [least, most] = [...random.pick(['23', '24', '33', '34', '35', '44'])].map(Number);
  const make = (rng, count) =>
    joined(count, () => rng.pick(forms))
      .replaceAll(/[cvk]/g, (kind) => rng.pick(sounds[kind]))
      .slice(0, 14);
  const long = (rng) => {
    const text = make(rng, rng.between(least, most));
    return text.length < 5 ? text + make(rng, 1) + rng.pick(sounds.c) + rng.pick(sounds.v) : text;
  };
  const separator = random.pick('.-_');
  return random.chance(0.15) ? (rng) => `${make(rng, 2)}${separator}${make(rng, rng.between(2, 3))}` : long;
}

/** Runs along a row, walks over keys, both hands in bursts, columns, and a few keys repeated. */
function keyboardGenerator(random) {
  const rows = random.pick(lists.keyboards).split(',');
  const letters = rows.slice(1);
  const upOrDown = random.pick([0, 0.1, 0.3]);
  const steps = random.pick([[1], [1, -1], [1, 1, -1, 2, -2, 0], [1, 2], [-1]]);
  const [burst, unit, back] = [random.between(1, 4), random.between(2, 4), random.chance(0.3)];
  const home = random.pick([[1], [1], [0, 1], [0, 1, 2]]).map((row) => letters[row]);
  const reversed = (text) => (back ? [...text].reverse().join('') : text);
  const make = random.pick([
    (rng, length) => {
      const row = rng.pick(letters);
      const start = rng.below(Math.max(1, row.length - length + 1));
      return reversed(
        row.slice(start, start + length) + (row.length < length ? rng.pick(letters).slice(0, length - row.length) : ''),
      );
    },
    (rng, length) => {
      let [row, column] = [rng.below(3), rng.below(7)];
      return joined(length, () => {
        if (rng.chance(upOrDown)) row = Math.max(0, Math.min(2, row + rng.pick([-1, 1])));
        column = (column + rng.pick(steps) + letters[row].length) % letters[row].length;
        return letters[row][column];
      });
    },
    (rng, length) =>
      joined(length, (at) => {
        const keys = rng.pick(home);
        return textOf(rng, at % 2 === 0 ? keys.slice(0, 5) : keys.slice(5), rng.between(1, burst));
      }).slice(0, length),
    (rng, length) => {
      const row = rng.pick(rows);
      const start = rng.below(row.length - unit + 1);
      return reversed(row.slice(start, start + unit))
        .repeat(length)
        .slice(0, Math.max(length, 2 * unit));
    },
    (_rng, length) =>
      joined(length, (at) => reversed(joined(4, (row) => rows[row][(at + burst) % 7] ?? ''))).slice(0, length),
    (rng, length) => {
      const [upper, start] = [rng.below(3), rng.below(4)];
      return joined(length, (at) => rows[upper + (at % 2)][start + (at >> 1)] ?? '');
    },
  ]);
  const tail = random.pick(['', '', '1', '12', '123', '1234', '123456', '00', '4567', '7890', '890']);
  const least = random.pick([tail.length > 2 ? 2 : 4, 4, 5, 6, 8]);
  const most = random.between(least + 1, least + 4);
  return (rng) => make(rng, rng.between(least, most)) + tail;
}

/** One key held, a few letters or digits again and again, doubled letters, palindromes, letters in order, placeholders. */
function repetitionGenerator(random) {
  const signs = random.pick([lower, lower, lower, digits, digits, base36, vowels, consonants]);
  const [size, times, step] = [random.between(1, 4), random.between(2, 5), random.pick([1, 1, 2, 3])];
  const reversed = (text) => [...text].reverse().join('');
  const repeated = (rng) =>
    textOf(rng, signs, size)
      .repeat(Math.max(times, 5))
      .slice(0, Math.max(5, size * times));
  const placeholder = (rng) => rng.pick(lists.placeholders);
  const numbered = (rng) =>
    placeholder(rng) + rng.pick(['', placeholder(rng), rng.between(1, 99_999), '123', '123456']);
  const make = random.pick([
    repeated,
    repeated,
    numbered,
    numbered,
    (rng) => [...textOf(rng, signs, rng.between(3, 5))].map((sign) => sign.repeat(2)).join(''),
    (rng) => joined(rng.between(2, 3), () => rng.pick(signs).repeat(rng.between(2, 5))),
    (rng) => textOf(rng, signs, rng.between(3, 4)).replace(/.+/, (there) => there + reversed(there).slice(times % 2)),
    (rng) => joined(rng.between(4, 8), (at) => (step > 1 ? lower : `${digits}${digits}`)[(at * step + size) % 20]),
    (rng) => joined(rng.between(3, 5), (at) => `${lower[at + size]}${at + 1}`),
  ]);
  const tail = random.pick(['', '', '', '', '1', '12', '123']);
  return (rng) => make(rng) + tail;
}

/** A name that a program alters: shuffled, enciphered, other vowels or consonants, several typos. */
function alteredNameGenerator(random) {
  const [by, slips] = [random.between(1, 25), random.between(3, 6)];
  const others = shuffled(random, lower);
  const each = (change) => (rng, name) => [...name].map((letter) => change(rng, letter)).join('');
  const isVowel = (letter) => vowels.includes(letter);
  const alter = random.pick([
    (_rng, name) => [...name].reverse().join(''),
    each((_rng, letter) => lower[(lower.indexOf(letter) + by) % 26]),
    each((_rng, letter) => others[lower.indexOf(letter)] ?? letter),
    (rng, name) => shuffled(rng, name).join(''),
    (rng, name) => name[0] + shuffled(rng, name.slice(1)).join(''),
    (rng, name) => shuffled(rng, name + rng.pick(vowels) + rng.pick(consonants)).join(''),
    each((rng, letter) => (isVowel(letter) ? rng.pick(vowels) : rng.pick(consonants))),
    each((rng, letter) => (isVowel(letter) ? letter : rng.pick(consonants))),
    each((rng, letter) => letter + (rng.chance(0.6) ? rng.pick(lower) : '')),
    (rng, name) => {
      const letters = [...name];
      for (let slip = 0; slip < slips; slip++) {
        const at = rng.below(letters.length);
        letters.splice(at, rng.below(2), ...(letters.length > 5 && rng.chance(0.3) ? [] : rng.pick(lower)));
      }
      return letters.join('');
    },
  ]);
  return (rng, name) => {
    const text = alter(rng, name).slice(0, 14);
    return text.length < 5 ? text + rng.pick(consonants) + rng.pick(vowels) : text;
  };
}

/** Separators or digits scattered into names, at least three: a person's initials and names may have two. */
function scatteredGenerator(random) {
  const marks = random.pick(['.', '.', '.', '_', '-', '._-', digits]);
  const first = random.pick([0.3, 0.4, 0.5, 0.6, 0.8, 1]);
  const scatter = (rng, name, share) => {
    const text = [...name].map((letter, at) => (at > 0 && rng.chance(share) ? rng.pick(marks) : '') + letter).join('');
    return text.length - name.length >= 3 ? text : scatter(rng, name, Math.min(1, share + 0.1));
  };
  const double = random.chance(0.4);
  return (rng, name, other) => scatter(rng, (double ? name + other : name).slice(0, 18), first);
}

/** A Markov chain over the letters of words. */
function chainOf(words, order) {
  const followers = new Map();
  for (const word of words) {
    const text = `${'^'.repeat(order)}${word}$`;
    for (let at = order; at < text.length; at++) {
      const before = text.slice(at - order, at);
      if (!followers.has(before)) followers.set(before, []);
      followers.get(before).push(text[at]);
    }
  }
  return (rng, shortest, longest) => {
    let text = '';
    while (text.length < longest) {
      const next = rng.pick(followers.get(`${'^'.repeat(order)}${text}`.slice(-order)) ?? ['$']);
      if (next !== '$') text += next;
      else if (text.length >= shortest) break;
      else text = '';
    }
    return text;
  };
}

function chainGenerator(chains) {
  return (random) => {
    const chain = random.pick(chains);
    const [separator, least] = [random.pick('.-_'), random.between(6, 8)];
    if (random.chance(0.2)) return (rng) => chain(rng, 3, 7) + separator + chain(rng, 4, 7);
    return (rng) => chain(rng, least, rng.between(least, 12));
  };
}

/** An envelope sender, a ticket or a bounce: words, ids and the address that it refers to. */
function embeddedAddressGenerator(random) {
  const sign = random.pick(['=', '=', '=', '=', '-at-', '_at_', '--']);
  const separator = random.pick(['-', '-', '.', '=', '_']);
  const word = random.pick(lists.prefixes);
  const part = () => random.pick([() => word, tokenGenerator(random, 3, 10), numberGenerator(random)]);
  const parts = Array.from({ length: random.between(1, 3) }, part);
  const long = tokenGenerator(random, 8, 32);
  const [hasAddress, isFirst] = [random.chance(0.7), random.chance(0.15)];
  return (rng, name, other) => {
    const texts = parts.map((make) => make(rng));
    const address = hasAddress ? `${name}${sign}${other}.${rng.pick(lists['domain endings'])}` : long(rng);
    return (isFirst ? [address, ...texts] : [...texts, address]).join(separator);
  };
}

/** Groups of text as in serial numbers, keys and identifiers; a fixed pattern of letters and digits. */
function groupGenerator(random) {
  const separator = random.pick(['-', '-', '.', '_']);
  const groups = Array.from({ length: random.between(2, 5) }, () => tokenGenerator(random, 2, random.pick([3, 4, 8])));
  const uuid = [8, 4, 4, 4, 12].slice(0, random.between(2, 5));
  const pattern = joined(random.between(2, 5), () => random.pick(['a', '9', 'cv', 'a9']).repeat(random.between(1, 3)));
  const grouped = (rng) => groups.map((group) => group(rng)).join(separator);
  const signs = { a: lower, 9: digits, c: consonants, v: vowels };
  return random.pick([
    grouped,
    grouped,
    (rng) => uuid.map((length) => textOf(rng, hexadecimal, length)).join('-'),
    (rng) => `${pattern}a9a`.replaceAll(/[a9cv]/g, (kind) => rng.pick(signs[kind])),
  ]);
}

/** The fifteen kinds: kind → { share, make: (rng) → local part }. `common` are names of several origins. */
export function machineKinds(random, corpora) {
  const names = allNames(corpora).filter((name) => name.length >= 5);
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const common = [...counts].filter(([, count]) => count > 2).map(([name]) => name);
  const words = corpora.words.map((list) => list.filter((word) => /^[a-z]{3,8}$/.test(word)));
  const known = words.filter((list) => list.length > 9);
  const sources = [names, words.flat(), ...words.filter((list) => list.length > 1_000)];
  const chains = sources.flatMap((list) =>
    [1, 2].map((order) => chainOf(shuffled(random, list).slice(0, 20_000), order)),
  );
  const word = (rng) => rng.pick(rng.chance(0.4) ? lists.services : rng.pick(known));
  /** A name, one with an initial, or two; or a word. */
  const stemOf = (random) => {
    const separator = optionalSeparator(random);
    return random.pick([
      (rng) => rng.pick(common),
      (_rng, name) => name,
      (rng) => rng.pick(lower) + separator + rng.pick(common),
      (rng, name) => rng.pick(common) + separator + name,
      word,
      (rng) => word(rng) + separator + word(rng),
    ]);
  };
  const affixed = (random, stem, tail, before = 0.2) => {
    const [separator, isBefore, cut] = [optionalSeparator(random), random.chance(before), random.chance(0.15) ? 4 : 40];
    return (rng, name) => {
      const [head, text] = [stem(rng, name).slice(0, cut), tail(rng)];
      return isBefore ? text + separator + head : head + separator + text;
    };
  };
  const prefix = (random) =>
    random.chance(0.7) ? () => random.pick(lists.prefixes) : (rng) => rng.pick(lists['account nouns']);
  const mixedToken = (random) => tokenGenerator(random, 4, random.pick([5, 6, 8, 10]), true);
  const anyTail = (random) => (random.chance(0.5) ? numberGenerator(random) : tokenGenerator(random, 4, 12));
  const longNumber = (random) => {
    const [count, time] = [random.between(6, 10), timeGenerator(random)];
    return random.chance(0.7) ? (rng) => textOf(rng, digits, count) : time;
  };
  const shortNumber = (rng) => textOf(rng, digits, rng.between(2, 5));
  const kinds = {
    'random text': [10, tokenGenerator],
    'short random text': [6, (random) => tokenGenerator(random, 5, random.between(5, 8))],
    digits: [3, (random) => random.pick([numberGenerator(random), (rng) => textOf(rng, digits, rng.between(4, 20))])],
    groups: [6, groupGenerator],
    keyboards: [10, keyboardGenerator],
    repetitions: [13, repetitionGenerator],
    syllables: [11, syllableGenerator],
    'syllables with a number': [13, (random) => affixed(random, syllableGenerator(random), shortNumber, 0)],
    'letter chains': [8, chainGenerator(chains)],
    'altered names': [8, alteredNameGenerator],
    'scattered separators': [5, scatteredGenerator],
    'names with a token': [14, (random) => affixed(random, stemOf(random), mixedToken(random))],
    'names with a long number': [8, (random) => affixed(random, stemOf(random), longNumber(random), 0.05)],
    'prefixes with a number or token': [9, (random) => affixed(random, prefix(random), anyTail(random))],
    'embedded addresses and ids': [5, embeddedAddressGenerator],
  };
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, [share, draw]]) => {
      const generators = Array.from({ length: generatorsPerKind }, () => draw(random));
      return [kind, { share, make: (rng) => rng.pick(generators)(rng, rng.pick(names), rng.pick(names)) }];
    }),
  );
}
