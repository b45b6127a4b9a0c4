import { anyMailbox, anyTraffic, isKept, mailboxClass, trafficClass, withAnyMailbox } from './mailbox-words.js';

/** A phrase made ready for `contains`. */
export interface Phrase {
  parts: string[];
  /** A word that every text with this phrase has, which most texts lack; null where its words may go on. */
  word: string | null;
  /** It holds `{mailbox}` or `{traffic}`. */
  anyMailbox: boolean;
  /** Nothing may stand before it but an echo. */
  begins: boolean;
}

/** A text made ready for `contains`. */
interface Wording {
  plain: Words;
  /** Made when the first phrase with `{mailbox}` asks for it. */
  general: Words | null;
}

interface Words {
  text: string;
  words: ReadonlySet<string>;
}

const gap = 80;

/**
 * The text as bare lower-case words, one space before, between and after them: no accents, no apostrophes, no punctuation.
 * Hosts differ in all of these, and many send only the ASCII half of what their operator wrote.
 */
export function fold(text: string): string {
  const bare = isPlain(text) ? text.toLowerCase().replace(/['`]/g, '') : withoutAccents(text);
  // All letters of the world make an expression that takes longer to compile than most programs have to wait.
  const words = isPlain(bare) ? bare.replace(/[^a-z\d]+/g, ' ') : bare.replace(/[^\p{L}\p{N}]+/gu, ' ');
  return withEmail(` ${words.trim()} `);
}

/** Whether a text is of ASCII alone. */
export function isPlain(text: string): boolean {
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
  // The marks of other scripts are many, too.
  const unmarked = /[\u0483-\uffff]/.test(bare) ? bare.replace(/\p{M}/gu, '') : bare;
  return plainLetters.reduce((folded, [letter, spelt]) => folded.replaceAll(letter, spelt), unmarked);
}

/** Letters that Unicode does not take apart. */
const plainLetters = [
  ['ł', 'l'],
  ['ß', 'ss'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ı', 'i'],
  ['æ', 'ae'],
  ['œ', 'oe'],
] as const;

/**
 * A phrase of words; `…` lets other words stand between, a final `*` lets the last word go on. `{mailbox}` is any name of a mailbox,
 * `{traffic}` whatever is counted of us; such a phrase does without articles and forms of "be" and "have". Nothing but an echo stands before what begins with `^`.
 */
export function phrase(text: string): Phrase {
  const general = text.includes(mailboxClass) || text.includes(trafficClass);
  const begins = text.startsWith('^');
  const bare = begins ? text.slice(1) : text;
  const plain = general ? bare.replaceAll(mailboxClass, anyMailbox).replaceAll(trafficClass, anyTraffic) : bare;
  const parts = plain.split('…').map((part) => partOf(general ? withAnyMailbox(part) : part));
  return { parts, word: longestWholeWord(parts), anyMailbox: general, begins };
}

/** What every folded text with the phrase holds, as far as that is told without making the phrase ready. */
export function openingOf(text: string): string {
  if (!text.includes('{')) {
    const start = text.startsWith('^') ? 1 : 0;
    return withEmail(` ${text.slice(start, plainEnd(text, start, true))}`);
  }
  // Where any name of a mailbox will do, some words are left out, and the longest of the others tells most.
  let longest = '';
  for (const word of text.split(' ')) {
    // What stands before the first accent stays as it is.
    const end = plainEnd(word, 0, false);
    if (end > longest.length && isKept(word.endsWith('*') ? word.slice(0, -1) : word)) longest = word.slice(0, end);
  }
  return longest.length < 2 ? '' : ` ${longest}`;
}

/** Where the letters end that fold to themselves. */
function plainEnd(text: string, start: number, spaced: boolean): number {
  let end = start;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if ((code < 97 || code > 122) && !(spaced && code === 32)) break;
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

function partOf(text: string): string {
  const part = text.trim();
  const end = part.endsWith('*') ? '' : ' ';
  const bare = end === '' ? part.slice(0, -1) : part;
  // Nearly all phrases are written as they are folded.
  if (/^[a-z ]+$/.test(bare)) return withEmail(` ${bare}${end}`);
  const words = fold(bare).trim();
  // Chinese and Japanese do not part their words.
  const unparted = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(words);
  return unparted ? words : ` ${words}${end}`;
}

/** A text without echoes, made ready for `contains`; `name` is left out of it. */
export function wordingOf(text: string, name = ''): Wording {
  const folded = fold(text);
  return { plain: wordsOf(name === '' ? folded : folded.replaceAll(name, ' ')), general: null };
}

function wordsOf(text: string): Words {
  return { text, words: new Set(text.trim().split(' ')) };
}

/** Where a phrase stands in a folded text. */
export interface Place {
  text: string;
  start: number;
  end: number;
}

/** Whether the text holds the phrase. Linear in the text. */
export function contains(wording: Wording, wanted: Phrase): boolean {
  return placeOf(wording, wanted) !== null;
}

/** Where the text holds the phrase, if it does. */
export function placeOf(wording: Wording, { parts, word, anyMailbox: general, begins }: Phrase): Place | null {
  if (general) wording.general ??= wordsOf(withAnyMailbox(wording.plain.text));
  const { text, words } = (general ? wording.general : null) ?? wording.plain;
  if (word !== null && !words.has(word)) return null;
  let from = 0;
  let start = 0;
  for (const [index, part] of parts.entries()) {
    const found = text.indexOf(part, from);
    if (found === -1 || (index > 0 ? found - from > gap : begins && found > 0)) return null;
    if (index === 0) start = found;
    // The space after one part may be the space before the next.
    from = found + Math.max(part.length - 1, 1);
  }
  // The last word of the phrase may go on.
  return { text, start, end: text.indexOf(' ', from) };
}
