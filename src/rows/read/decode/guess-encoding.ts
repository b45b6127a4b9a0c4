import { type ByteDecoder, createByteDecoder } from './byte-decoder.js';
import { commonCharacters } from './common-characters.js';
import { decode1252 } from './decoder.js';
import { latinEncodings, rateLatin } from './latin-languages.js';

/** The probable encoding of bytes that are not UTF-8. */
export interface EncodingGuess {
  encoding: string;
  isCertain: boolean;
}

/** The most common legacy encoding, in which any bytes are valid. */
export const fallbackEncoding = 'windows-1252';

interface Candidate {
  encoding: string;
  /** The share of non-ASCII characters that are common in its languages: 0 to 1, lower for short texts. */
  rate(text: string): number;
  /** The minimum rate at which it is chosen. */
  minRate: number;
  fits(shape: Shape): boolean;
}

const korean = new Set(commonCharacters.korean);
const simplified = new Set(commonCharacters.simplified);
const traditional = new Set(commonCharacters.traditional);
const kanji = new Set(commonCharacters.kanji);

const candidates: readonly Candidate[] = [
  { encoding: 'shift_jis', ...ideographs(isJapanese), fits: () => true },
  { encoding: 'euc-jp', ...ideographs(isJapanese) },
  { encoding: 'euc-kr', ...ideographs((char) => korean.has(char)) },
  { encoding: 'gb18030', ...ideographs((char) => simplified.has(char)), fits: () => true },
  { encoding: 'big5', ...ideographs((char) => traditional.has(char)), fits: () => true },
  { encoding: 'windows-1251', ...letters(/\p{Script=Cyrillic}/u, 'оеаинтсрвлкміу') },
  { encoding: 'koi8-r', ...letters(/\p{Script=Cyrillic}/u, 'оеаинтсрвлкміу') },
  { encoding: 'koi8-u', ...letters(/\p{Script=Cyrillic}/u, 'оеаинтсрвлкміу') },
  { encoding: 'iso-8859-5', ...letters(/\p{Script=Cyrillic}/u, 'оеаинтсрвлкміу') },
  { encoding: 'ibm866', ...letters(/\p{Script=Cyrillic}/u, 'оеаинтсрвлкміу') },
  { encoding: 'windows-1253', ...letters(/\p{Script=Greek}/u, 'αοιετσνηυρπκλ') },
  { encoding: 'windows-1255', ...letters(/\p{Script=Hebrew}/u, 'יוהלארמתבשנדקחע') },
  { encoding: 'windows-1256', ...letters(/\p{Script=Arabic}/u, 'اليمنوتربةدعسحه') },
];

const minLead = 0.15;
const minLatinRate = 0.5;
/** Bytes of each line that are rated; all encodings of Latin script have one byte per character. */
const maxRatedBytes = 512;
const minRateAgainstLatin = 0.6;
/** Added to the number of characters: a few may be common ones by chance. */
const ideographPrior = 1.5;
const letterPrior = 3;

/** Guesses the encoding by how common the characters are that each candidate decodes. */
export function guessEncoding(lines: readonly Uint8Array[]): EncodingGuess {
  const shape = shapeOf(lines);
  const { isLatin } = shape;
  const rated = candidates
    .filter(({ fits }) => fits(shape))
    .map((candidate) => ({ ...candidate, text: decodeAll(candidate.encoding, lines) }))
    // If two encodings decode to the same text, the first is used.
    .filter(({ text }, index, all) => text !== null && all.findIndex((other) => other.text === text) === index)
    .map(({ text, ...candidate }) => ({ ...candidate, rate: candidate.rate(text?.replace(/[\0-\x7f]+/g, ' ') ?? '') }))
    .sort((one, other) => other.rate - one.rate);
  const [best, next] = rated;
  const isGood = best !== undefined && best.rate >= (isLatin ? minRateAgainstLatin : best.minRate);
  if (isGood && best.rate - (next?.rate ?? 0) >= minLead) return { encoding: best.encoding, isCertain: true };
  if (lines.every(isShiftJis)) return { encoding: 'shift_jis', isCertain: true };
  const latin = isLatin ? guessLatin(lines.map((line) => line.subarray(0, maxRatedBytes))) : null;
  if (latin !== null) return latin;
  return { encoding: fallbackEncoding, isCertain: isLatin && (best?.rate ?? 0) === 0 };
}

/** The encoding of Latin script that fits clearly better than windows-1252; null if none fits better at all. */
function guessLatin(lines: readonly Uint8Array[]): EncodingGuess | null {
  const rated: { encoding: string; text: string; rate: number }[] = [];
  for (const { encoding, languages } of latinEncodings) {
    const text = decodeAll(encoding, lines);
    if (text === null || rated.some((other) => other.text === text)) continue;
    rated.push({ encoding, text, rate: rateLatin(text, languages) });
  }
  const [fallback] = rated;
  const [best, next] = rated.toSorted((one, other) => other.rate - one.rate);
  if (best === undefined || fallback === undefined || best === fallback) return null;
  if (best.rate - fallback.rate < minLead) return { encoding: fallbackEncoding, isCertain: false };
  return { encoding: best.encoding, isCertain: best.rate >= minLatinRate && best.rate - (next?.rate ?? 0) >= minLead };
}

