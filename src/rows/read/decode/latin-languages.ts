/** The non-ASCII letters of languages in Latin script, by the encodings that their programs wrote. */
const western = ['äöüß', 'éèêëàâçîïôûùœæ', 'áéíóúñü', 'áâãàçéêíóôõú', 'àèéìòù', 'æøåé', 'äöåé', 'éëïèöü', 'àèéíïòóúüç'];
const central = ['ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű', 'ăâîşţșț', 'čćđšž', 'äöüßé'];
const turkish = ['çğışöüâî'];

interface LatinEncoding {
  encoding: string;
  languages: readonly string[];
}

/** Encodings of Latin script; if two decode to the same text, the first is used. */
export const latinEncodings: readonly LatinEncoding[] = [
  { encoding: 'windows-1252', languages: western },
  { encoding: 'windows-1250', languages: central },
  { encoding: 'iso-8859-2', languages: central },
  { encoding: 'windows-1254', languages: turkish },
  { encoding: 'iso-8859-15', languages: western },
  { encoding: 'ibm850', languages: western },
  { encoding: 'ibm852', languages: central },
  { encoding: 'macintosh', languages: western },
];

/** Signs that stand between words in any language; others within or next to a word are letters of another encoding. */
const punctuation = /[\u2018-\u201e\u2013\u2014\u2026\u00ab\u00bb\u00a0€§©®°·•]/;
/** Turkish letters have the same bytes as these Icelandic ones, and Turkish lists are more frequent. */
const icelandic = 'ýþð';
const letterPrior = 1;
/** A list of many countries fits no single language. */
const mixedShare = 0.75;

/** The share of letters that fit one language, less what does not belong into words: up to 1, below 0 for mojibake. */
export function rateLatin(text: string, languages: readonly string[]): number {
  const alphabets = [...languages, ...(languages.length > 2 ? [`${languages.join('')}${icelandic}`] : [])];
  const rates = alphabets.map((alphabet, index) => {
    const rate = rateLetters(text, new Set(alphabet));
    return index >= languages.length && rate > 0 ? rate * mixedShare : rate;
  });
  return Math.max(...rates);
}

function rateLetters(text: string, alphabet: ReadonlySet<string>): number {
  let all = 0;
  let score = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    if (char < '\x80') continue;
    const isInWord = isLetter(text.charAt(index - 1)) || isLetter(text.charAt(index + 1));
    if (!isLetter(char)) {
      // O’Neil, l’été.
      if (char === '\u2019' || (punctuation.test(char) && !isBetweenLetters(text, index))) continue;
      all++;
      score -= isInWord ? 3 : 1;
      continue;
    }
    all++;
    const isInnerCapital = /\p{Ll}/u.test(text.charAt(index - 1)) && /\p{Lu}/u.test(char);
    const isKnown = alphabet.has(char.toLowerCase()) || char === 'İ';
    score += isInnerCapital ? -2 : isKnown ? 1 : -0.5;
  }
  return all === 0 ? 0 : score / (all + letterPrior);
}

function isBetweenLetters(text: string, at: number): boolean {
  return isLetter(text.charAt(at - 1)) && isLetter(text.charAt(at + 1));
}

function isLetter(char: string): boolean {
  return /\p{L}/u.test(char);
}
