import { cjkSubject, isCjk } from './cjk-subjects.js';
import { foreignClientWords, foreignFillers } from './foreign-words.js';
import { anyMailbox, isMailboxName } from './mailbox-words.js';
import type { PhrasePosition } from './phrases.js';

const wordSet = (list: string, more: readonly string[] = []) => new Set([...list.split(' '), ...more]);

/** Words before what belongs to the client: `your account`, `the sender's mailbox`, `client address`. */
const clientWords = wordSet(
  'your sender senders sending client clients connecting originating originator originators submitter envelope authenticated return reply bounce reverse source from you dynamic guest guests anonymous login',
  foreignClientWords,
);
/** Names of the client inside the matched words: `the mailbox of the sender does not exist`. */
const clientNouns = wordSet(
  'sender senders client sending originating connecting envelope authenticated using submitter',
);
/** After the name of a mailbox, these words say that it is the client's: `unknown user connecting from`. */
const clientActions = wordSet('connecting sending originating submitter');
/** Names of the network, which have no mailbox: `the IP is not known here`. */
const networkNames = wordSet('ip ptr rdns spf dkim helo ehlo hostname');
const machines = wordSet(
  'host server network gateway relay record login serveur servidor serwer sunucu сервер hote hostitel хост rekord registro eintrag enregistrement zaznam',
);
/** Nouns that are the subject if they are inside the matched words: `user lookup: server not found`, `mailbox format unknown`. */
const things = wordSet('host server network gateway service store format policy type');
const prepositions = wordSet('at on in of by to for');
/** Between a subject and its predicate. */
const verbs = wordSet('is are was were isnt has have had been be does do did sent', foreignFillers);
const fillers = wordSet('a an the this that not currently now also still temporarily permanently administratively');
/** Nouns for either the client or the mailbox; the word before decides. */
const ambiguousNouns = wordSet(
  'address account mailbox user name domain path provider adres adresse adresa direccion indirizzo endereco konto',
);
const mailWords = wordSet('mail email');
/** Mailboxes of a sender: `your abuse mailbox`, `your SMTP account`. */
const senderRoles = wordSet('abuse bounce hosting own postmaster smtp trial');
/** Words before the noun that they describe: `unknown user`, `no mailbox`, `not have an account`. */
const describingWords = wordSet('unknown invalid no not bad wrong non');

/** Words that form another noun after the name of a mailbox: `recipient map`, `user agent`. */
const compounds = wordSet(
  'agent authenticated authentication checks column credentials database existence family field format given header headers index literal lock logged lookup map maps path policy provided provider rate ratio reputation service specified state store supplied table type',
);
/** Parts of a mailbox or its server: a statement about them is not about the mailbox. */
const parts = wordSet(
  'agent backend backends checks column database device directory disk domain existence file forwarding engine filter host index lock lookup policy preferences probing protocol provider record route scanner server settings state status store target validity verification',
);
const headers = wordSet('from sender envelope return reply header');

/** Predicates that fit any subject: `TLS is disabled`, `connection closed due to inactivity`. */
const generalPredicates =
  /^(?:disabled(?!user)|inactivity|deactivated|discontinued|archived|dormant|do(?:es)?nt|dosnt|is not|no longer (?:exist|valid|activ|in )|no exists?|not (?:exists?|activ)|non ?existent|existiert nicht|nicht vorhanden|gibt es nicht|deaktiviert|gesperrt|stillgelegt|inaktiv|nexiste pas|no existe|nao existe|inativ|non esiste|inattiv|bestaat niet|inactief|nie istnieje|nieaktywn|neexistuje|neaktivni|finns inte|не существует|не існує|неактив)/;
const otherNouns = /^(?:sender|host|client|source|server|domain|network|ip|system|relay|error)s?$/;
/** `SMTP service disabled for this account`. */
const protocols = wordSet('smtp esmtp pop pop3 imap tls ssl auth vrfy');
/** Owners of mailboxes. */
const owners = wordSet('person people employee student staff member group list');
/** Words that end the clause before them. */
const clauseEnds = wordSet('rejected denied refused failed error said because reason but and');

/** The sender by its action: `the mailbox you are writing from`, `the account that sent this`. */
const senderAction =
  / (?:send(?:ing)? from|you (?:\w+ ){0,3}from|you (?:\w+ ){0,2}(?:logged|signed|authenticated|impersonate)|you (?:\w+ ){0,2}used? to send|(?:that|which|who) (?:sent|sends)) /;
/** `no such user at your site`, `invalid address in Cc header`. */
const clientAfter =
  /^ (?:(?:for|of) (?:the )?(?:sender|client) |(?:for \w+ )?(?:at|for|on) your (?!e?mail |message |recipient |intended )|(?:in|of) (?:\w+ ){0,2}headers? )/;
