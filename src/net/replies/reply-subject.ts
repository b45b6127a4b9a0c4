import { cjkSubject, isCjk } from './cjk-subjects.js';
import { foreignFillers, foreignOurs } from './foreign-words.js';
import { anyMailbox, isMailboxName } from './mailbox-words.js';
import type { Place } from './phrases.js';

const words = (list: string, more: readonly string[] = []) => new Set([...list.split(' '), ...more]);

/** What stands before them, or what they are, is ours: `your account`, `the sender's mailbox`, `client address`. */
const ours = words(
  'your sender senders sending client clients connecting originating originator originators submitter envelope authenticated return reply bounce reverse source from you dynamic guest guests anonymous login',
  foreignOurs,
);
/** Even in the midst of what is said: `the mailbox of the sender does not exist`. */
const askers = words('sender senders client sending originating connecting envelope authenticated using submitter');
/** Said after the name of a mailbox, they make it one of ours: `unknown user connecting from`. */
const acting = words('connecting sending originating submitter');
/** They have no mailbox: `the IP is not known here`. */
const netNames = words('ip ptr rdns spf dkim helo ehlo hostname');
const machines = words(
  'host server network gateway relay record login serveur servidor serwer sunucu сервер hote hostitel хост rekord registro eintrag enregistrement zaznam',
);
/** What is said is said of them where they stand between: `user lookup: server not found`, `mailbox format unknown`. */
const things = words('host server network gateway service store format policy type');
const prepositions = words('at on in of by to for');
/** They stand between a subject and what is said of it. */
const verbs = words('is are was were isnt has have had been be does do did sent', foreignFillers);
const links = words('a an the this that not currently now also still temporarily permanently administratively');
/** They belong to either side; the word before them tells. */
const shared = words(
  'address account mailbox user name domain path provider adres adresse adresa direccion indirizzo endereco konto',
);
const ofMail = words('mail email');
/** Of the mailboxes that whoever sends may have: `your abuse mailbox`, `your SMTP account`. */
const roles = words('abuse bounce hosting own postmaster smtp trial');
/** A noun that they describe follows: `unknown user`, `no mailbox`, `not have an account`. */
const describing = words('unknown invalid no not bad wrong non');

/** They make another noun of the name of a mailbox before them: `recipient map`, `user agent`. */
const compounds = words(
  'agent checks column credentials database existence family field format header headers index literal lock lookup map maps path policy provider rate ratio reputation service state store table type',
);
/** What a mailbox has or needs: what is said of them is not said of it. */
const parts = words(
  'agent backend backends checks column database device directory disk domain existence file forwarding engine filter host index lock lookup policy preferences probing protocol provider record route scanner server settings state status store target validity verification',
);
const headers = words('from sender envelope return reply header');

/** They can be said of anything: `TLS is disabled`, `connection closed due to inactivity`. */
const ofAnything =
  /^(?:disabled(?!user)|inactivity|deactivated|discontinued|archived|dormant|do(?:es)?nt|dosnt|is not|no longer (?:exist|valid|activ|in )|no exists?|not (?:exists?|activ)|non ?existent|existiert nicht|nicht vorhanden|gibt es nicht|deaktiviert|gesperrt|stillgelegt|inaktiv|nexiste pas|no existe|nao existe|inativ|non esiste|inattiv|bestaat niet|inactief|nie istnieje|nieaktywn|neexistuje|neaktivni|finns inte|не существует|не існує|неактив)/;
const others = /^(?:sender|host|client|source|server|domain|network|ip|system|relay|error)s?$/;
/** Ways to a host: `SMTP service disabled for this account`. */
const protocols = words('smtp esmtp pop pop3 imap tls ssl auth vrfy');
/** Who may have a mailbox, though they are none. */
const owners = words('person people employee student staff member group list');
/** Another clause is before them. */
const borders = words('rejected denied refused failed error said because reason but and');

/** The one who sends, told by what it does: `the mailbox you are writing from`, `the account that sent this`. */
const sentBy =
  / (?:send(?:ing)? from|you (?:\w+ ){0,3}from|you (?:\w+ ){0,2}(?:logged|signed|authenticated|impersonate)|you (?:\w+ ){0,2}used? to send|(?:that|which|who) (?:sent|sends)) /;
/** `no such user at your site`, `invalid address in Cc header`. */
const ofOurs =
  /^ (?:(?:for|of) (?:the )?(?:sender|client) |(?:for \w+ )?(?:at|for|on) your (?!e?mail |message |recipient |intended )|(?:in|of) (?:\w+ ){0,2}headers? )/;
