import { anyMailbox, anyTraffic, generalize, isUnchanged, mailboxClass, trafficClass } from './mailbox-words.js';

/** A compiled phrase. */
export interface Phrase {
  parts: string[];
  /** A word that every text with this phrase contains; null if all its words may continue. */
  word: string | null;
  /** Whether it contains `{mailbox}` or `{traffic}`. */
  isGeneral: boolean;
  /** Whether only an echo may precede it. */
  isAtStart: boolean;
}

/** A text prepared for matching. */
interface PreparedText {
  plain: Words;
  /** Computed for the first phrase with `{mailbox}`. */
  general: Words | null;
}

interface Words {
  text: string;
  words: ReadonlySet<string>;
}

/** Characters between two parts of a phrase. */
const maxGap = 80;

/** The text as lower-case words with one space before, between and after them, without accents, apostrophes and punctuation. */
export function fold(text: string): string {
  const bare = isAscii(text) ? text.toLowerCase().replace(/['`]/g, '') : withoutAccents(text);
  // The Unicode expression is slow to compile.
  const words = isAscii(bare) ? bare.replace(/[^a-z\d]+/g, ' ') : bare.replace(/[^\p{L}\p{N}]+/gu, ' ');
  return withEmail(` ${words.trim()} `);
}

/** Whether a text is ASCII. */
export function isAscii(text: string): boolean {
  return !/[^ -~\s]/.test(text);
}

function withEmail(folded: string): string {
  return folded.includes(' e mail') ? folded.replaceAll(' e mail', ' email') : folded;
}

function withoutAccents(text: string): string {
  const bare = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f'’`´]/g, '');
  // Other scripts have their own marks.
  const unmarked = /[\u0483-\uffff]/.test(bare) ? bare.replace(/\p{M}/gu, '') : bare;
  return asciiLetters.reduce((folded, [letter, ascii]) => folded.replaceAll(letter, ascii), unmarked);
}

/** Letters that Unicode does not decompose, with their ASCII spelling. */
const asciiLetters = [
  ['ł', 'l'],
  ['ß', 'ss'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ı', 'i'],
  ['æ', 'ae'],
  ['œ', 'oe'],
] as const;

/**
 * Compiles a phrase. `…` allows other words between, a final `*` lets the last word continue, `^` allows only an echo before it.
 * `{mailbox}` is any name of a mailbox and `{traffic}` anything that is counted; such phrases omit articles and forms of "be" and "have".
 */
export function compilePhrase(text: string): Phrase {
  const general = text.includes(mailboxClass) || text.includes(trafficClass);
  const begins = text.startsWith('^');
  const bare = begins ? text.slice(1) : text;
  const plain = general ? bare.replaceAll(mailboxClass, anyMailbox).replaceAll(trafficClass, anyTraffic) : bare;
  const parts = plain.split('…').map((part) => compilePart(general ? generalize(part) : part));
  return { parts, word: longestWholeWord(parts), isGeneral: general, isAtStart: begins };
}

/** Text that every match of the phrase contains, found without compiling the phrase. */
export function requiredText(text: string): string {
  if (!text.includes('{')) {
    const start = text.startsWith('^') ? 1 : 0;
    return withEmail(` ${text.slice(start, plainEnd(text, start, true))}`);
  }
  // With `{mailbox}` some words are dropped; the longest of the others is the best filter.
  let longest = '';
  for (const word of text.split(' ')) {
    // The part before the first accent is unchanged by folding.
    const end = plainEnd(word, 0, false);
    if (end > longest.length && isUnchanged(word.endsWith('*') ? word.slice(0, -1) : word))
      longest = word.slice(0, end);
  }
  return longest.length < 2 ? '' : ` ${longest}`;
}

/** The end of the letters that folding does not change. */
function plainEnd(text: string, start: number, allowsSpaces: boolean): number {
  let end = start;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if ((code < 97 || code > 122) && !(allowsSpaces && code === 32)) break;
  }
  return end;
}

function longestWholeWord(parts: readonly string[]): string | null {
  let longest = '';
  for (const part of parts) {
    if (!part.startsWith(' ') || !part.endsWith(' ')) continue;
    for (let start = 1, end = 0; start < part.length; start = end + 1) {
      end = part.indexOf(' ', start);
      if (end - start <= longest.length) continue;
      const word = part.slice(start, end);
      if (word !== anyMailbox) longest = word;
    }
  }
  return longest === '' ? null : longest;
}

function compilePart(text: string): string {
  const part = text.trim();
  const end = part.endsWith('*') ? '' : ' ';
  const bare = end === '' ? part.slice(0, -1) : part;
  // Nearly all phrases are written in folded form.
  if (/^[a-z ]+$/.test(bare)) return withEmail(` ${bare}${end}`);
  const words = fold(bare).trim();
  // Chinese and Japanese do not separate words.
  const isCjk = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(words);
  return isCjk ? words : ` ${words}${end}`;
}

/** Prepares a text without echoes; `name` is removed from it. */
export function prepareText(text: string, name = ''): PreparedText {
  const folded = fold(text);
  return { plain: wordsOf(name === '' ? folded : folded.replaceAll(name, ' ')), general: null };
}

function wordsOf(text: string): Words {
  return { text, words: new Set(text.trim().split(' ')) };
}

/** The position of a phrase in a folded text. */
export interface PhrasePosition {
  text: string;
  start: number;
  end: number;
}

/** Whether the text contains the phrase. Linear in the text. */
export function containsPhrase(prepared: PreparedText, phrase: Phrase): boolean {
  return findPhrase(prepared, phrase) !== null;
}

/** The position of the phrase in the text, if it is there. */
export function findPhrase(
  prepared: PreparedText,
  { parts, word, isGeneral, isAtStart }: Phrase,
): PhrasePosition | null {
  if (isGeneral) prepared.general ??= wordsOf(generalize(prepared.plain.text));
  const { text, words } = (isGeneral ? prepared.general : null) ?? prepared.plain;
  if (word !== null && !words.has(word)) return null;
  let from = 0;
  let start = 0;
  for (const [index, part] of parts.entries()) {
    const position = text.indexOf(part, from);
    if (position === -1 || (index > 0 ? position - from > maxGap : isAtStart && position > 0)) return null;
    if (index === 0) start = position;
    // Two parts may share a space.
    from = position + Math.max(part.length - 1, 1);
  }
  // The last word of the phrase may continue.
  return { text, start, end: text.indexOf(' ', from) };
}
