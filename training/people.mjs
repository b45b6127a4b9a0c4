// Local parts that people and organizations derive from names and words. Their shapes are data: `I~F*4` is an initial, a
// separator and a family name with four shares. A letter that a population has is replaced, any other sign stands for itself.
import { lists, readLists } from './corpora.mjs';
import { digits, lower, textOf } from './machines.mjs';

const shapes = Object.fromEntries(
  Object.entries(readLists('shapes.txt')).map(([population, templates]) => [
    population,
    templates.flatMap((template) => Array(Number(template.split('*')[1] ?? 1)).fill(template.split('*')[0])),
  ]),
);

/** One shape of a population, filled with its parts: sign → () → text. */
function fill(random, population, parts) {
  const separator = random.pick(['.', '.', '.', '_', '-', '']);
  const { between, pick } = random;
  const numbers = { D: () => between(1, 9), E: () => between(10, 99), '#': () => between(1, pick([99, 999, 9999])) };
  const all = { '~': () => separator, ...numbers, ...parts };
  return [...pick(shapes[population])].map((sign) => (sign in all ? all[sign]() : sign)).join('');
}

const two = (random, least, most) => String(random.between(least, most)).padStart(2, '0');

/** A date of birth in several orders, with a year of two or four digits or without one. */
function birthday(random) {
  const two = (least, most) => String(random.between(least, most)).padStart(2, '0');
  const year = String(random.between(1955, 2012));
  return fill(random, 'birthday', { d: () => two(1, 31), m: () => two(1, 12), y: () => year.slice(2), Y: () => year });
}

/** The parts of one person's name. */
function nameParts(random, given, middle, family) {
  const { pick, between } = random;
  return {
    G: () => given,
    M: () => middle,
    F: () => family,
    I: () => given[0],
    J: () => middle[0],
    K: () => family[0],
    P: () => given.slice(0, between(2, 5)),
    Q: () => family.slice(0, between(2, 5)),
    Z: () => pick(lists.particles),
    S: () => pick(['dr', 'prof', 'mr', 'mrs', 'ing']),
    C: () => pick(lists.faculties),
    O: () => pick(lists.months),
    R: () => pick(lists.regions),
    X: () => textOf(random, lower, between(1, 3)),
    l: () => random.pick(lower),
    9: () => random.pick(digits),
    y: () => two(random, 8, 26),
  };
}

