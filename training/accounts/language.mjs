import { isChinese } from '../people/pinyin.mjs';

/** Country of a mailbox's domain → its most common language. Country codes used worldwide (io, co, me) are left out. */
const languageOfCountry = Object.fromEntries(
  Object.entries({
    de: 'de at ch li',
    nl: 'nl be',
    sv: 'se',
    da: 'dk',
    nb: 'no',
    is: 'is',
    en: 'uk us au nz ie',
    fr: 'fr',
    es: 'es mx ar cl pe uy ve cr',
    it: 'it',
    pt: 'pt br',
    ro: 'ro md',
    ca: 'cat',
    ru: 'ru su',
    uk: 'ua',
    be: 'by',
    pl: 'pl',
    cs: 'cz',
    sk: 'sk',
    sl: 'si',
    hr: 'hr',
    sr: 'rs',
    mk: 'mk',
    bg: 'bg',
    bs: 'ba',
    fi: 'fi',
    et: 'ee',
    lv: 'lv',
    lt: 'lt',
    hu: 'hu',
    el: 'gr cy',
    sq: 'al',
    hy: 'am',
    ka: 'ge',
    tr: 'tr',
    az: 'az',
    kk: 'kz',
    uz: 'uz',
    ar: 'sa ae eg ma dz tn iq jo lb',
    he: 'il',
    fa: 'ir',
    hi: 'in',
    bn: 'bd',
    ur: 'pk',
    si: 'lk',
    ne: 'np',
    zh: 'cn tw hk',
    ja: 'jp',
    ko: 'kr',
    vi: 'vn',
    th: 'th',
    id: 'id',
    ms: 'my sg',
    fil: 'ph',
    km: 'kh',
    sw: 'ke tz',
    yo: 'ng',
    zu: 'za',
    am: 'et',
  }).flatMap(([language, countries]) => countries.split(' ').map((country) => [country, language])),
);

/** Script → language. Kana before Han, because Japanese uses both. */
const scripts = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Armenian}/u, 'hy'],
  [/\p{Script=Georgian}/u, 'ka'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Thai}/u, 'th'],
];

/** Chinese providers and companies under .com. */
const chineseDomains =
  /@([^\s<>]*\.)?(163|126|qq|foxmail|sina|sohu|aliyun|alibaba-inc|antgroup|huawei|tencent|bytedance|baidu|zte|linux\.alibaba)\.com\s*>?\s*$/i;

/** The language of `Jane Doe <jane@corp.de>` by script, pinyin syllables, provider or country; undefined if none applies. */
export function languageOf(value, name) {
  const written = scripts.find(([script]) => script.test(name))?.[1];
  const address = typeof value === 'object' ? value.email : value;
  if (written === undefined && (isChinese(name) || chineseDomains.test(address))) return 'zh';
  return written ?? languageOfCountry[/@[^\s<>]*\.([a-z]{2,3})\s*>?\s*$/i.exec(address)?.[1]?.toLowerCase()];
}
