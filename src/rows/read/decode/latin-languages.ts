/** The non-ASCII letters of languages in Latin script, by the encodings that their programs wrote. */
const western = ['äöüß', 'éèêëàâçîïôûùœæ', 'áéíóúñü', 'áâãàçéêíóôõú', 'àèéìòù', 'æøåé', 'äöåé', 'éëïèöü', 'àèéíïòóúüç'];
const central = ['ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíľňóôšťúýž', 'áéíóöőúüű', 'ăâîşţșț', 'čćđšž', 'äöüßé'];
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
    const rate = isLetter(char) ? rateLetter(text, index, alphabet) : rateSign(text, index);
    if (rate === 0) continue;
    all++;
    score += rate;
  }
  return all === 0 ? 0 : score / (all + letterPrior);
}

/** Letters that are words. */
const letterWords = 'àáâåæèéêíòóôöùúý';

/** 1 for a letter of the alphabet where it can stand, below 0 for one that can only be another sign. */
function rateLetter(text: string, index: number, alphabet: ReadonlySet<string>): number {
  const char = text.charAt(index);
  const [before, after] = [text.charAt(index - 1), text.charAt(index + 1)];
  // 2º, 1ª.
  if (char === 'º' || char === 'ª') return isDigit(before) ? 1 : -0.5;
  if (isDigit(before) || isDigit(after) || followsAddress(text, index)) return -2;
  const isInnerCapital = /\p{Ll}/u.test(before) && /\p{Lu}/u.test(char);
  const isBeforeCapital = isLetter(before) && /\p{Ll}/u.test(char) && /\p{Lu}/u.test(after);
  if (isInnerCapital || isBeforeCapital) return -2;
  if (!isLetter(before) && !isLetter(after) && !letterWords.includes(char.toLowerCase())) return -1;
  return alphabet.has(char.toLowerCase()) || char === 'İ' ? 1 : -0.5;
}

/** True at the end of an address, where a no-break space is more likely than a letter. */
function followsAddress(text: string, index: number): boolean {
  if (isLetter(text.charAt(index + 1))) return false;
  return /@[^\s@]*\.[a-z]{2,}$/i.test(text.slice(Math.max(0, index - 80), index));
}

/** 1 for a sign where it usually stands, 0 where it may, below 0 where only a letter of another encoding can. */
function rateSign(text: string, index: number): number {
  const char = text.charAt(index);
  const [before, after] = [text.charAt(index - 1), text.charAt(index + 1)];
  const [isAfterLetter, isBeforeLetter] = [isLetter(before), isLetter(after)];
  const isBetweenLetters = isAfterLetter && isBeforeLetter;
  const isBetweenWords = isBetweenLetters && /\p{Ll}/u.test(before) && /\p{Lu}/u.test(after);
  switch (char) {
    case '\u00a0':
      return isBetweenLetters && !isBetweenWords ? -3 : 1;
    case '’':
      return isBeforeLetter && !isAfterLetter ? 0 : 1;
    case '…':
      return isBetweenLetters ? -3 : 1;
    case '™':
    case '®':
    case '©':
      return isBeforeLetter ? -3 : 1;
    case '”':
    case '»':
      return isBetweenLetters ? -3 : isBeforeLetter ? 0 : 1;
    case '‘':
    case '“':
    case '„':
    case '«':
      return isBetweenLetters ? -3 : isAfterLetter ? 0 : 1;
    case '–':
    case '—':
      if (isBetweenLetters) return isBetweenWords ? 0 : -3;
      return isAfterLetter || isBeforeLetter ? -1 : 1;
    case '€':
    case '£':
      if (isDigit(before) || isDigit(after)) return 1;
      return isAfterLetter || isBeforeLetter ? -3 : 0;
  }
  if (/[‚‛§°·•]/.test(char) && !isAfterLetter) return 0;
  return isAfterLetter || isBeforeLetter ? -3 : -1;
}

function isLetter(char: string): boolean {
  return /\p{L}/u.test(char);
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}