/** `the address in your From line does not exist`. */
const yours = /.{3} your (?!e?mail |message |recipient |intended |request |letter )/;
/** A domain, a host or a server in other languages, whatever its ending. */
const elsewhere = /^(?:dom[aei]n|host|ser[vw]|сервер|домен|хост|запис)/;
/** `Header To: invalid address`, `Reply-To: no such address`. */
const inHeader = / (?:headers? (?:\w+ ){0,3}|reply to )$/;
/** `user refuses mail of people not found in the address book`. */
const wills = words('refuses rejects blocks requires wants');
/** Somebody else's mailbox, or other ones that we asked for: `the journal mailbox`, `a previous recipient`. */
const otherOnes = words('other previous earlier many several archive journal quarantine delegates managers vendors');

/** Whose state the words found in a text are: the mailbox's, ours (who ask), that of a machine, or of something else that has a name. */
type Subject = 'mailbox' | 'us' | 'machine' | 'other';

/** Whose state the words at this place of a text tell: `your account is disabled` and `the PTR record doesn't exist` tell nothing of the mailbox. */
export function subjectOf({ text, start, end }: Place): Subject {
  const said = text.slice(start, end);
  if (isCjk(said)) return cjkSubject(text.slice(0, end), text.slice(end));
  const found = said.trim().split(' ');
  const first = found[0] ?? '';
  const named = found.some(isMailboxName);
  if (isSaidOfUs({ text, start, end }, found)) return 'us';
  if (found.some((word) => wills.has(word))) return 'other';
  if (found.some((word, index) => things.has(word) && isSubject(word, found[index - 1]))) return 'machine';
  const following = text.slice(end).trim().split(' ');
  const after = wordsAfter(following);
  // `the user refuses mail from unknown senders`.
  if (
    found.length > 2 &&
    /^(?:unknown|invalid|nonexistent|inactive)$/.test(found.at(-1) ?? '') &&
    others.test(after[0] ?? '')
  )
    return 'us';
  // A new sentence begins with `If you believe that this is an error`.
  if (/^(?:whether|if (?!you$))/.test(after.join(' ')) || isPartOfMailbox(found)) return 'other';
  // `нет такого домена`.
  if (/^ (?:нет так|nie ma taki|brak taki)/.test(said) && elsewhere.test(after[0] ?? '')) return 'other';
  // `this may be an invalid address`.
  if (named && / (?:may|might) be /.test(text.slice(Math.max(0, start - 10), end))) return 'other';
  if (isMailboxName(found.at(-1) ?? '')) {
    const other = otherThanMailbox(following);
    if (other !== null) return other;
  }
  const before = text.slice(0, start).trim().split(' ').reverse();
  if (isOfAnother(before, first)) return 'other';
  // `your recipient` is the one that we ask for.
  if (/^(?:recipient|rcpt|addressee)/.test(first)) return 'mailbox';
  if (isMailboxName(first))
    return ownedByUs(before, ['address', 'account', anyMailbox].includes(first)) ? 'us' : 'mailbox';
  const told = subjectBefore(before, named && describing.has(first));
  // `the server doesn't know that user`.
  if (told === 'machine') return after.some(isMailboxName) ? 'mailbox' : 'machine';
  if (told === 'us' || named || !ofAnything.test(found.join(' '))) return told;
  return subjectOfAnything(first, before, following);
}

/** Whose state something tells that can be said of anything: the mailbox's, where the words beside it name one or nothing. */
function subjectOfAnything(first: string, before: readonly string[], following: readonly string[]): Subject {
  const after = wordsAfter(following);
  if (isPart(before) || (before.join('') === '' && parts.has(after[0] ?? ''))) return 'other';
  const border = before.findIndex((word) => borders.has(word));
  const around = before.slice(0, border === -1 ? undefined : border);
  // `nonexistent` stands before its noun, the others may.
  if (first.startsWith('non')) {
    if (after.some((word) => netNames.has(word) || ours.has(word) || machines.has(word))) return 'us';
    around.push(...after);
  }
  if (around.some((word) => protocols.has(word))) return 'other';
  const nouns = around.filter((word) => word.length > 2 && !links.has(word) && !verbs.has(word));
  // `due to inactivity new mail is not accepted for this mailbox`.
  const beside = first === 'inactivity' ? following : after;
  return nouns.length === 0 || [...nouns, ...beside].some((word) => isMailboxName(word) || owners.has(word))
    ? 'mailbox'
    : 'other';
}

/** The words after a place that may belong to it: more where they say for whom. */
function wordsAfter(following: readonly string[]): readonly string[] {
  return following.slice(0, following[0] === 'for' ? 4 : 2);
}