/** `the address in your From line does not exist`. */
const yourInside = /.{3} your (?!e?mail |message |recipient |intended |request |letter )/;
/** A domain, a host or a server in other languages, with any ending. */
const foreignMachine = /^(?:dom[aei]n|host|ser[vw]|сервер|домен|хост|запис)/;
/** `Header To: invalid address`, `Reply-To: no such address`. */
const inHeader = / (?:headers? (?:\w+ ){0,3}|reply to )$/;
/** `user refuses mail of people not found in the address book`. */
const refusingVerbs = wordSet('refuses rejects blocks requires wants');
/** Another mailbox: `the journal mailbox`, `a previous recipient`. */
const otherMailboxes = wordSet(
  'other previous earlier many several archive journal quarantine delegates managers vendors',
);

/** What the matched words are about. */
type Subject = 'mailbox' | 'client' | 'machine' | 'other';

/** What the subject rules test. */
interface SubjectFacts {
  position: PhrasePosition;
  /** The matched words. */
  words: string[];
  first: string;
  /** The matched words name a mailbox. */
  namesMailbox: boolean;
  /** All words after the match. */
  following: readonly string[];
  /** The words after the match that may belong to it. */
  after: readonly string[];
  /** The words before the match, the nearest first. */
  before: readonly string[];
}

