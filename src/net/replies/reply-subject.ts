import { anyMailbox, fold, isMailboxName, type PhrasePosition } from './phrases.js';
import { isIn, says, wordList } from './word-lists.js';

/** What the matched words are about. */
type Subject = 'mailbox' | 'client' | 'machine' | 'other';

/** What the subject rules test. */
interface SubjectFacts {
  position: PhrasePosition;
  /** The matched words. */
  words: string[];
  firstWord: string;
  /** The matched words name a mailbox. */
  namesMailbox: boolean;
  /** All words after the match. */
  following: readonly string[];
  /** The words after the match that may belong to it. */
  after: readonly string[];
  /** The words before the match, the nearest first. */
  before: readonly string[];
}

/** The subject of the words at a position of a text: `your account is disabled` and `the PTR record doesn't exist` say nothing of the mailbox. */
export function subjectOf(position: PhrasePosition): Subject {
  const { text, start, end } = position;
  const matched = text.slice(start, end);
  if (isCjk(matched)) return cjkSubject(text.slice(0, end), text.slice(end));
  const words = matched.trim().split(' ');
  const following = text.slice(end).trim().split(' ');
  const facts: SubjectFacts = {
    position,
    words,
    firstWord: words[0] ?? '',
    namesMailbox: words.some(isMailboxName),
    following,
    after: wordsAfter(following),
    before: text.slice(0, start).trim().split(' ').reverse(),
  };
  for (const rule of subjectRules) {
    const subject = rule(facts);
    if (subject !== null) return subject;
  }
  return 'mailbox';
}

/** The rules in order; null: the next rule decides. */
const subjectRules: readonly ((facts: SubjectFacts) => Subject | null)[] = [
  ({ position, words }) => (namesClient(position, words) ? 'client' : null),
  ({ words }) => (words.some((word) => isIn('refusing_verb', word)) ? 'other' : null),
  ({ words }) =>
    words.some((word, index) => isIn('subject_noun', word) && isSubject(word, words[index - 1])) ? 'machine' : null,
  // `the user refuses mail from unknown senders`.
  ({ words, after }) =>
    words.length > 2 &&
    /^(?:unknown|invalid|nonexistent|inactive)$/.test(words.at(-1) ?? '') &&
    says('other_noun', after[0] ?? '')
      ? 'client'
      : null,
  // A new sentence begins with `If you believe that this is an error`.
  ({ words, after }) => (/^(?:whether|if (?!you$))/.test(after.join(' ')) || isPartOfMailbox(words) ? 'other' : null),
  // `нет такого домена`.
  ({ words, after }) =>
    /^(?:нет так|nie ma taki|brak taki)/.test(words.join(' ')) && says('foreign_machine', after[0] ?? '')
      ? 'other'
      : null,
  // `this may be an invalid address`.
  ({ namesMailbox, position: { text, start, end } }) =>
    namesMailbox && / (?:may|might) be /.test(text.slice(Math.max(0, start - 10), end)) ? 'other' : null,
  ({ words, following }) => (isMailboxName(words.at(-1) ?? '') ? otherThanMailbox(following) : null),
  ({ before, firstWord }) => (isAnotherMailbox(before, firstWord) ? 'other' : null),
  // `your recipient` is the one that we ask for.
  ({ firstWord }) => (/^(?:recipient|rcpt|addressee)/.test(firstWord) ? 'mailbox' : null),
  ({ firstWord, before }) => {
    if (!isMailboxName(firstWord)) return null;
    return isOwnedByClient(before, ['address', 'account', anyMailbox].includes(firstWord)) ? 'client' : 'mailbox';
  },
  (facts) => {
    const { firstWord, before, after, namesMailbox, words, following } = facts;
    const subject = subjectBefore(before, namesMailbox && isIn('describing', firstWord));
    // `the server doesn't know that user`.
    if (subject === 'machine') return after.some(isMailboxName) ? 'mailbox' : 'machine';
    if (subject === 'client' || namesMailbox || !says('general_predicate', words.join(' '))) return subject;
    return subjectOfGeneralPredicate(firstWord, before, following);
  },
];

