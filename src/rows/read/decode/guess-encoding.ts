import { commonCharacters } from './common-characters.js';
import { isShiftJis } from './encoding.js';

/** What bytes that are not UTF-8 are taken for. */
export interface Guess {
  encoding: string;
  /** False where it is only what a reader will most likely get along with. */
  sure: boolean;
}

/** What most lists in an old encoding are in, and what any bytes may be. */
export const usual = 'windows-1252';

interface Candidate {
  encoding: string;
  /** How much of what is beyond ASCII is what a text in it would have: 0 to 1, and less where there is little to go by. */
  rate(text: string): number;
  /** From which rate on it is believed. */
  least: number;
  /** Whether bytes that stand together in this way may be in it. */
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
  { encoding: 'windows-1253', ...letters(/\p{Script=Greek}/u, 'αοιετσνηυρπκλ') },
  { encoding: 'windows-1255', ...letters(/\p{Script=Hebrew}/u, 'יוהלארמתבשנדקחע') },
  { encoding: 'windows-1256', ...letters(/\p{Script=Arabic}/u, 'اليمنوتربةدعسحه') },
];

const leastLead = 0.15;
const leastAgainstLatin = 0.6;
/** Few characters may be common ones by chance. */
const doubt = 1.5;
const doubtOfLetters = 3;

/** What lines that are not UTF-8 are in, by how common the characters are that each encoding would make of them. */
export function guessEncoding(lines: readonly Uint8Array[]): Guess {
  const shape = shapeOf(lines);
  const { latin } = shape;
  const rated = candidates
    .filter(({ fits }) => fits(shape))
    .map((candidate) => ({ ...candidate, rate: rateOf(candidate, lines) }))
    .sort((one, other) => other.rate - one.rate);
  const [best, next] = rated;
  const isGood = best !== undefined && best.rate >= (latin ? leastAgainstLatin : best.least);
  if (isGood && best.rate - (next?.rate ?? 0) >= leastLead) return { encoding: best.encoding, sure: true };
  if (lines.every(isShiftJis)) return { encoding: 'shift_jis', sure: true };
  return { encoding: usual, sure: latin && (best?.rate ?? 0) === 0 };
}

function rateOf({ encoding, rate }: Candidate, lines: readonly Uint8Array[]): number {
  const decoder = decoderOf(encoding);
  let text = '';
  try {
    for (const line of lines) text += decoder.decode(line);
  } catch {
    return 0;
  }
  return rate(text.replace(/[\0-\x7f]+/g, ' '));
}

const decoders = new Map<string, TextDecoder>();

function decoderOf(encoding: string): TextDecoder {
  const known = decoders.get(encoding) ?? new TextDecoder(encoding, { fatal: true });
  decoders.set(encoding, known);
  return known;
}

function isJapanese(char: string): boolean {
  return (char >= '\u3041' && char <= '\u30ff') || kanji.has(char);
}

/** Marks and full-width letters are in all of them, and tell nothing. */
const neutral = /[\u3000-\u303f\uff01-\uff5e\u00b7\u2014\u2018-\u201d\u2026]/;

/** A third of the characters of names and places is common; of a text that is something else, a tenth. */
function ideographs(isCommon: (char: string) => boolean): Omit<Candidate, 'encoding'> {
  const rate = (text: string): number => {
    let all = 0;
    let common = 0;
    for (const char of text) {
      if (char === ' ' || neutral.test(char)) continue;
      all++;
      if (isCommon(char)) common++;
    }
    return common / (all + doubt);
  };
  return { rate, least: 0.3, fits: ({ latin }) => !latin };
}

/** Letters of one alphabet, three quarters of them frequent ones; what is none, and a capital behind a small letter, speaks against it. */
function letters(alphabet: RegExp, frequent: string): Omit<Candidate, 'encoding'> {
  const often = new Set(frequent);
  const rate = (text: string): number => {
    let all = 0;
    let good = 0;
    let before = ' ';
    for (const char of text) {
      if (char !== ' ') {
        all++;
        const isJump = isSmall(before) && !isSmall(char);
        if (!alphabet.test(char)) good--;
        else if (isJump) good--;
        else good += often.has(bare(char.toLowerCase())) ? 1 : 0.25;
      }
      before = char;
    }
    return Math.max(0, good / (all + doubtOfLetters));
  };
  return { rate, least: 0.5, fits: ({ words }) => words };
}

function isSmall(char: string): boolean {
  return char !== char.toUpperCase();
}

function bare(char: string): string {
  return char.normalize('NFD').charAt(0);
}

/** How bytes beyond ASCII stand together. */
interface Shape {
  /** One or two of them stand among the Latin letters of a word. */
  latin: boolean;
  /** They make up words of their own. */
  words: boolean;
}

function shapeOf(lines: readonly Uint8Array[]): Shape {
  let high = 0;
  let within = 0;
  let apart = 0;
  for (const line of lines) {
    for (let at = 0; at < line.length; at++) {
      let end = at;
      while ((line[end] ?? 0) >= 0x80) end++;
      if (end === at) continue;
      const length = end - at;
      high += length;
      const touches = isOfWord(line[at - 1]) || isOfWord(line[end]);
      if (length <= 2 && touches) within += length;
      if (length >= 3 && !touches) apart += length;
      at = end;
    }
  }
  return { latin: within * 2 >= high, words: apart * 5 >= high * 3 };
}

/** An ASCII letter or digit. */
function isOfWord(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
}