/** What the words at a place of a text are about: `your account is disabled` and `the PTR record doesn't exist` say nothing of the mailbox. */
export function subjectOf(place: PhrasePosition): Subject {
  const { text, start, end } = place;
  const matched = text.slice(start, end);
  if (isCjk(matched)) return cjkSubject(text.slice(0, end), text.slice(end));
  const words = matched.trim().split(' ');
  const following = text.slice(end).trim().split(' ');
  const facts: SubjectFacts = {
    position: place,
    words,
    first: words[0] ?? '',
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

/** In order; null: the next rule decides. */
const subjectRules: readonly ((facts: SubjectFacts) => Subject | null)[] = [
  ({ position, words }) => (namesClient(position, words) ? 'client' : null),
  ({ words }) => (words.some((word) => refusingVerbs.has(word)) ? 'other' : null),
  ({ words }) =>
    words.some((word, index) => things.has(word) && isSubject(word, words[index - 1])) ? 'machine' : null,
  // `the user refuses mail from unknown senders`.
  ({ words, after }) =>
    words.length > 2 &&
    /^(?:unknown|invalid|nonexistent|inactive)$/.test(words.at(-1) ?? '') &&
    otherNouns.test(after[0] ?? '')
      ? 'client'
      : null,
  // A new sentence begins with `If you believe that this is an error`.
  ({ words, after }) => (/^(?:whether|if (?!you$))/.test(after.join(' ')) || isPartOfMailbox(words) ? 'other' : null),
  // `нет такого домена`.
  ({ words, after }) =>
    /^(?:нет так|nie ma taki|brak taki)/.test(words.join(' ')) && foreignMachine.test(after[0] ?? '') ? 'other' : null,
  // `this may be an invalid address`.
  ({ namesMailbox, position: { text, start, end } }) =>
    namesMailbox && / (?:may|might) be /.test(text.slice(Math.max(0, start - 10), end)) ? 'other' : null,
  ({ words, following }) => (isMailboxName(words.at(-1) ?? '') ? otherThanMailbox(following) : null),
  ({ before, first }) => (isAnotherMailbox(before, first) ? 'other' : null),
  // `your recipient` is the one that we ask for.
  ({ first }) => (/^(?:recipient|rcpt|addressee)/.test(first) ? 'mailbox' : null),
  ({ first, before }) => {
    if (!isMailboxName(first)) return null;
    return isOwnedByClient(before, ['address', 'account', anyMailbox].includes(first)) ? 'client' : 'mailbox';
  },
  (facts) => {
    const { first, before, after, namesMailbox, words, following } = facts;
    const subject = subjectBefore(before, namesMailbox && describingWords.has(first));
    // `the server doesn't know that user`.
    if (subject === 'machine') return after.some(isMailboxName) ? 'mailbox' : 'machine';
    if (subject === 'client' || namesMailbox || !generalPredicates.test(words.join(' '))) return subject;
    return subjectOfGeneralPredicate(first, before, following);
  },
];

/** The subject of a general predicate: the mailbox if the words around it name one, or nothing else. */
function subjectOfGeneralPredicate(first: string, before: readonly string[], following: readonly string[]): Subject {
  const after = wordsAfter(following);
  if (isPart(before) || (before.join('') === '' && parts.has(after[0] ?? ''))) return 'other';
  const clauseEnd = before.findIndex((word) => clauseEnds.has(word));
  const nearby = before.slice(0, clauseEnd === -1 ? undefined : clauseEnd);
  // `nonexistent` stands before its noun, the others may.
  if (first.startsWith('non')) {
    if (after.some((word) => networkNames.has(word) || clientWords.has(word) || machines.has(word))) return 'client';
    nearby.push(...after);
  }
  if (nearby.some((word) => protocols.has(word))) return 'other';
  const nouns = nearby.filter((word) => word.length > 2 && !fillers.has(word) && !verbs.has(word));
  // `due to inactivity new mail is not accepted for this mailbox`.
  const near = first === 'inactivity' ? following : after;
  return nouns.length === 0 || [...nouns, ...near].some((word) => isMailboxName(word) || owners.has(word))
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
    words.some((word, index) => index > 0 && (networkNames.has(word) || isClientNoun(word, words[index - 1]))) ||
    senderAction.test(matched) ||
    yourInside.test(matched) ||
    clientAfter.test(text.slice(end)) ||
    inHeader.test(text.slice(0, start + 1))
  );
}

/** Whether the matched words are about a part of a mailbox: `user preferences not found`, `mailbox database … not found`. */
function isPartOfMailbox(words: readonly string[]): boolean {
  const last = words.findLastIndex(isMailboxName);
  const [next = '', second = ''] = last === -1 ? [] : words.slice(last + 1);
  // `unknown in the recipient table` says where.
  if (/^(?:table|path)$/.test(next) && isMailboxName(words[0] ?? '')) return true;
  return parts.has(next) || (parts.has(second) && !prepositions.has(next) && !verbs.has(next));
}

/** Whether the words before name another mailbox or a part of one: `device of this mailbox`. */
function isAnotherMailbox(before: readonly string[], first: string): boolean {
  const near = before.filter((word) => !fillers.has(word) && !verbs.has(word)).slice(0, 3);
  return (
    near.some((word) => otherMailboxes.has(word)) ||
    (isMailboxName(first) && (isOwnerOfPart(near) || /^(?:table|column)$/.test(near[0] ?? '')))
  );
}

/** Whether a predicate is about a part of a mailbox: `account verification is disabled`, `all backends for this user are disabled`. */
function isPart(before: readonly string[]): boolean {
  const [last = '', ...earlier] = before.filter((word) => !fillers.has(word) && !verbs.has(word));
  return isMailboxName(last)
    ? isOwnerOfPart(earlier)
    : (parts.has(last) || last === 'table') && !prepositions.has(earlier[0] ?? '');
}

function isOwnerOfPart([last = '', noun = '']: readonly string[]): boolean {
  return (last === 'of' || last === 'for' || last === 'to') && parts.has(noun);
}

/** What the name of a mailbox and the words after it mean, if that is not a mailbox: `unknown user in From header`, `invalid user name or password`. */
function otherThanMailbox(following: readonly string[]): Subject | null {
  const [next = '', second = ''] = following;
  if (compounds.has(next)) return 'other';
  const owner = next === 'for' || next === 'of' ? following.slice(1).find((word) => !fillers.has(word)) : undefined;
  const isAboutClient =
    clientActions.has(next) ||
    networkNames.has(next) ||
    (next === 'in' && headers.has(second)) ||
    clientNouns.has(owner ?? '');
  return isAboutClient || following.slice(0, 3).includes('password') ? 'client' : null;
}

/** Whether a word is the subject, by the word before it: `on the server` is a place, `recipient host` a possessor. */
function isSubject(word: string, last: string | undefined): boolean {
  if (last === undefined || prepositions.has(last) || fillers.has(last)) return false;
  return word !== 'host' || !isMailboxName(last);
}

/** `the address you are sending to` is the probed one. */
function isClientNoun(word: string, last = ''): boolean {
  return clientNouns.has(word) && !(word === 'sending' && verbs.has(last));
}

/** Whether the mailbox is the client's, by the word before it. */
function isOwnedByClient(before: readonly string[], mayBeOfMail: boolean): boolean {
  const [last = '', earlier = ''] = before;
  // `reply-to address`.
  if (last === 'to' && (earlier === 'reply' || earlier === 'return')) return true;
  const owner = (mayBeOfMail && mailWords.has(last)) || (earlier === 'your' && senderRoles.has(last)) ? earlier : last;
  return clientWords.has(owner) || networkNames.has(owner);
}

/** The subject of a predicate: the nearest word before it that decides. `your mail: no such user` has no verb between. */
function subjectBefore(before: readonly string[], isDescribed: boolean): Subject {
  let hasVerb = false;
  let mayBeMachine = !isDescribed;
  for (const [index, word] of before.slice(0, 6).entries()) {
    if (clientWords.has(word) || networkNames.has(word)) return 'client';
    if (verbs.has(word)) hasVerb = true;
    else if (ambiguousNouns.has(word) && (hasVerb || !isDescribed)) mayBeMachine &&= !isMailboxName(word);
    else if (machines.has(word) && mayBeMachine) return isPlaceOnly(before.slice(index + 1)) ? 'mailbox' : 'machine';
    else if (!fillers.has(word) && !(hasVerb && (mailWords.has(word) || machines.has(word)))) break;
  }
  return 'mailbox';
}

/** `on this server` is a place, not the subject. */
function isPlaceOnly(before: readonly string[]): boolean {
  return prepositions.has(before.find((word) => !fillers.has(word) && !mailWords.has(word)) ?? '');
}