/** The subject of a general predicate: the mailbox if the words around it name one, or nothing else. */
function subjectOfGeneralPredicate(
  firstWord: string,
  before: readonly string[],
  following: readonly string[],
): Subject {
  const after = wordsAfter(following);
  if (isPart(before) || (before.join('') === '' && isIn('mailbox_part', after[0] ?? ''))) return 'other';
  const clauseEnd = before.findIndex((word) => isIn('clause_end', word));
  const nearby = before.slice(0, clauseEnd === -1 ? undefined : clauseEnd);
  // `nonexistent` describes the noun after it: `nonexistent domain`.
  if (firstWord.startsWith('non')) {
    if (after.some((word) => isIn('network', word) || isIn('before_client_mailbox', word) || isIn('machine', word)))
      return 'client';
    nearby.push(...after);
  }
  if (nearby.some((word) => isIn('protocol', word))) return 'other';
  const nouns = nearby.filter((word) => word.length > 2 && !isIn('skipped', word) && !isIn('verb', word));
  // `due to inactivity new mail is not accepted for this mailbox`.
  const endingWords = firstWord === 'inactivity' ? following : after;
  return nouns.length === 0 ||
    [...nouns, ...endingWords].some((word) => isMailboxName(word) || isIn('mailbox_owner', word))
    ? 'mailbox'
    : 'other';
}

/** The words after a match that may belong to it; more after `for`. */
function wordsAfter(following: readonly string[]): readonly string[] {
  return following.slice(0, following[0] === 'for' ? 4 : 2);
}

/** Whether the matched words, or those next to them, name the client. */
function namesClient({ text, start, end }: PhrasePosition, words: readonly string[]): boolean {
  const matched = text.slice(start, end);
  return (
    words.some((word, index) => index > 0 && (isIn('network', word) || isClientNoun(word, words[index - 1]))) ||
    says('sender_action', matched) ||
    says('your_inside', matched) ||
    says('client_after', text.slice(end)) ||
    says('header_before', text.slice(0, start + 1))
  );
}

/** Whether the matched words are about a part of a mailbox: `user preferences not found`, `mailbox database … not found`. */
function isPartOfMailbox(words: readonly string[]): boolean {
  const last = words.findLastIndex(isMailboxName);
  const [next = '', second = ''] = last === -1 ? [] : words.slice(last + 1);
  // `unknown in the recipient table` says where.
  if (/^(?:table|path)$/.test(next) && isMailboxName(words[0] ?? '')) return true;
  return (
    isIn('mailbox_part', next) || (isIn('mailbox_part', second) && !isIn('preposition', next) && !isIn('verb', next))
  );
}

/** Whether the words before name another mailbox or a part of one: `device of this mailbox`. */
function isAnotherMailbox(before: readonly string[], firstWord: string): boolean {
  const nearbyWords = before.filter((word) => !isIn('skipped', word) && !isIn('verb', word)).slice(0, 3);
  return (
    nearbyWords.some((word) => isIn('other_mailbox', word)) ||
    (isMailboxName(firstWord) && (isOwnerOfPart(nearbyWords) || /^(?:table|column)$/.test(nearbyWords[0] ?? '')))
  );
}

/** Whether a predicate is about a part of a mailbox: `account verification is disabled`, `all backends for this user are disabled`. */
function isPart(before: readonly string[]): boolean {
  const [last = '', ...earlier] = before.filter((word) => !isIn('skipped', word) && !isIn('verb', word));
  return isMailboxName(last)
    ? isOwnerOfPart(earlier)
    : (isIn('mailbox_part', last) || last === 'table') && !isIn('preposition', earlier[0] ?? '');
}

function isOwnerOfPart([last = '', noun = '']: readonly string[]): boolean {
  return (last === 'of' || last === 'for' || last === 'to') && isIn('mailbox_part', noun);
}

/** What the name of a mailbox and the words after it mean, if that is not a mailbox: `unknown user in From header`, `invalid user name or password`. */
function otherThanMailbox(following: readonly string[]): Subject | null {
  const [next = '', second = ''] = following;
  if (isIn('compound_ending', next)) return 'other';
  const owner = next === 'for' || next === 'of' ? following.slice(1).find((word) => !isIn('skipped', word)) : undefined;
  const isAboutClient =
    isIn('client_action', next) ||
    isIn('network', next) ||
    (next === 'in' && isIn('header', second)) ||
    isIn('client_noun', owner ?? '');
  return isAboutClient || following.slice(0, 3).includes('password') ? 'client' : null;
}

