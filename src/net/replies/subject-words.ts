import { wordList } from './word-lists.js';

const wordSet = (list: string) => new Set(list.split(' '));
const listSet = (...names: string[]) => new Set(names.flatMap(wordList));

/** Words before what belongs to the client: `your account`, `the sender's mailbox`, `client address`. */
export const clientWords = listSet('before_client_mailbox', 'foreign_client');
/** Names of the client inside the matched words: `the mailbox of the sender does not exist`. */
export const clientNouns = listSet('client_noun');
/** After the name of a mailbox, these words say that it is the client's: `unknown user connecting from`. */
export const clientActions = wordSet('connecting sending originating submitter');
/** Names of the network, which have no mailbox: `the IP is not known here`. */
export const networkNames = wordSet('ip ptr rdns spf dkim helo ehlo hostname');
/** Machines and records, in several languages: `the server does not exist`, `no such record`. */
export const machineNames = listSet('machine');
/** Nouns that are the subject if they are inside the matched words: `user lookup: server not found`, `mailbox format unknown`. */
export const subjectNouns = wordSet('host server network gateway service store format policy type');
export const prepositions = wordSet('at on in of by to for');
/** Between a subject and its predicate. */
export const verbs = listSet('verb', 'foreign_filler');
/** Words that are skipped in the search for a subject: `the mailbox is currently not …`. */
export const fillers = listSet('skipped');
/** Nouns for either the client or the mailbox; the word before decides. */
export const ambiguousNouns = listSet('ambiguous_noun');
export const mailWords = wordSet('mail email');
/** Mailboxes of a sender: `your abuse mailbox`, `your SMTP account`. */
export const senderRoles = wordSet('abuse bounce hosting own postmaster smtp trial');
/** Words before the noun that they describe: `unknown user`, `no mailbox`, `not have an account`. */
export const describingWords = wordSet('unknown invalid no not bad wrong non');

/** Words that form another noun after the name of a mailbox: `recipient map`, `user agent`. */
export const compoundEndings = listSet('compound_ending');
/** Parts of a mailbox or its server: a statement about them is not about the mailbox. */
export const mailboxParts = listSet('mailbox_part');
/** Parts of a message that name its sender: `unknown user in From header`. */
export const headerNames = wordSet('from sender envelope return reply header');

/** Predicates that fit any subject: `TLS is disabled`, `connection closed due to inactivity`. */
export const generalPredicates =
  /^(?:disabled(?!user)|inactivity|deactivated|discontinued|archived|dormant|do(?:es)?nt|dosnt|is not|no longer (?:exist|valid|activ|in )|no exists?|not (?:exists?|activ)|non ?existent|existiert nicht|nicht vorhanden|gibt es nicht|deaktiviert|gesperrt|stillgelegt|inaktiv|nexiste pas|no existe|nao existe|inativ|non esiste|inattiv|bestaat niet|inactief|nie istnieje|nieaktywn|neexistuje|neaktivni|finns inte|не существует|не існує|неактив)/;
/** Nouns after an adjective that is not about the mailbox: `refuses mail from unknown senders`. */
export const otherNouns = /^(?:sender|host|client|source|server|domain|network|ip|system|relay|error)s?$/;
/** `SMTP service disabled for this account`. */
export const protocols = wordSet('smtp esmtp pop pop3 imap tls ssl auth vrfy');
/** Owners of mailboxes. */
export const mailboxOwners = wordSet('person people employee student staff member group list');
/** Words that end the clause before them. */
export const clauseEnds = wordSet('rejected denied refused failed error said because reason but and');

/** The sender by its action: `the mailbox you are writing from`, `the account that sent this`. */
export const senderAction =
  / (?:send(?:ing)? from|you (?:\w+ ){0,3}from|you (?:\w+ ){0,2}(?:logged|signed|authenticated|impersonate)|you (?:\w+ ){0,2}used? to send|(?:that|which|who) (?:sent|sends)) /;
/** `no such user at your site`, `invalid address in Cc header`. */
export const clientAfterPattern =
  /^ (?:(?:for|of) (?:the )?(?:sender|client) |(?:for \w+ )?(?:at|for|on) your (?!e?mail |message |recipient |intended )|(?:in|of) (?:\w+ ){0,2}headers? )/;
/** `the address in your From line does not exist`. */
export const yourInsidePattern = /.{3} your (?!e?mail |message |recipient |intended |request |letter )/;
/** A domain, a host or a server in other languages, with any ending. */
export const foreignMachine = /^(?:dom[aei]n|host|ser[vw]|сервер|домен|хост|запис)/;
/** `Header To: invalid address`, `Reply-To: no such address`. */
export const headerBeforePattern = / (?:headers? (?:\w+ ){0,3}|reply to )$/;
/** `user refuses mail of people not found in the address book`. */
export const refusingVerbs = wordSet('refuses rejects blocks requires wants');
/** Another mailbox: `the journal mailbox`, `a previous recipient`. */
export const otherMailboxes = listSet('other_mailbox');
