import { boundary, foldToAscii } from './fold-to-ascii.js';

/** Weights of trigrams and of everything that is counted; after them, the weights of known n-grams and words. */
const countedSize = 1 << 16;
export const tableSize = countedSize + (1 << 17);

/** N-grams of this length or more, and words, count only if several names share them. */
export const minKnownLength = 4;
export const maxNgramLength = 6;

/** The features of one text, as indexes of weights, and the calibration line for it. */
interface Features {
  /** N-grams, words and patterns: their weights are shared out, so that long text does not outweigh the other features. */
  parts: number[];
  others: number[];
  line: number;
}

/** What the weight of each n-gram, word and pattern is multiplied by. */
export function partValue(partCount: number): number {
  return 3.5 / Math.sqrt(Math.max(4, partCount));
}

/** The log-odds of the features before calibration. */
export function sumOf(weights: Int8Array, { parts, others }: Features): number {
  const sum = (indexes: number[]) => indexes.reduce((total, index) => total + (weights[index] as number), 0);
  return sum(parts) * partValue(parts.length) + sum(others);
}

/** Calibration lines: local parts with up to 5, 7, 10 and more letters, and tags. */
export const lineCount = 5;
const tagLine = 4;

/** FNV-1a over character codes. */
const hashSeed = 0x811c9dc5 | 0;
const addToHash = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193);

export function hashOf(text: string): number {
  let hash = hashSeed;
  for (let index = 0; index < text.length; index++) hash = addToHash(hash, text.charCodeAt(index));
  return hash;
}

const namesHashed = new Map<string, number>();

/** The hash of the name of a feature. */
function hashOfName(name: string): number {
  const hash = namesHashed.get(name) ?? hashOf(name);
  namesHashed.set(name, hash);
  return hash;
}

/** Mixes a hash: its low bits depend on all bits. */
function mix(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (Math.imul(mixed ^ (mixed >>> 13), 0x297a2d39) ^ (mixed >>> 16)) >>> 0;
}

/** Text in which each number is one digit, so that `jane84` and `jane1991` share n-grams. */
export function collapseNumbers(text: string): string {
  return text.replaceAll(/\d+/g, '0');
}

/** The words of a folded text that may be in the lexicon. */
export function wordsIn(text: string): string[] {
  return text.match(/[^\d.]{4,}/g) ?? [];
}

/**
 * The features of a local part without its tag, or of a tag. `isKnown` tells by its hash whether several real names share
 * an n-gram or a word (words begin with `#`). Training and the program share this function.
 */
