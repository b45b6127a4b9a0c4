import type { SmtpReply } from '../../model/evidence.js';
import { isMailboxName } from './mailbox-words.js';
import type { PhraseMatch } from './match-phrase.js';
import { fold } from './phrases.js';

const splitWords = (list: string) => list.trim().split(/\s+/);

/** Words about a missing mailbox, about any refusal, or about a link to more information. */
const plainWords = new Set(
  splitWords(`
  absent accessed bad exist existent existing exists found gone illegal incorrect invalid known missing nobody none
  nonexistent nope not recognised recognized unallocated unknown unrecognised unrecognized valid wrong
  access available cannot could couldnt delivered denied error fail failed failure permanent refused reject rejected
  rejecting required sorry status unavailable undeliverable
  and are been but does for has have here may one other our that the their there this was were with
  action check correct destination email intended mail recipients requested spelling taken verify
  com details help http https info information learn look more page please see support visit www
  esmtp gsmtp nsmtp rcpt smtp`),
);
/** Further words that agree with an enhanced code, by its subject and detail (RFC 3463 §3.2). */
const wordsByEnhancedCode: Record<string, ReadonlySet<string>> = {
  '1.0': new Set(splitWords('bytes local long max part too')),
  '1.2': new Set(
    splitWords(`able connected conversion data dns domain find host hostname idna malformed mx name route server system
    unrouteable werent`),
  ),
  '1.3': new Set(
    splitWords(`addresses allowed begin character characters colon comma contain domain dot dots double end format formatted host
    hostname ill list local long malformed missing must name part quote quoted review rfc route short space spaces
    specifications start syntactically syntax too`),
  ),
  '1.6': new Set(splitWords('forwarding longer moved replaced server system')),
};
const noMailWords = new Set(
  splitWords(
    'accept accepted accepting accepts domain host mx null nullmx receive receives record server service take takes',
  ),
);

/**
 * Whether no word contradicts the code or the phrase of a missing or closed mailbox: hosts use such codes for any refusal. Unknown
 * words and IP addresses contradict.
 */
export function wordsAgree({ enhanced, text }: SmtpReply, match: PhraseMatch, bare: string): boolean {
  if (match?.group === 'no_such_user')
    return !contradictions.test(bare.replace(links, ' ').replace(asides, ' ').replace(hosts, ' '));
  const detail = enhanced?.slice(2) ?? '';
  if (match?.group === 'disabled' || !/^(?:1\.[01236]|2\.1)$/.test(detail)) return true;
  return hasOnlyWords(text, bare, wordsByEnhancedCode[detail]);
}

/** Whether all words agree that a domain takes no mail (RFC 7505). */
export function agreesOnNoMail({ text }: SmtpReply, bare: string): boolean {
  return hasOnlyWords(text, bare, noMailWords);
}

/** Whether every word is one of a missing mailbox or of a bare refusal. */
export function hasPlainWords(text: string, bare: string): boolean {
  return hasOnlyWords(text, bare, undefined);
}

/** The words of a refusal that gives no cause. */
const refusalWords = new Set(
  splitWords(`access action aborted allowed available cannot command delivery denied denined deny error failed failure fatal
  for has local may not permanent permitted refused reject rejected rejecting requested server smtp sorry status taken the this
  unavailable unavaiable undeliverable unreachable was`),
);

/** Whether every word is a bare refusal of a mailbox: `access denied` may be meant for the client. RFC 3463: 5.3, 5.6 and 5.7 name a cause. */
export function isBareRefusal({ enhanced, text }: SmtpReply, bare: string): boolean {
  if (/^5\.[367]\./.test(enhanced ?? '') || ipAddress.test(text) || bare.search(links) !== -1) return false;
  const words = wordsOf(bare);
  return (
    words.some(isMailboxName) && words.every((word) => isNeutral(word) || refusalWords.has(word) || isMailboxName(word))
  );
}

