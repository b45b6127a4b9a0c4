import type { SmtpReply } from '../../model/evidence.js';
import { isMailboxName } from './mailbox-words.js';
import type { PhraseMatch } from './match-phrase.js';
import { fold } from './phrases.js';

const words = (list: string) => list.trim().split(/\s+/);

/** What a host says of a mailbox that is missing, of any refusal, and of where to read more. */
const plain = new Set(
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
/** What it may say beside a code that speaks of more than the name of a mailbox (RFC 3463 §3.2). */
const ofDetail: Record<string, ReadonlySet<string>> = {
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
const noMail = new Set(
  words(
    'accept accepted accepting accepts domain host mx null nullmx receive receives record server service take takes',
  ),
);

/**
 * Whether what a host says agrees that the mailbox is missing or closed, as its code or some of its words have it: hosts give such a code to
 * any refusal. Words that nobody here can read do not agree with a code, and no more do those that name a machine.
 */
export function wordsAgree({ enhanced, text }: SmtpReply, said: PhraseMatch, bare: string): boolean {
  if (said?.group === 'no_such_user') return !ofMailOrUs.test(bare.replace(links, ' ').replace(hosts, ' '));
  const detail = enhanced?.slice(2) ?? '';
  if (said?.group === 'disabled' || !/^(?:1\.[01236]|2\.1)$/.test(detail)) return true;
  return saysNoMore(text, bare, ofDetail[detail]);
}

/** Whether it agrees that a domain takes no mail, which RFC 7505 has a code for. */
export function agreesOnNoMail({ text }: SmtpReply, bare: string): boolean {
  return saysNoMore(text, bare, noMail);
}

/** Whether all words are plain ones or of a list, and none names a machine. */
function saysNoMore(text: string, bare: string, allowed: ReadonlySet<string> | undefined): boolean {
  if (namesMachine.test(text)) return false;
  return fold(bare.replace(links, ' ').replace(asides, ' '))
    .trim()
    .split(' ')
    .every((word) => isBare(word) || plain.has(word) || isMailboxName(word) || allowed?.has(word) === true);
}

/** Whether a word tells nothing by itself: `no`, the number of a session, the name of a queue. */
function isBare(word: string): boolean {
  return /^[a-z]{0,2}$|^[a-z]*\d[a-z\d]*$/.test(word);
}

const namesMachine = /\b\d{1,3}(?:\.\d{1,3}){3}\b/;
const links = /\bhttps?:\S+/g;
/** What they are called says nothing: `spamgate.example.net`. */
const hosts = /\b[a-z\d-]+(?:\.[a-z\d-]+)+/g;
/** They say what was not delivered, and where a mailbox was looked for. */
const asides = /\byour (?:e-?mail|mail|message)\b|\bon (?:(?:an?|our|the|this) )?(?:ldap |mail ?)?(?:server|system)\b/g;
/** What hosts say of mail that they do not want, of who brings it or of trouble that they have, and hardly of a mailbox that is missing. */
const ofMailOrUs =
  /\b(?:abus|attach|authori[sz]|banned|barred|connections?\b|country|credential|encrypt|filter|firewall|geo|infected|ipv[46]|licen[cs]e|log ?in\b|maintenance|mime\b|more than|overload|password|permission|permitted|phish|policy|reputation|reverse|rules?\b|sending\b(?! to)|session\b(?!\W{0,2}id\b)|sign in|spam|too many|traffic|virus|wanted|worm|your (?:account|address|client|country|domain|host|ip|network|sender|server)\b)/i;