const digitFor = { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7', l: '1', z: '2', b: '8', g: '9' };

/** Replaces one, some or most letters by similar digits. */
function leetspeak(random, name) {
  const places = [...name].flatMap((letter, at) => (letter in digitFor && (at > 0 || random.chance(0.1)) ? [at] : []));
  const positions = places.filter((at) => 'aeio'.includes(name[at]) || random.chance(0.3));
  if (positions.length === 0) return name;
  const one = random.pick(positions);
  const chosen = random.pick([[one], [one], positions.filter((at) => name[at] === name[one]), positions]);
  return [...name].map((letter, at) => (chosen.includes(at) ? digitFor[letter] : letter)).join('');
}

/** In China the syllables of a given name, in Vietnam the given name with the initials of the others. */
function eastAsianMailbox(random, population) {
  const { pick, between, chance } = random;
  const isChinese = population === 'chinese';
  const family = isChinese
    ? pick(lists['chinese surnames'].slice(0, pick([20, 50, 120])))
    : pick(lists['vietnamese family']);
  const middle = pick(lists['vietnamese middle']);
  const syllables = Array.from({ length: pick([1, 2, 2, 2]) }, () => pick(lists['pinyin syllables']));
  const form = fill(random, population, {
    U: () => family,
    u: () => family[0],
    V: () => (isChinese ? syllables.join('') : pick(lists['vietnamese given'])),
    v: () => syllables.map((syllable) => syllable[0]).join(''),
    t: () => syllables[0],
    i: () => family[0],
    m: () => (chance(0.5) ? middle[0] : middle),
  });
  return chance(0.3)
    ? form + pick([pick(lists['lucky numbers']), between(1, 99), between(1970, 2006), between(100, 9999)])
    : form;
}

/** One or several Indonesian names, with a prefix, repeated, or with vowels left out. */
function indonesianMailbox(random) {
  const name = () => random.pick(lists['indonesian names']);
  const form = fill(random, 'indonesian', {
    N: name,
    h: () => random.pick(lists['indonesian heads']),
    d: () => '',
    i: () => name()[0],
    j: () => name()[0],
    P: () => name().slice(0, 4),
    Q: () => name().slice(0, 4),
    b: () => name().replaceAll(/(?<=.)[aiueo]/g, ''),
  });
  return form + (random.chance(0.25) ? random.pick([random.between(1, 99), random.between(1990, 2006)]) : '');
}

const compoundCount = Object.keys(lists).filter((name) => name.startsWith('compound heads')).length;

/** African names are composed: more exist than any list has. */
function compoundName(random) {
  const part = random.between(1, compoundCount);
  const name = random.pick(lists[`compound heads ${part}`]) + random.pick(lists[`compound ends ${part}`]);
  return name.length >= 4 ? name : compoundName(random);
}

/** A nickname, a handle, a team or a shop. */
function handle(random, name, word, other) {
  const { pick, between } = random;
  return fill(random, 'handle', {
    W: () => word,
    O: () => other,
    G: () => name,
    g: () => name.at(-1),
    T: () => pick([...lists['handle heads'], ...lists.trades]),
    P: () => name.slice(0, between(3, 6)),
    Q: () => word.slice(0, between(1, 6)),
    n: () => pick(lists['name ends']),
    r: () => word.replace(/er$/, 'r').replace(/s$/, 'z').replace(/ck?s/, 'x'),
    L: () => leetspeak(random, pick([name, word, word + other, name + word])),
    u: () => pick(['u', 'x', 'k', 'me']),
  });
}

/** (random, corpora) → () → a mailbox of a person or a team. Each origin of names has the same share. */
export function peopleGenerator(random, { names, words, towns, natives }) {
  const word = () => random.pick(random.pick(words));
  const native = () => random.pick(natives);
  const town = () => (towns.length === 0 ? word() : random.pick(towns));
  const role = { R: () => random.pick(lists.roles), t: town, p: () => random.pick(lists.regions) };
  return () => {
    const { given, family } = random.pick(names);
    const [first, middle, last] = [random.pick(given), random.pick(given), random.pick(family)];
    const parts = nameParts(random, first, middle, last);
    const compound = () => nameParts(random, compoundName(random), compoundName(random), compoundName(random));
    const makers = [
      [36, () => fill(random, 'personal', parts)],
      [
        5,
        () =>
          fill(random, 'numbered', parts) +
          random.pick(['', '', '', '.', '_']) +
          random.pick([
            random.between(1, 999),
            random.between(1950, 2012),
            birthday(random),
            random.between(1000, 99_999),
          ]),
      ],
      [3, () => fill(random, 'personal', compound())],
      [5, () => fill(random, 'inside', parts)],
      [4, () => eastAsianMailbox(random, 'chinese')],
      [4, () => eastAsianMailbox(random, 'vietnamese')],
      [3, () => indonesianMailbox(random)],
      [4, () => fill(random, 'account', parts)],
      // The old limit of Unix.
      [3, () => fill(random, 'truncated', parts).slice(0, random.between(6, 8))],
      [24, () => handle(random, random.chance(0.6) ? first : last, word(), word())],
      [5, () => fill(random, 'role', role)],
      [9, () => fill(random, 'short', parts)],
      [3, () => (random.chance(0.5) ? native() : `${native()}.${native()}`)],
    ];
    const text = random.pick(makers.flatMap(([share, make]) => Array(share).fill(make)))();
    return random.chance(0.04) ? text.replaceAll(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase()) : text;
  };
}

/** What people write after a plus: a word, a site, a date or a short number. */
export function tagGenerator(random, { words }, accounts) {
  const { pick, between } = random;
  const parts = {
    s: () => pick(lists.services),
    c: () => pick(lists['common tags']),
    w: () => pick(pick(words)),
    a: () => pick(accounts).account,
    e: () => pick(['com', 'com', 'de', 'org', 'net', 'io', 'co.uk', 'fr', 'it', 'eu', 'app']),
    d: () => [between(1995, 2030), two(random, 1, 12), two(random, 1, 31)].join(pick(['', '-', '_', '.'])),
    l: () => textOf(random, lower, between(1, 2)),
    '#': () => between(1, pick([9, 99, 9999, 999_999])),
    Y: () => between(1995, 2030),
  };
  return () => fill(random, 'tag', parts);
}
