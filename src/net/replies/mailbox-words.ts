import { wordList } from './word-lists.js';

/** In a phrase: any name of a mailbox. */
export const mailboxClass = '{mailbox}';
/** The word that replaces those names in texts and phrases; no host uses it. */
export const anyMailbox = 'anymailbox';

/** In a phrase: anything that a host counts of a client. */
export const trafficClass = '{traffic}';
export const anyTraffic = 'anytraffic';

const traffic = new Set(wordList('traffic'));

const names = new Set([...wordList('mailbox'), ...wordList('foreign_mailbox')]);
/** Whether a folded word names a mailbox. */
export function isMailboxName(word: string): boolean {
  return names.has(word) || word === anyMailbox;
}

/** Two words that form a name of a mailbox. */
const namePairs = new Set(['mail box', 'local part', 'email id', 'mail id', 'login name']);
/** Dropped before a name: `the local user`, `this recipient's mailbox`. */
const adjectives = new Set('email mail local virtual domain destination target intended users recipients'.split(' '));
/** `sender address` and `your account` are the client's. */
const clientWords = new Set([
  ...'ip sender senders from source client your originating envelope return reply relay'.split(' '),
  ...wordList('foreign_client'),
]);
const fillers = new Set([
  ...'a an the this that is was are were has have had been currently now'.split(' '),
  ...wordList('foreign_filler'),
]);
/** Words that continue a name: `user id`, `adresse e-mail`. */
const suffixes = new Set(['id', 'name', 'email', 'mail', ...wordList('foreign_mailbox_suffix')]);

/**
 * Replaces all names of a mailbox, and of counted traffic, by one word each, and drops filler words: `The e-mail account has been
 * suspended` and `recipient is suspended` become the same.
 */
export function generalize(folded: string): string {
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

const changedWords = new Set([...fillers, ...names, ...traffic, ...adjectives, ...suffixes, 'box', 'part', 'login']);

/** Whether `generalize` never changes the word. */
export function isUnchanged(word: string): boolean {
  return !changedWords.has(word);
}
