import { wordList } from './word-lists.js';

/** A compiled phrase. */
export interface Phrase {
  parts: string[];
  /** Whether it contains `{mailbox}` or `{traffic}`. */
  isGeneral: boolean;
  /** Whether only an echo may precede it. */
  isAtStart: boolean;
}

/** A folded text. */
export interface PreparedText {
  plain: string;
  /** With one word for all names of a mailbox, as phrases with `{mailbox}` are. */
  general: string;
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
  return { parts, isGeneral: general, isAtStart: begins };
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
  const plain = name === '' ? folded : folded.replaceAll(name, ' ');
  return { plain, general: generalize(plain) };
}

/** The position of a phrase in a folded text. */
export interface PhrasePosition {
  text: string;
  start: number;
  end: number;
}

/** The position of the phrase in the text, if it is there. Linear in the text. */
export function findPhrase(prepared: PreparedText, { parts, isGeneral, isAtStart }: Phrase): PhrasePosition | null {
  const text = isGeneral ? prepared.general : prepared.plain;
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

/** In a phrase: any name of a mailbox. */
const mailboxClass = '{mailbox}';
/** The word that replaces those names in texts and phrases; no host uses it. */
export const anyMailbox = 'anymailbox';

/** In a phrase: anything that a host counts of a client. */
const trafficClass = '{traffic}';
const anyTraffic = 'anytraffic';

const [traffic, names] = [wordList('traffic'), wordList('mailbox')];
/** Whether a folded word names a mailbox. */
export function isMailboxName(word: string): boolean {
  return names.has(word) || word === anyMailbox;
}

/** Two words that form a name of a mailbox. */
const namePairs = new Set(['mail box', 'local part', 'email id', 'mail id', 'login name']);
const [adjectives, suffixes] = [wordList('before_mailbox'), wordList('mailbox_suffix')];
const [clientWords, fillers] = [wordList('before_client_name'), wordList('dropped')];

/**
 * Replaces all names of a mailbox, and of counted traffic, by one word each, and drops filler words: `The e-mail account has been
 * suspended` and `recipient is suspended` become the same.
 */
function generalize(folded: string): string {
  const words: string[] = [];
  let last = '';
  for (const word of folded.trim().split(' ')) {
    if (fillers.has(word)) continue;
    const isPair = namePairs.has(`${last} ${word}`);
    const isName = (names.has(word) && !clientWords.has(last)) || isPair;
    const isSuffix = last === anyMailbox && suffixes.has(word);
    if (isName || isSuffix) {
      if (isPair) words.pop();
      while (adjectives.has(words.at(-1) ?? '')) words.pop();
      if (words.at(-1) !== anyMailbox) words.push(anyMailbox);
      last = anyMailbox;
    } else {
      last = traffic.has(word) ? anyTraffic : word;
      words.push(last);
    }
  }
  return ` ${words.join(' ')} `;
}