function decodeAll(encoding: string, lines: readonly Uint8Array[]): string | null {
  try {
    const decode = encoding === fallbackEncoding ? decode1252 : (line: Uint8Array) => decoderOf(encoding).decode(line);
    return lines.map(decode).join('\n');
  } catch {
    return null;
  }
}

const decoders = new Map<string, ByteDecoder>();

function decoderOf(encoding: string): ByteDecoder {
  const decoder = decoders.get(encoding) ?? createByteDecoder(encoding);
  decoders.set(encoding, decoder);
  return decoder;
}

function isJapanese(char: string): boolean {
  return (char >= '\u3041' && char <= '\u30ff') || kanji.has(char);
}

/** Punctuation and full-width letters occur in all of these encodings. */
const neutral = /[\u3000-\u303f\uff01-\uff5e\u00b7\u2014\u2018-\u201d\u2026]/;

/** Rates by the share of common characters: about a third in names and places, about a tenth in the wrong encoding. */
function ideographs(isCommon: (char: string) => boolean): Omit<Candidate, 'encoding'> {
  const rate = (text: string): number => {
    let all = 0;
    let common = 0;
    for (const char of text) {
      if (char === ' ' || neutral.test(char)) continue;
      all++;
      if (isCommon(char)) common++;
    }
    return common / (all + ideographPrior);
  };
  return { rate, minRate: 0.3, fits: ({ isLatin }) => !isLatin };
}

/** Letters of one alphabet, mostly frequent ones. Other characters, and a capital after a small letter, count against it. */
function letters(alphabet: RegExp, frequent: string): Omit<Candidate, 'encoding'> {
  const frequentLetters = new Set(frequent);
  const rate = (text: string): number => {
    let all = 0;
    let good = 0;
    let previous = ' ';
    for (const char of text) {
      if (char !== ' ') {
        all++;
        const isInnerCapital = isLowerCase(previous) && !isLowerCase(char);
        if (!alphabet.test(char) || isInnerCapital) good--;
        else good += frequentLetters.has(withoutAccent(char.toLowerCase())) ? 1 : 0.25;
      }
      previous = char;
    }
    return Math.max(0, good / (all + letterPrior));
  };
  return { rate, minRate: 0.5, fits: ({ hasWords }) => hasWords };
}

function isLowerCase(char: string): boolean {
  return char !== char.toUpperCase();
}

function withoutAccent(char: string): string {
  return char.normalize('NFD').charAt(0);
}

/** How the non-ASCII bytes are distributed. */
interface Shape {
  /** True if most occur singly or in pairs within words of ASCII letters. */
  isLatin: boolean;
  /** True if most are in words without ASCII letters. */
  hasWords: boolean;
}

function shapeOf(lines: readonly Uint8Array[]): Shape {
  let high = 0;
  let inWords = 0;
  let separate = 0;
  for (const line of lines) {
    for (let index = 0; index < line.length; index++) {
      let end = index;
      while ((line[end] ?? 0) >= 0x80) end++;
      if (end === index) continue;
      const length = end - index;
      const touches = isWordByte(line[index - 1]) || isWordByte(line[end]);
      // A single one between spaces may be a dash.
      if (length > 1 || touches) high += length;
      if (length <= 2 && touches) inWords += length;
      if (length >= 3 && !touches) separate += length;
      index = end;
    }
  }
  return { isLatin: inWords * 2 >= high, hasWords: separate > 0 && separate * 5 >= high * 3 };
}

/** An ASCII letter or digit. */
function isWordByte(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
}

const kana = /[\u3041-\u30ff]/;
/** Japanese characters that occur in runs: kana, kanji, punctuation and full-width letters. */
const japaneseRun = /[\u3001-\u3015\u3041-\u30ff\u4e00-\u9fff\uff01-\uff5e]+/g;
const strictShiftJis = new TextDecoder('shift_jis', { fatal: true });

/** True if a line is Shift-JIS rather than windows-1252: Japanese comes in runs, while accented letters and quotes stand alone among ASCII letters. */
function isShiftJis(line: Uint8Array): boolean {
  let text: string;
  try {
    text = strictShiftJis.decode(line);
  } catch {
    return false;
  }
  // Private use area: not text of any list.
  if (/[\ue000-\uf8ff]/.test(text)) return false;
  const runs = text.match(japaneseRun) ?? [];
  const single = runs.filter((run) => run.length === 1).length;
  const inRuns = runs.reduce((sum, run) => sum + run.length, 0) - single;
  return inRuns >= 2 && inRuns > 2 * single && (kana.test(text) || inRuns >= 4 || hasJapaneseLeadBytes(line));
}

/** Lead bytes of common kanji (0x88 … 0x97) are quotes, dashes and rare letters in windows-1252, never two in a word. */
function hasJapaneseLeadBytes(line: Uint8Array): boolean {
  let high = 0;
  let leads = 0;
  for (const byte of line) {
    if (byte < 0x80) continue;
    high++;
    if (byte >= 0x81 && byte <= 0x9f) leads++;
  }
  return leads >= 2 && leads * 2 >= high;
}
