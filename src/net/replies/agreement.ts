import type { SmtpReply } from '../../model/evidence.js';
import { isMailboxName } from './mailbox-words.js';
import type { PhraseMatch } from './match-phrase.js';
import { fold } from './phrases.js';

const words = (list: string) => list.trim().split(/\s+/);

/** Words of a missing mailbox, of any refusal, and of where to read more. */
const plainWords = new Set(
  words(`
  absent accessed bad exist existent existing exists found gone illegal incorrect invalid known missing nobody none
  nonexistent nope not recognised recognized unallocated unknown valid wrong
  access available cannot could couldnt delivered denied error fail failed failure permanent refused reject rejected
  rejecting required sorry status unavailable undeliverable
  and are been but does for has have here may one other our that the their there this was were with
  action check correct destination email intended mail recipients requested spelling taken verify
  com details help http https info information learn look more page please see support visit www
  esmtp gsmtp nsmtp rcpt smtp`),
);
/** Further words that agree with an enhanced code (RFC 3463 §3.2). */
const wordsOfDetail: Record<string, ReadonlySet<string>> = {
  '1.2': new Set(
    words(`able connected conversion data dns domain find host hostname idna malformed mx name route server system
    unrouteable werent`),
  ),
  '1.3': new Set(
    words(`allowed character characters format formatted ill long malformed missing part review rfc short specifications
    syntax too`),
  ),
  '1.6': new Set(words('forwarding longer moved replaced server system')),
};
const noMailWords = new Set(
  words(
    'accept accepted accepting accepts domain host mx null nullmx receive receives record server service take takes',
  ),
);

/**
 * Whether all words agree that the mailbox is missing or closed, as the code or some words say: hosts use such codes for any refusal.
 * Unknown words and IP addresses do not agree.
 */
export function wordsAgree({ enhanced, text }: SmtpReply, match: PhraseMatch, bare: string): boolean {
  if (match?.group === 'no_such_user') return !contradictions.test(bare.replace(links, ' ').replace(hosts, ' '));
  const detail = enhanced?.slice(2) ?? '';
  if (match?.group === 'disabled' || !/^(?:1\.[01236]|2\.1)$/.test(detail)) return true;
  return hasOnlyWords(text, bare, wordsOfDetail[detail]);
}

/** Whether all words agree that a domain takes no mail (RFC 7505). */
export function agreesOnNoMail({ text }: SmtpReply, bare: string): boolean {
  return hasOnlyWords(text, bare, noMailWords);
}

/** Whether all words are plain ones or allowed, without an IP address. */
function hasOnlyWords(text: string, bare: string, allowed: ReadonlySet<string> | undefined): boolean {
  if (ipAddress.test(text)) return false;
  return fold(bare.replace(links, ' ').replace(asides, ' '))
    .trim()
    .split(' ')
    .every((word) => isNeutral(word) || plainWords.has(word) || isMailboxName(word) || allowed?.has(word) === true);
}

/** Whether a word says nothing by itself: `no`, a session number, the name of a queue. */
function isNeutral(word: string): boolean {
  return /^[a-z]{0,2}$|^[a-z]*\d[a-z\d]*$/.test(word);
}

const ipAddress = /\b\d{1,3}(?:\.\d{1,3}){3}\b/;
const links = /\bhttps?:\S+/g;
/** Host names say nothing: `spamgate.example.net`. */
const hosts = /\b[a-z\d-]+(?:\.[a-z\d-]+)+/g;
/** What was not delivered, and where the mailbox was searched. */
const asides = /\byour (?:e-?mail|mail|message)\b|\bon (?:(?:an?|our|the|this) )?(?:ldap |mail ?)?(?:server|system)\b/g;
/** Words about unwanted mail, the client or trouble of the host, and rarely about a missing mailbox. */
const contradictions =
  /\b(?:abus|attach|authori[sz]|banned|barred|connections?\b|country|credential|encrypt|filter|firewall|geo|infected|ipv[46]|licen[cs]e|log ?in\b|maintenance|mime\b|more than|overload|password|permission|permitted|phish|policy|reputation|reverse|rules?\b|sending\b(?! to)|session\b(?!\W{0,2}id\b)|sign in|spam|too many|traffic|virus|wanted|worm|your (?:account|address|client|country|domain|host|ip|network|sender|server)\b)/i;