export function readFeatures(text: string, isTag: boolean, isKnown: (hash: number) => boolean, year: number): Features {
  const folded = foldToAscii(text);
  const parts: number[] = [];
  const others: number[] = [];
  const salt = isTag ? 0x5bd1e995 : 0x1b873593;
  const count = (name: string, value: number | string) => {
    const hash = typeof value === 'number' ? value : hashOf(value);
    others.push(mix(hashOfName(name) ^ salt ^ Math.imul(hash, 0x9e3779b1)) % countedSize);
  };
  const know = (hash: number) => {
    parts.push(countedSize + (mix(hash) % (tableSize - countedSize)));
  };

  const { letters, digits, vowels, classes, letterGroups, digitGroups, consonantRun, hexadecimal } = classify(folded);
  const size = Math.min(24, letters.length);
  const total = Math.min(16, letters.length + digits.length);
  const shape = digits === '' ? 0 : digitGroups === 1 && /\d\.$/.test(folded) ? 1 : 2;

  // Pronounceable random text has common trigrams, but few longer n-grams that names share.
  const ngrams = readNgrams(collapseNumbers(folded), isKnown);
  for (const trigram of ngrams.trigrams) parts.push(mix(trigram ^ salt) % countedSize);
  for (const part of ngrams.known) know(part);
  count('uncovered', Math.min(16, ngrams.uncovered) * 32 + size);
  count('unknown', Math.min(16, ngrams.unknown) * 32 + size);
  const coverage = (Math.min(8, ngrams.unknown) * 9 + Math.min(8, ngrams.uncovered)) * 9 + Math.min(8, ngrams.long);
  count('coverage', coverage * 32 + size);
  count('long', Math.min(16, ngrams.long) * 32 + size);
  count('unknown run', (Math.min(16, ngrams.unknownRun) * 32 + size) * 4 + shape);
  count('unknown run and number', Math.min(12, ngrams.unknownRun) * 16 + Math.min(12, digits.length));
  const uncovered = Math.min(8, ngrams.uncovered) * 9 + Math.min(8, digits.length);
  count('uncovered and number', uncovered * 16 + Math.min(12, size));

  for (const word of wordsIn(folded)) {
    const readings = [word, word.slice(1), word.slice(0, -1)].map((reading) => hashOf(`#${reading}`));
    const known = readings.map((hash, at) => (at === 0 || word.length > minKnownLength) && isKnown(hash));
    if (known[0]) know(readings[0] as number);
    const withoutInitial = known.indexOf(true, 1);
    if (withoutInitial > 0) know(readings[withoutInitial] as number);
    count('word', Math.min(12, word.length) * 4 + (known[0] ? 2 : 0) + (withoutInitial > 0 ? 1 : 0));
  }

  for (let start = 0; start < classes.length - 5; start++)
    parts.push(mix(hashOf(classes.slice(start, start + 6)) ^ ~salt) % countedSize);

  const words = folded.split(boundary).filter((word) => word !== '');
  const { straight, adjacent, repeats } = runsIn(folded);
  count('words', Math.max(0, ...words.map((word) => word.length)) * 8 + Math.min(5, words.length));
  const wordsOf = (length: number) => words.filter((word) => word.length === length).length;
  count('short words', (wordsOf(1) * 64 + wordsOf(2)) * 8 + Math.min(6, words.length));
  count('groups', ((letterGroups * 64 + digitGroups) * 2 + (classes[1] === '9' ? 1 : 0)) * 32 + total);
  count('consonants', Math.min(8, consonantRun) * 32 + size);
  count('vowels', Math.round((10 * vowels) / Math.max(1, letters.length)) * 32 + size);
  count('not hexadecimal', Math.min(12, letters.length - hexadecimal) * 16 + Math.min(12, digits.length));
  count('repeats', Math.min(6, repeats));
  const distinct = new Set(letters).size;
  count('distinct', distinct * 32 + size);
  count('keys', straight * 32 + total);
  count('neighbors', Math.round((8 * adjacent) / Math.max(1, total)) * 32 + total);
  const period = letters.length > 3 ? periodOf(folded) : 0;
  if (period > 0) count('period', period * 32 + total);
  if (period > 0) count('period and letters', period * 32 + distinct);

  for (const word of digits === '' ? [] : words) {
    const runs = word.replaceAll(/\d+/g, '9').replaceAll(/[^9]+/g, 'a');
    if (runs.length > 1) count('mixed word', `${runs.slice(0, 6)} ${Math.min(14, word.length)}`);
  }

  const unusual = countOf(folded, /[^a-z\d.'\u0080-\uffff]/g);
  if (unusual > 0) count('unusual', Math.min(3, unusual));
  if (unusual > 0) for (const sign of new Set(folded.match(/[=+{}!#%*/]/g))) count('sign', sign);
  const capitals = countOf(text, /[a-z](?=[A-Z])/g);
  if (capitals > 1) count('capitals', Math.min(6, capitals));
  if (digits !== '') readDigits(folded, letters, digits, vowels, year, count);
  if (/[^\d.]\d/.test(folded) && /\d[^\d.]/.test(folded)) readLeet(folded, isKnown, know, count);
  return {
    parts,
    others,
    line: isTag ? tagLine : letters.length <= 7 ? (letters.length <= 5 ? 0 : 1) : letters.length <= 10 ? 2 : 3,
  };
}

/** The letters and digits of a text, and its pattern of vowels, consonants and digits; `y` is a vowel, as in most names. */
function classify(folded: string) {
  const letters = folded.replaceAll(/[\d.]/g, '');
  const classes = folded
    .replaceAll(/[^\d.aeiouy]/g, 'c')
    .replaceAll(/[aeiouy]/g, 'v')
    .replaceAll(/\d/g, '9');
  return {
    ...{ letters, digits: folded.replaceAll(/\D/g, ''), classes },
    ...{ vowels: countOf(letters, /[aeiouy]/g), hexadecimal: countOf(letters, /[a-f]/g) },
    ...{ letterGroups: countOf(classes, /[cv]+/g), digitGroups: countOf(classes, /9+/g) },
    consonantRun: longest(classes, /c+/g),
  };
}

/** Trigrams, longer n-grams of one word that names share, and how much of the text those cover. */
function readNgrams(text: string, isKnown: (hash: number) => boolean) {
  const found = { trigrams: [] as number[], known: [] as number[], uncovered: 0, unknown: 0, long: 0, unknownRun: 0 };
  let coveredTo = 0;
  let touchedTo = 0;
  let run = 0;
  for (let start = 0; start < text.length - 2; start++) {
    const isLetter = text[start] !== boundary && text[start] !== '0';
    let end = start + 2;
    if (text[start + 1] !== boundary) {
      let hash = addToHash(addToHash(hashSeed, text.charCodeAt(start)), text.charCodeAt(start + 1));
      hash = addToHash(hash, text.charCodeAt(start + 2));
      found.trigrams.push(hash);
      for (end = start + 3; end < Math.min(text.length, start + maxNgramLength) && text[end - 1] !== boundary; end++) {
        hash = addToHash(hash, text.charCodeAt(end));
        if (!isKnown(hash)) break;
        found.known.push(hash);
      }
      if (isLetter && end === start + 3 && text[start + 2] !== boundary) found.unknown++;
    }
    if (end - start === maxNgramLength) found.long++;
    if (end - start > minKnownLength) coveredTo = Math.max(coveredTo, end);
    if (end - start >= minKnownLength) touchedTo = Math.max(touchedTo, end);
    if (isLetter && start >= coveredTo) found.uncovered++;
    run = isLetter && start >= touchedTo ? run + 1 : 0;
    found.unknownRun = Math.max(found.unknownRun, run);
  }
  return found;
}

/** Lengths, order and repetition of digits, and numbers that are a date. */
function readDigits(
  folded: string,
  letters: string,
  digits: string,
  vowels: number,
  year: number,
  count: (name: string, value: number | string) => void,
): void {
  const numbers = folded.match(/\d+/g) ?? [];
  const [first = ''] = numbers;
  const amount = Math.min(12, digits.length);
  const isAlone = letters === '' && numbers.length === 1 ? 1 : 0;
  // Counters pad with zeros; people write a leading zero only in a month.
  const padding = first.length < 3 ? '' : (/^0{1,2}/.exec(first)?.[0] ?? '');
  const ending = /\D(\d{4})\.$/.exec(folded)?.[1] ?? '';
  const endsInYear = ending !== '' && Number(ending) >= 1940 && Number(ending) <= year;
  const { straight, repeats } = runsIn(digits);
  const size = Math.min(20, letters.length);
  count('number', `${Math.min(12, longest(folded, /\d+/g))} ${endsInYear} ${padding}`);
  count('digits and letters', amount * 32 + size);
  count('digits and vowels', `${amount} ${Math.round((10 * vowels) / Math.max(1, letters.length))}`);
  count('repeated digits', (Math.min(6, repeats) * 16 + amount) * 2 + isAlone);
  count('sequence', `${straight} ${amount} ${Math.min(4, letters.length)}`);
  count('distinct digits', (new Set(digits).size * 16 + amount) * 2 + isAlone);
  count('changes', Math.min(10, countOf(folded, /\d(?=\D)|\D(?=\d)/g)) * 16 + amount);
  if (first.length >= 5) {
    count('first digits', `${first.slice(0, 2)} ${Math.min(15, first.length)}`);
    count('long number', `${isDate(first)} ${Math.min(4, letters.length)} ${Math.min(15, first.length)}`);
  }
  if (folded.length <= 12) count('positions', folded.replaceAll(/\d/g, '9').replaceAll(/[^9.]/g, 'a'));
}

const [day, month, yearOfDate] = ['(?:0?[1-9]|[12]\\d|3[01])', '(?:0?[1-9]|1[0-2])', '(?:(?:19|20)?\\d\\d)'];
/** A day and a month in any order with a year of two or four digits, with or without leading zeros. */
const date = new RegExp(`^(?:${day}${month}${yearOfDate}|${month}${day}${yearOfDate}|${yearOfDate}${month}${day})$`);

function isDate(number: string): boolean {
  return number.length >= 6 && date.test(number);
}

/** Digits that look like letters; a 1 may be an `i` or an `l`. Two or more digits at the end are a number. */
function readLeet(
  folded: string,
  isKnown: (hash: number) => boolean,
  know: (hash: number) => void,
  count: (name: string, value: number | string) => void,
): void {
  const text = folded.replace(/\d{2,}\.$/, '.');
  const [withI, withL] = ['oizeasgtbg', 'olzeasgtbg'].map((letters) =>
    text.replaceAll(/\d/g, (digit) => letters.charAt(Number(digit))),
  ) as [string, string];
  const others = wordsIn(withL);
  for (const [at, word] of wordsIn(withI).entries()) {
    const known = [word, others[at] ?? word].map((one) => hashOf(`#${one}`)).find(isKnown);
    if (known !== undefined) know(known);
    count('leet', `${Math.min(12, word.length)} ${known !== undefined}`);
  }
  const { unknown, unknownRun } = readNgrams(withI, isKnown);
  count('leet n-grams', `${Math.min(12, unknown)} ${Math.min(12, unknownRun)}`);
}

const keyRows = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
/** The position of each key on a QWERTY keyboard; 255 if it has none. */
const positions = Uint8Array.from({ length: 128 }, (_, code) => {
  const row = keyRows.findIndex((keys) => keys.includes(String.fromCharCode(code)));
  return row < 0 ? 255 : 16 * row + (keyRows[row] ?? '').indexOf(String.fromCharCode(code));
});

/** The longest run along a row of keys in one direction, the longest of one sign, and how many keys continue a run. */
function runsIn(text: string): { straight: number; adjacent: number; repeats: number } {
  let [straight, adjacent, repeats, run, direction, same, last] = [0, 0, 0, 0, 0, 1, 0];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const step = (positions[code] ?? 255) - (positions[last] ?? 255);
    const isNext = step === 1 || step === -1;
    same = code === last ? same + 1 : 1;
    run = isNext ? (step === direction ? run + 1 : 1) : 0;
    if (isNext || same > 1) adjacent++;
    if (same > 1) repeats = Math.max(repeats, same);
    straight = Math.max(straight, Math.min(8, run));
    direction = step;
    last = code;
  }
  return { straight, adjacent, repeats };
}

/** The distance of one to four at which a text repeats most, and how much of it repeats, in eighths. */
function periodOf(text: string): number {
  let best = { distance: 0, share: -1 };
  for (let distance = 1; distance <= 4; distance++) {
    let same = 0;
    for (let index = distance + 1; index < text.length - 1; index++) if (text[index] === text[index - distance]) same++;
    const share = Math.floor((8 * same) / Math.max(1, text.length - 2 - distance));
    if (share > best.share) best = { distance, share };
  }
  return best.share < 3 ? 0 : best.distance * 16 + best.share;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function longest(text: string, pattern: RegExp): number {
  return Math.max(0, ...(text.match(pattern) ?? []).map((part) => part.length));
}

/** Bytes of the lexicon, a Bloom filter of n-grams and words, and bits that each entry sets. */
export const lexiconSize = 312_500;
const bitsPerEntry = 6;

/** Calls `visit` with each bit of a hash until it gives false; tells whether it never did. */
export function everyBit(hash: number, visit: (byte: number, mask: number) => boolean): boolean {
  const first = mix(hash);
  const step = mix(first ^ 0x5bd1e995) | 1;
  for (let at = 0, bits = first; at < bitsPerEntry; at++, bits = (bits + step) >>> 0) {
    const bit = bits % (8 * lexiconSize);
    if (!visit(bit >> 3, 1 << (bit & 7))) return false;
  }
  return true;
}

export function isInLexicon(lexicon: Uint8Array, hash: number): boolean {
  return everyBit(hash, (byte, mask) => ((lexicon[byte] as number) & mask) !== 0);
}
