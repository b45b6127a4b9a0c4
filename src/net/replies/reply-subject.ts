import { cjkSubject, isCjk } from './cjk-subjects.js';
import { foreignClientWords, foreignFillers } from './foreign-words.js';
import { anyMailbox, isMailboxName } from './mailbox-words.js';
import type { PhrasePlace } from './phrases.js';

const words = (list: string, more: readonly string[] = []) => new Set([...list.split(' '), ...more]);

/** They mark the client's own: `your account`, `the sender's mailbox`, `client address`. */
const clientWords = words(
  'your sender senders sending client clients connecting originating originator originators submitter envelope authenticated return reply bounce reverse source from you dynamic guest guests anonymous login',
  foreignClientWords,
);
/** The same inside the matched words: `the mailbox of the sender does not exist`. */
const clientNouns = words(
  'sender senders client sending originating connecting envelope authenticated using submitter',
);
/** After the name of a mailbox they make it the client's: `unknown user connecting from`. */
const clientActions = words('connecting sending originating submitter');
/** Names of the network, which have no mailbox: `the IP is not known here`. */
const networkNames = words('ip ptr rdns spf dkim helo ehlo hostname');
const machines = words(
  'host server network gateway relay record login serveur servidor serwer sunucu сервер hote hostitel хост rekord registro eintrag enregistrement zaznam',
);
/** Inside the matched words they are the subject: `user lookup: server not found`, `mailbox format unknown`. */
const things = words('host server network gateway service store format policy type');
const prepositions = words('at on in of by to for');
/** Between a subject and its predicate. */
const verbs = words('is are was were isnt has have had been be does do did sent', foreignFillers);
const fillers = words('a an the this that not currently now also still temporarily permanently administratively');
/** They belong to either side; the word before decides. */
const ambiguousNouns = words(
  'address account mailbox user name domain path provider adres adresse adresa direccion indirizzo endereco konto',
);
const mailWords = words('mail email');
/** Mailboxes of a sender: `your abuse mailbox`, `your SMTP account`. */
const senderRoles = words('abuse bounce hosting own postmaster smtp trial');
/** A described noun follows: `unknown user`, `no mailbox`, `not have an account`. */
const describing = words('unknown invalid no not bad wrong non');

/** After the name of a mailbox they form another noun: `recipient map`, `user agent`. */
const compounds = words(
  'agent authenticated authentication checks column credentials database existence family field format given header headers index literal lock logged lookup map maps path policy provided provider rate ratio reputation service specified state store supplied table type',
);
/** Parts of a mailbox or its server: a statement about them is not about the mailbox. */
const parts = words(
  'agent backend backends checks column database device directory disk domain existence file forwarding engine filter host index lock lookup policy preferences probing protocol provider record route scanner server settings state status store target validity verification',
);
const headers = words('from sender envelope return reply header');

/** Predicates of anything: `TLS is disabled`, `connection closed due to inactivity`. */
const ofAnything =
  /^(?:disabled(?!user)|inactivity|deactivated|discontinued|archived|dormant|do(?:es)?nt|dosnt|is not|no longer (?:exist|valid|activ|in )|no exists?|not (?:exists?|activ)|non ?existent|existiert nicht|nicht vorhanden|gibt es nicht|deaktiviert|gesperrt|stillgelegt|inaktiv|nexiste pas|no existe|nao existe|inativ|non esiste|inattiv|bestaat niet|inactief|nie istnieje|nieaktywn|neexistuje|neaktivni|finns inte|не существует|не існує|неактив)/;
const otherNouns = /^(?:sender|host|client|source|server|domain|network|ip|system|relay|error)s?$/;
/** `SMTP service disabled for this account`. */
const protocols = words('smtp esmtp pop pop3 imap tls ssl auth vrfy');
/** Owners of mailboxes. */
const owners = words('person people employee student staff member group list');
/** They end the clause before them. */
const clauseEnds = words('rejected denied refused failed error said because reason but and');

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
const refusingVerbs = words('refuses rejects blocks requires wants');
/** Another mailbox: `the journal mailbox`, `a previous recipient`. */
const otherMailboxes = words(
  'other previous earlier many several archive journal quarantine delegates managers vendors',
);

/** What the matched words are about. */
type Subject = 'mailbox' | 'client' | 'machine' | 'other';

/** What the subject rules test. */
interface SubjectFacts {
  place: PhrasePlace;
  /** The matched words. */
  words: string[];
  first: string;
  /** The matched words name a mailbox. */
  isNamed: boolean;
  /** All words after the match. */
  following: readonly string[];
  /** The words after the match that may belong to it. */
  after: readonly string[];
  /** The words before the match, the nearest first. */
  before: readonly string[];
}