/** Patterns for `unknown or full`, in folded words of several languages. */
const conjunction = '(?:or|oder|ou|lub|или|o|eller|nebo)';
const absence =
  '(?:unknown|unbekannt|inconnue?|desconocid[oa]|exist[^ ]*|existe|found|invalid|valid|available|unavailable)';
const otherCause =
  '(?:full|quota|voll|pleine?|llen[oa]|cheia|piena|pelna|block[^ ]*|gesperrt|bloque[^ ]*|denied|access|allowed|permitted|policy|reject[^ ]*|refus[^ ]*|restricted|protected|unavailable|closed|spam|temporar[^ ]*)';
const hedges = [
  new RegExp(` ${absence} (?:[^ ]+ ){0,3}${conjunction} (?:[^ ]+ ){0,3}${otherCause} `),
  new RegExp(` ${otherCause} (?:[^ ]+ ){0,2}${conjunction} (?:[^ ]+ ){0,4}${absence} `),
  /不存在.{0,6}或|或.{0,6}不存在/,
  / (?:might|may) not (?:exist|be (?:valid|known|found)) | (?:possibly|perhaps|maybe|probably) | if (?:the|this|that) [^ ]+ does not exist | not unknown | never say /,
  / (?:recipient|mailbox|address|user|rcpt) (?:is )?(?:ok|okay) /,
];

/** Whether the refusal leaves open which of several causes it has, `unknown or full`, or contradicts itself: `550 5.1.1 Recipient ok`. */
export function isHedged(bare: string): boolean {
  const folded = fold(bare);
  return hedges.some((hedge) => hedge.test(folded));
}

/** Whether all words are plain ones or allowed, without an IP address. */
function hasOnlyWords(text: string, bare: string, allowed: ReadonlySet<string> | undefined): boolean {
  if (ipAddress.test(text)) return false;
  return wordsOf(bare.replace(links, ' ')).every(
    (word) => isNeutral(word) || plainWords.has(word) || isMailboxName(word) || allowed?.has(word) === true,
  );
}

/** The words of a refusal, without asides. */
function wordsOf(bare: string): string[] {
  return fold(bare.replace(asides, ' ')).trim().split(' ');
}

/** Whether a word says nothing by itself: `no`, a session number, the name of a queue. */
function isNeutral(word: string): boolean {
  return /^[a-z]{0,2}$|^[a-z]*\d[a-z\d]*$/.test(word);
}

const ipAddress = /\b\d{1,3}(?:\.\d{1,3}){3}\b/;
const links = /\bhttps?:\S+/g;
/** Host names say nothing: `spamgate.example.net`. */
const hosts = /\b[a-z\d-]+(?:\.[a-z\d-]+)+/g;
/** Remarks on what was not delivered, what the sender should correct, and where the mailbox was searched. */
const asides =
  /\byour (?:e-?mail|mail|message)\b|\byour (?:address ?book|contacts?|contact list|mailing list|records)\b|\bcheck (?:for )?(?:any )?(?:spelling|typos?)\b[^.]*|\bon (?:(?:an?|our|the|this) )?(?:ldap |mail ?)?(?:server|system)\b/g;
/** Words about unwanted mail, the client or a fault of the host, which replies about a missing mailbox rarely have. */
const contradictions =
  /\b(?:abus|allow ?list|approved|attach|authori[sz]|banned|barred|connections?\b|country|credential|dynamic|encrypt|exceed|filter|firewall|geo|infected|ipv[46]|licen[cs]e|log ?in\b|maintenance|mime\b|more than|overload|password|permission|permitted|phish|policy|reputation|reverse|rights?\b|rules?\b|sending\b(?! to)|session\b(?!\W{0,2}id\b)|shell\b|sign in|spam|too many|traffic|virus|wanted|white ?list|worm|your (?:account|address|client|country|domain|host|ip|network|sender|server)\b)/i;