/** Whether a place names us in its midst, or right before or after it. */
function isSaidOfUs({ text, start, end }: Place, found: readonly string[]): boolean {
  const said = text.slice(start, end);
  return (
    found.some((word, index) => index > 0 && (netNames.has(word) || isAsker(word, found[index - 1]))) ||
    sentBy.test(said) ||
    yours.test(said) ||
    ofOurs.test(text.slice(end)) ||
    inHeader.test(text.slice(0, start + 1))
  );
}

/** Whether what is found is said of something that a mailbox has: `user preferences not found`, `mailbox database … not found`. */
function isPartOfMailbox(found: readonly string[]): boolean {
  const last = found.findLastIndex(isMailboxName);
  const [next = '', second = ''] = last === -1 ? [] : found.slice(last + 1);
  // `unknown in the recipient table` says where.
  if (/^(?:table|path)$/.test(next) && isMailboxName(found[0] ?? '')) return true;
  return parts.has(next) || (parts.has(second) && !prepositions.has(next) && !verbs.has(next));
}

/** Whether the words before a mailbox, or before what is said of it, make it another one, or a part of it: `device of this mailbox`. */
function isOfAnother(before: readonly string[], first: string): boolean {
  const near = before.filter((word) => !links.has(word) && !verbs.has(word)).slice(0, 3);
  return (
    near.some((word) => otherOnes.has(word)) ||
    (isMailboxName(first) && (isOwnerOfPart(near) || /^(?:table|column)$/.test(near[0] ?? '')))
  );
}

/** Whether a predicate is said of what a mailbox has: `account verification is disabled`, `all backends for this user are disabled`. */
function isPart(before: readonly string[]): boolean {
  const [last = '', ...rest] = before.filter((word) => !links.has(word) && !verbs.has(word));
  return isMailboxName(last)
    ? isOwnerOfPart(rest)
    : (parts.has(last) || last === 'table') && !prepositions.has(rest[0] ?? '');
}

function isOwnerOfPart([last = '', noun = '']: readonly string[]): boolean {
  return (last === 'of' || last === 'for' || last === 'to') && parts.has(noun);
}

/** What the name of a mailbox is with the words after it, where that is no mailbox: `unknown user in From header`, `invalid user name or password`. */
function otherThanMailbox(following: readonly string[]): Subject | null {
  const [next = '', second = ''] = following;
  if (compounds.has(next)) return 'other';
  const whose = next === 'for' || next === 'of' ? following.slice(1).find((word) => !links.has(word)) : undefined;
  const ours =
    acting.has(next) || netNames.has(next) || (next === 'in' && headers.has(second)) || askers.has(whose ?? '');
  return ours || following.slice(0, 3).includes('password') ? 'us' : null;
}

/** Whether a word is what a sentence speaks of, by the word before it: `on the server` says where, `recipient host` whose. */
function isSubject(word: string, last: string | undefined): boolean {
  if (last === undefined || prepositions.has(last) || links.has(last)) return false;
  return word !== 'host' || !isMailboxName(last);
}

/** `the address you are sending to` is the one that we ask for. */
function isAsker(word: string, last = ''): boolean {
  return askers.has(word) && !(word === 'sending' && verbs.has(last));
}

/** Whether the name of a mailbox is one of ours, by the word before it. */
function ownedByUs(before: readonly string[], mayBeOfMail: boolean): boolean {
  const [last = '', earlier = ''] = before;
  // `reply-to address`.
  if (last === 'to' && (earlier === 'reply' || earlier === 'return')) return true;
  const owner = (mayBeOfMail && ofMail.has(last)) || (earlier === 'your' && roles.has(last)) ? earlier : last;
  return ours.has(owner) || netNames.has(owner);
}

/** The subject of a predicate: the nearest word before it that tells whose it is. `your mail: no such user` has no verb between. */
function subjectBefore(before: readonly string[], describes: boolean): Subject {
  let verb = false;
  let mayBeMachine = !describes;
  for (const [index, word] of before.slice(0, 6).entries()) {
    if (ours.has(word) || netNames.has(word)) return 'us';
    if (verbs.has(word)) verb = true;
    else if (shared.has(word) && (verb || !describes)) mayBeMachine &&= !isMailboxName(word);
    else if (machines.has(word) && mayBeMachine) return isPlaceOnly(before.slice(index + 1)) ? 'mailbox' : 'machine';
    else if (!links.has(word) && !(verb && (ofMail.has(word) || machines.has(word)))) break;
  }
  return 'mailbox';
}

/** `on this server` says where, not who. */
function isPlaceOnly(before: readonly string[]): boolean {
  return prepositions.has(before.find((word) => !links.has(word) && !ofMail.has(word)) ?? '');
}
