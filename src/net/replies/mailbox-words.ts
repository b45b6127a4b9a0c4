import { wordList } from './word-lists.js';

/** In a phrase: any name of a mailbox. */
export const mailboxClass = '{mailbox}';
/** The word that replaces those names in texts and phrases; no host uses it. */
export const anyMailbox = 'anymailbox';

/** In a phrase: anything that a host counts of a client. */
export const trafficClass = '{traffic}';
export const anyTraffic = 'anytraffic';

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
