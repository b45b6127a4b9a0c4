import type { SmtpReply } from '../../model/evidence.js';
import { matchPhrase } from './match-phrase.js';
import { fold, isMailboxName } from './phrases.js';
import type { PhraseMatch } from './reading.js';
import { isIn, pattern, says, without } from './word-lists.js';

/**
 * Whether no word contradicts the code or the phrase of a missing or closed mailbox: hosts use such codes for any refusal. Unknown
 * words and IP addresses contradict.
 */
export function wordsAgree({ enhanced, text }: SmtpReply, match: PhraseMatch, bare: string): boolean {
  if (match?.group === 'no_such_user') return !says('contradiction', without(bare, 'link', 'aside', 'host_name'));
  const detail = enhanced?.slice(2) ?? '';
  if (match?.group === 'disabled' || !/^(?:1\.[01236]|2\.1)$/.test(detail)) return true;
  return hasOnlyWords(text, bare, /^1\.[0236]$/.test(detail) ? detail : 'plain');
}

/** Whether every word is a bare refusal of a mailbox: `access denied` may be meant for the client. RFC 3463: 5.2.1, 5.3, 5.6 and 5.7 name a cause; RFC 7504: 556 is about the domain. */
export function isBareRefusal({ code, enhanced, text }: SmtpReply, bare: string): boolean {
  if (code === 556 || /^5\.(?:2\.1|[367]\.)/.test(enhanced ?? '') || says('ip_address', text) || says('link', bare))
    return false;
  const words = wordsOf(bare);
  return (
    words.some(isMailboxName) &&
    words.every((word) => isNeutral(word) || isIn('bare_refusal', word) || isMailboxName(word))
  );
}

/** Whether the refusal leaves open which of several causes it has, `unknown or full`, or contradicts itself: `550 5.1.1 Recipient ok`. */
export function isHedged(bare: string): boolean {
  return says('hedge', fold(bare)) || bare.split(/[.;!?:](?= |$)/).some(offersCauses);
}

/** Whether one side of an `or` is an absence, and the other something else. */
function offersCauses(sentence: string): boolean {
  const sides = sentence.split(pattern('or')).map((side) => side.replace(/^[ ,]+|[ ,]+$/g, ''));
  return sides.slice(1).some((side, index) => {
    const left = splitWords(sides[index]?.split(',').at(-1)).slice(-5).join(' ');
    const right = splitWords(side.split(',')[0]).slice(0, 5).join(' ');
    return (isAbsence(left) && isOtherCause(right)) || (isOtherCause(left) && isAbsence(right));
  });
}

function isAbsence(words: string): boolean {
  return says('absence', ` ${words} `) || matchPhrase(words)?.group === 'no_such_user';
}

function isOtherCause(words: string): boolean {
  if (says('other_cause', ` ${words} `)) return true;
  if (isAbsence(words) || says('closure', words) || matchPhrase(words)?.group === 'disabled') return false;
  return !words
    .split(' ')
    .every((word) => isNeutral(word) || isIn('plain', word) || isMailboxName(word) || isIn('missing_thing', word));
}

/** Whether every word is one of a missing mailbox or of a bare refusal, or is in the list. An IP address is not. */
export function hasOnlyWords(text: string, bare: string, list: string): boolean {
  if (says('ip_address', text)) return false;
  return wordsOf(without(bare, 'link')).every(
    (word) => isNeutral(word) || isIn('plain', word) || isMailboxName(word) || isIn(list, word),
  );
}

const splitWords = (text = '') => fold(text).trim().split(' ');

/** The words of a refusal, without asides. */
function wordsOf(bare: string): string[] {
  return splitWords(without(bare, 'aside'));
}

/** Whether a word says nothing by itself: `no`, a session number, the name of a queue. */
function isNeutral(word: string): boolean {
  return /^[a-z]{0,2}$|^[a-z]*\d[a-z\d]*$/.test(word);
}
