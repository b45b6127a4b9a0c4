import { foreignFillers, foreignNames, foreignOurs, foreignRests } from './foreign-words.js';

/** Stands in a phrase for whatever a host may call a mailbox. */
export const mailboxClass = '{mailbox}';
/** What those names become in a text and in a phrase; no host says this word. */
export const anyMailbox = 'anymailbox';

/** Stands in a phrase for whatever a host may count of us. */
export const trafficClass = '{traffic}';
export const anyTraffic = 'anytraffic';

const traffic = new Set(
  `messages mails emails connections recipients rcpts sessions requests transactions commands deliveries attempts
  nachrichten verbindungen connexions conexiones mensajes conexoes mensagens connessioni messaggi verbindingen berichten
  polaczen wiadomosci подключении соединении сообщении писем запросов`.split(/\s+/),
);

const names = new Set([
  ...'user username userid mailuser mailaddress emailaddress account useraccount mailaccount emailaccount recipient rcpt rcptto addressee address alias mailbox mbox inbox localpart customer subscriber'.split(
    ' ',
  ),
  ...foreignNames,
]);
/** Whether a folded word names a mailbox. */
export function isMailboxName(word: string): boolean {
  return names.has(word) || word === anyMailbox;
}

/** They make a name of the word after them: `mail box`, `local part`, `email id`. */
const pairs = new Set(['mail box', 'local part', 'email id', 'mail id', 'login name']);
/** Said with a name, they make it no other: `the local user`, `this recipient's mailbox`. Alone, `recipients` are those we ask for. */
const adjectives = new Set('email mail local virtual domain destination target intended users recipients'.split(' '));
/** `sender address` and `your account` are ours. */
const ours = new Set([
  ...'ip sender senders from source client your originating envelope return reply relay'.split(' '),
  ...foreignOurs,
]);
const fillers = new Set([
  ...'a an the this that is was are were has have had been currently now'.split(' '),
  ...foreignFillers,
]);
/** They go on with a name: `user id`, `adresse e-mail`. */
const rests = new Set(['id', 'name', 'email', 'mail', ...foreignRests]);

/**
 * A folded text in which all names of a mailbox are one, and all that is counted of us, and words that carry no meaning are left out: `The
 * e-mail account has been suspended` and `recipient is suspended` become the same.
 */
export function withAnyMailbox(folded: string): string {
  const words: string[] = [];
  let last = '';
  for (const word of folded.trim().split(' ')) {
    if (fillers.has(word)) continue;
    const paired = pairs.has(`${last} ${word}`);
    const named = (names.has(word) && !ours.has(last)) || paired;
    const goesOn = last === anyMailbox && rests.has(word);
    if (named || goesOn) {
      if (paired) words.pop();
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

const changed = new Set([...fillers, ...names, ...traffic, ...adjectives, ...rests, 'box', 'part', 'login']);

/** Whether `withAnyMailbox` leaves a word as it is, wherever it stands. */
export function isKept(word: string): boolean {
  return !changed.has(word);
}
