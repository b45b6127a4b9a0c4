import type { SmtpReply } from '../../model/evidence.js';
import { isMailboxName } from './mailbox-words.js';
import { matchPhrase, type PhraseMatch } from './match-phrase.js';
import { fold } from './phrases.js';
import { wordList } from './word-lists.js';

/** Words about a missing mailbox, about any refusal, or about a link to more information. */
const plainWords = new Set(wordList('plain'));
/** Further words that agree with an enhanced code, by its subject and detail (RFC 3463 §3.2). */
const wordsByEnhancedCode = new Map(['1.0', '1.2', '1.3', '1.6'].map((detail) => [detail, new Set(wordList(detail))]));
const noMailWords = new Set(wordList('no_mail'));

/**
 * Whether no word contradicts the code or the phrase of a missing or closed mailbox: hosts use such codes for any refusal. Unknown
 * words and IP addresses contradict.
 */
export function wordsAgree({ enhanced, text }: SmtpReply, match: PhraseMatch, bare: string): boolean {
  if (match?.group === 'no_such_user')
    return !contradictions.test(bare.replace(links, ' ').replace(asides, ' ').replace(hosts, ' '));
  const detail = enhanced?.slice(2) ?? '';
  if (match?.group === 'disabled' || !/^(?:1\.[01236]|2\.1)$/.test(detail)) return true;
  return hasOnlyWords(text, bare, wordsByEnhancedCode.get(detail));
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
const refusalWords = new Set(wordList('bare_refusal'));

/** Whether every word is a bare refusal of a mailbox: `access denied` may be meant for the client. RFC 3463: 5.2.1, 5.3, 5.6 and 5.7 name a cause; RFC 7504: 556 is about the domain. */
export function isBareRefusal({ code, enhanced, text }: SmtpReply, bare: string): boolean {
  if (code === 556 || /^5\.(?:2\.1|[367]\.)/.test(enhanced ?? '') || ipAddress.test(text) || bare.search(links) !== -1)
    return false;
  const words = wordsOf(bare);
  return (
    words.some(isMailboxName) && words.every((word) => isNeutral(word) || refusalWords.has(word) || isMailboxName(word))
  );
}

/** `or` in many languages. Dutch `of` and Italian `o` are words of other languages as well. */
const conjunction =
  /[ (](?:and\/or|or|oder|ou|lub|albo|nebo|anebo|alebo|ali|ili|или|або|eller|tai|vagy|sau|veya|ya da|atau|arba|vai|või|ή)(?= )|(?<=onbekend|niet) of(?= )|(?<=sconosciut[oa]|inesistente|esiste|existe|desconocid[oa]|v[áa]lid[oa]|encontrad[oa]|trovat[oa]) o(?= )|または|もしくは|또는|거나|か、|或者?/;
const absence =
  / (?:unknown|unbekannt|inconnue?|desconocid[oa]|sconosciut[oa]|exist[^ ]*|found|invalid|valid|available|unavailable|不存在) /;
const otherCause =
  / (?:full|quota|voll|pleine?|llen[oa]|cheia|piena|pelna|[^ ]*blo[ck][^ ]*|заблок[^ ]*|gesperrt|denied|access|allowed|permitted|policy|reject[^ ]*|refus[^ ]*|restricted|protected|unavailable|closed|spam|temporarily) /;
const hedges = [
  / (?:might|may) not (?:exist|be (?:valid|known|found)) | (?:possibly|perhaps|maybe|probably) | if (?:the|this|that) [^ ]+ does not exist | not unknown | never say /,
  / (?:recipient|mailbox|address|user|rcpt) (?:is )?(?:ok|okay) /,
];

/** Whether the refusal leaves open which of several causes it has, `unknown or full`, or contradicts itself: `550 5.1.1 Recipient ok`. */
export function isHedged(bare: string): boolean {
  const folded = fold(bare);
  return hedges.some((hedge) => hedge.test(folded)) || bare.split(/[.;!?:](?= |$)/).some(offersCauses);
}

/** Whether one side of an `or` is an absence, and the other something else. */
function offersCauses(sentence: string): boolean {
  const sides = sentence.split(conjunction).map((side) => side.replace(/^[ ,]+|[ ,]+$/g, ''));
  return sides.slice(1).some((side, index) => {
    const left = splitWords(sides[index]?.split(',').at(-1)).slice(-5).join(' ');
    const right = splitWords(side.split(',')[0]).slice(0, 5).join(' ');
    return (isAbsence(left) && isOtherCause(right)) || (isOtherCause(left) && isAbsence(right));
  });
}

function isAbsence(words: string): boolean {
  return absence.test(` ${words} `) || matchPhrase(words)?.group === 'no_such_user';
}

/** An inactive or expired mailbox takes no mail, as a missing one does. */
const closure = /\b(?:in|de|des|dis)a[ct]+iv|\bexpired\b|\bcannot receive\b|\bkadaluarsa\b/;
/** What is missing beside the mailbox: `no such user or room`. */
const things = new Set(wordList('missing_thing'));

function isOtherCause(words: string): boolean {
  if (otherCause.test(` ${words} `)) return true;
  if (isAbsence(words) || closure.test(words) || matchPhrase(words)?.group === 'disabled') return false;
  return !words
    .split(' ')
    .every((word) => isNeutral(word) || plainWords.has(word) || isMailboxName(word) || things.has(word));
}

/** Whether all words are plain ones or allowed, without an IP address. */
function hasOnlyWords(text: string, bare: string, allowed: ReadonlySet<string> | undefined): boolean {
  if (ipAddress.test(text)) return false;
  return wordsOf(bare.replace(links, ' ')).every(
    (word) => isNeutral(word) || plainWords.has(word) || isMailboxName(word) || allowed?.has(word) === true,
  );
}

const splitWords = (text = '') => fold(text).trim().split(' ');

/** The words of a refusal, without asides. */
function wordsOf(bare: string): string[] {
  return splitWords(bare.replace(asides, ' '));
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
  /\b(?:abus|allow ?list|approved|attach|authori[sz]|banned|barred|connections?\b|country|credential|dynamic|encrypt|exceed(?!s \d+ (?:byte|char))|filter|firewall|geo|infected|ipv[46]|licen[cs]e|log ?in\b|maintenance|mime\b|more than|overload|password|permission|permitted|phish|policy|reputation|reverse|rights?\b|rules?\b|sending\b(?! to)|session\b(?!\W{0,2}id\b)|shell\b|sign in|spam|too many|traffic|virus|wanted|white ?list|worm|your (?:account|address|client|country|domain|host|ip|network|sender|server)\b)/i;