/** What the words at a place of a text are about: `your account is disabled` and `the PTR record doesn't exist` say nothing of the mailbox. */
export function subjectOf(place: PhrasePlace): Subject {
  const { text, start, end } = place;
  const matched = text.slice(start, end);
  if (isCjk(matched)) return cjkSubject(text.slice(0, end), text.slice(end));
  const words = matched.trim().split(' ');
  const following = text.slice(end).trim().split(' ');
  const facts: SubjectFacts = {
    place,
    words,
    first: words[0] ?? '',
    isNamed: words.some(isMailboxName),
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
  ({ place, words }) => (namesClient(place, words) ? 'client' : null),
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
  ({ isNamed, place: { text, start, end } }) =>
    isNamed && / (?:may|might) be /.test(text.slice(Math.max(0, start - 10), end)) ? 'other' : null,
  ({ words, following }) => (isMailboxName(words.at(-1) ?? '') ? otherThanMailbox(following) : null),
  ({ before, first }) => (isOfAnother(before, first) ? 'other' : null),
  // `your recipient` is the one that we ask for.
  ({ first }) => (/^(?:recipient|rcpt|addressee)/.test(first) ? 'mailbox' : null),
  ({ first, before }) => {
    if (!isMailboxName(first)) return null;
    return isOwnedByClient(before, ['address', 'account', anyMailbox].includes(first)) ? 'client' : 'mailbox';
  },
  (facts) => {
    const { first, before, after, isNamed, words, following } = facts;
    const subject = subjectBefore(before, isNamed && describing.has(first));
    // `the server doesn't know that user`.
    if (subject === 'machine') return after.some(isMailboxName) ? 'mailbox' : 'machine';
    if (subject === 'client' || isNamed || !ofAnything.test(words.join(' '))) return subject;
    return subjectOfAnything(first, before, following);
  },
];

/** The subject of a predicate of anything: the mailbox if the words around it name one or nothing. */
function subjectOfAnything(first: string, before: readonly string[], following: readonly string[]): Subject {
  const after = wordsAfter(following);
  if (isPart(before) || (before.join('') === '' && parts.has(after[0] ?? ''))) return 'other';
  const clauseEnd = before.findIndex((word) => clauseEnds.has(word));
  const around = before.slice(0, clauseEnd === -1 ? undefined : clauseEnd);
  // `nonexistent` stands before its noun, the others may.
  if (first.startsWith('non')) {
    if (after.some((word) => networkNames.has(word) || clientWords.has(word) || machines.has(word))) return 'client';
    around.push(...after);
  }
  if (around.some((word) => protocols.has(word))) return 'other';
  const nouns = around.filter((word) => word.length > 2 && !fillers.has(word) && !verbs.has(word));
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
function namesClient({ text, start, end }: PhrasePlace, words: readonly string[]): boolean {
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
function isPartOfMailbox(found: readonly string[]): boolean {
  const last = found.findLastIndex(isMailboxName);
  const [next = '', second = ''] = last === -1 ? [] : found.slice(last + 1);
  // `unknown in the recipient table` says where.
  if (/^(?:table|path)$/.test(next) && isMailboxName(found[0] ?? '')) return true;
  return parts.has(next) || (parts.has(second) && !prepositions.has(next) && !verbs.has(next));
}

/** Whether the words before make it another mailbox or a part of one: `device of this mailbox`. */
function isOfAnother(before: readonly string[], first: string): boolean {
  const near = before.filter((word) => !fillers.has(word) && !verbs.has(word)).slice(0, 3);
  return (
    near.some((word) => otherMailboxes.has(word)) ||
    (isMailboxName(first) && (isOwnerOfPart(near) || /^(?:table|column)$/.test(near[0] ?? '')))
  );
}

/** Whether a predicate is about a part of a mailbox: `account verification is disabled`, `all backends for this user are disabled`. */
function isPart(before: readonly string[]): boolean {
  const [last = '', ...rest] = before.filter((word) => !fillers.has(word) && !verbs.has(word));
  return isMailboxName(last)
    ? isOwnerOfPart(rest)
    : (parts.has(last) || last === 'table') && !prepositions.has(rest[0] ?? '');
}

function isOwnerOfPart([last = '', noun = '']: readonly string[]): boolean {
  return (last === 'of' || last === 'for' || last === 'to') && parts.has(noun);
}

/** What the name of a mailbox and the words after it mean, if that is not a mailbox: `unknown user in From header`, `invalid user name or password`. */
function otherThanMailbox(following: readonly string[]): Subject | null {
  const [next = '', second = ''] = following;
  if (compounds.has(next)) return 'other';
  const whose = next === 'for' || next === 'of' ? following.slice(1).find((word) => !fillers.has(word)) : undefined;
  const isClients =
    clientActions.has(next) ||
    networkNames.has(next) ||
    (next === 'in' && headers.has(second)) ||
    clientNouns.has(whose ?? '');
  return isClients || following.slice(0, 3).includes('password') ? 'client' : null;
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
function subjectBefore(before: readonly string[], describes: boolean): Subject {
  let hasVerb = false;
  let mayBeMachine = !describes;
  for (const [index, word] of before.slice(0, 6).entries()) {
    if (clientWords.has(word) || networkNames.has(word)) return 'client';
    if (verbs.has(word)) hasVerb = true;
    else if (ambiguousNouns.has(word) && (hasVerb || !describes)) mayBeMachine &&= !isMailboxName(word);
    else if (machines.has(word) && mayBeMachine) return isPlaceOnly(before.slice(index + 1)) ? 'mailbox' : 'machine';
    else if (!fillers.has(word) && !(hasVerb && (mailWords.has(word) || machines.has(word)))) break;
  }
  return 'mailbox';
}

/** `on this server` is a place, not the subject. */
function isPlaceOnly(before: readonly string[]): boolean {
  return prepositions.has(before.find((word) => !fillers.has(word) && !mailWords.has(word)) ?? '');
}