/** Whether a word is the subject, by the word before it: `on the server` is a place, `recipient host` a possessor. */
function isSubject(word: string, last: string | undefined): boolean {
  if (last === undefined || isIn('preposition', last) || isIn('skipped', last)) return false;
  return word !== 'host' || !isMailboxName(last);
}

/** `the address you are sending to` is the probed one. */
function isClientNoun(word: string, last = ''): boolean {
  return isIn('client_noun', word) && !(word === 'sending' && isIn('verb', last));
}

/** Whether the mailbox is the client's, by the word before it. */
function isOwnedByClient(before: readonly string[], mayBeOfMail: boolean): boolean {
  const [last = '', earlier = ''] = before;
  // `reply-to address`.
  if (last === 'to' && (earlier === 'reply' || earlier === 'return')) return true;
  const owner =
    (mayBeOfMail && isIn('mail', last)) || (earlier === 'your' && isIn('sender_role', last)) ? earlier : last;
  return isIn('before_client_mailbox', owner) || isIn('network', owner);
}

/** The subject of a predicate: the nearest word before it that decides. `your mail: no such user` has no verb between. */
function subjectBefore(before: readonly string[], isDescribed: boolean): Subject {
  let hasVerb = false;
  let mayBeMachine = !isDescribed;
  for (const [index, word] of before.slice(0, 6).entries()) {
    if (isIn('before_client_mailbox', word) || isIn('network', word)) return 'client';
    if (isIn('verb', word)) hasVerb = true;
    else if (isIn('ambiguous_noun', word) && (hasVerb || !isDescribed)) mayBeMachine &&= !isMailboxName(word);
    else if (isIn('machine', word) && mayBeMachine)
      return isOnlyLocation(before.slice(index + 1)) ? 'mailbox' : 'machine';
    else if (!isIn('skipped', word) && !(hasVerb && (isIn('mail', word) || isIn('machine', word)))) break;
  }
  return 'mailbox';
}

/** `on this server` is a place, not the subject. */
function isOnlyLocation(before: readonly string[]): boolean {
  return isIn('preposition', before.find((word) => !isIn('skipped', word) && !isIn('mail', word)) ?? '');
}

/** Chinese and Japanese do not separate words, and Korean attaches particles, so names are searched inside the text. */
const cjk = /[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;

const networkName = /(?<![a-z])(?:ip|ptr|spf|helo|dns|mx)(?![a-z])/;

/** `在本服务器`: on this server. */
const locationPhrase = /在(?:本|此|该|這|这)(?:邮件|郵件)?(?:服务器|服务|服務|伺服器|主机|主機|系统|系統)/g;

/** Whether a folded text is Chinese, Japanese or Korean. */
function isCjk(words: string): boolean {
  return cjk.test(words);
}

/** The last thing that a folded text names; the mailbox if it names none. */
function cjkSubject(text: string, after: string): 'mailbox' | 'client' | 'other' {
  nameLists ??= {
    recipient: namesOf('cjk_recipient'),
    mailbox: namesOf('cjk_mailbox'),
    client: namesOf('cjk_client'),
    things: namesOf('cjk_things'),
  };
  if (networkName.test(text)) return 'other';
  const [recipient, client] = [lastOf(text, nameLists.recipient), lastOf(text, nameLists.client)];
  if (client > recipient) return 'client';
  const mailbox = Math.max(recipient, lastOf(text, nameLists.mailbox));
  const thing = lastOf(text.replace(locationPhrase, ''), nameLists.things);
  // `존재하지 않는 도메인`: the name may follow.
  if (Math.max(mailbox, thing) === -1 && lastOf(after, nameLists.things) > -1) return 'other';
  return thing > mailbox ? 'other' : 'mailbox';
}

/** Built at first use: folding them takes longer than starting. */
let nameLists: Record<'recipient' | 'mailbox' | 'client' | 'things', readonly string[]> | null = null;

/** Names as in folded texts. */
function namesOf(list: string): string[] {
  return fold([...wordList(list)].join(' '))
    .trim()
    .split(' ');
}

/** The position of the last name, or -1. */
function lastOf(text: string, names: readonly string[]): number {
  return Math.max(...names.map((name) => text.lastIndexOf(name)));
}
