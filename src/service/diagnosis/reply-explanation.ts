import type { SmtpReply } from '../../model/evidence.js';
import { Failure } from '../../model/failure.js';
import { shellWord } from '../../model/text/shell-word.js';
import { type Status, type SubStatus, statusOf } from '../../model/verdict.js';
import { readReplyRules } from '../../net/replies/match-phrase.js';
import { readReply } from '../../net/replies/read-reply.js';
import type { Reading, ReadingReason, UserRule } from '../../net/replies/reading.js';
import { ReplyReader, toReply } from '../../net/smtp/reply-parser.js';

/** A reply as the engine reads it. */
export interface ReplyExplanation extends Omit<Reading, 'mayBlameSession'> {
  reply: SmtpReply;
  status: Status;
  subStatus: SubStatus;
  /** False for a refusal that may be about the mailbox or about the client. */
  hasClearCause: boolean;
  /** Why it is not the neighboring verdict. */
  why: string[];
}

/** Explains each reply to RCPT. Lines that are not a reply are skipped, unless no reply is left. `replyRules` is a file. */
export async function explainReplies(
  input: string,
  replyRules: string | null,
): Promise<{ replies: ReplyExplanation[]; skipped: SkippedLine[] }> {
  const { text, skipped } = withoutOtherLines(input);
  const extraRules = replyRules === null ? [] : await readReplyRules(replyRules);
  return { replies: parseReplies(text).map((reply) => explainReply(reply, extraRules)), skipped };
}

/** A line of the input that is not a reply. */
interface SkippedLine {
  /** Counted from 1. */
  number: number;
  text: string;
}

function withoutOtherLines(text: string): { text: string; skipped: SkippedLine[] } {
  const lines = text.split('\n').map((line, index) => ({ number: index + 1, text: line }));
  const isReply = (line: SkippedLine): boolean => /^\s*[2-5]\d\d(?:[ -]|\s*$)/.test(line.text);
  const replies = lines.filter(isReply);
  if (replies.length === 0) return { text, skipped: [] };
  const skipped = lines.filter((line) => !isReply(line) && line.text.trim() !== '');
  return { text: replies.map((line) => line.text.trimStart()).join('\n'), skipped };
}

/** Parses one or more replies, multiline ones too; otherwise throws the Failure `usage`. */
export function parseReplies(text: string): SmtpReply[] {
  const lines = text
    .trim()
    // A shell passes \n as two characters.
    .replace(/(?:\\r)?\\n(?=[2-5]\d\d[ -])/g, '\n')
    // Accepts a single line of a multiline reply.
    .replace(/(^|\n)(\d{3})-([^\n]*)$/, '$1$2 $3');
  const { replies, malformed } = new ReplyReader().push(Buffer.from(`${lines}\n`));
  if (!malformed && replies.length > 0) return replies.map((raw) => toReply('rcpt', raw));
  const codeLine = /(?<![\d.])[2-5]\d\d[ -][^\n"]*/.exec(text)?.[0];
  throw new Failure('usage', 'This is not the reply of a mail server: each line starts with its three-digit code.', {
    hint:
      codeLine === undefined
        ? 'Write it as the host sent it: mailvet explain --reply "550 5.1.1 No such user"'
        : `Leave out what is not part of it: mailvet explain --reply ${shellWord(codeLine.trim().slice(0, 200))}`,
  });
}

export function explainReply(reply: SmtpReply, extraRules: readonly UserRule[]): ReplyExplanation {
  const reading = readReply(reply, { recipient: '', extraRules });
  const { reason, rule, decidedBy, phrase, certainty, retryAfterSeconds, vague } = reading;
  const subStatus = subStatusOf(reason);
  return {
    ...{ reply, reason, rule, decidedBy, phrase, certainty, retryAfterSeconds, vague, subStatus },
    status: statusOf[subStatus],
    hasClearCause: hasClearCause(reading),
    why: sentencesFor(reply, reading),
  };
}

/** The rules give a refusal without a clear cause to `antispam_system`, with a certainty below one half. */
function hasClearCause({ reason, certainty }: Reading): boolean {
  return reason !== 'antispam_system' || certainty >= 0.5;
}

function subStatusOf(reason: ReadingReason): SubStatus {
  if (reason === 'accepted') return '';
  if (reason === 'cannot_verify') return 'catch_all';
  return reason === 'session_limit' ? 'rate_limited' : reason;
}

function sentencesFor({ code }: SmtpReply, reading: Reading): string[] {
  const { reason, vague } = reading;
  const sentences: string[] = [];
  const hundreds = Math.floor(code / 100);
  if (reason === 'accepted')
    sentences.push('Valid only if a random mailbox of the same domain is refused, otherwise catch_all.');
  if (reason === 'cannot_verify')
    sentences.push('Not valid, since 252 says that the host accepts the mail without knowing the mailbox.');
  if (hundreds === 4 && statusWord(reason) === 'unknown') {
    sentences.push('Not invalid, since a 4xx asks to retry later and proves nothing.');
  }
  if (reason === 'session_limit') sentences.push('Asked again in a fresh session before it counts.');
  if (vague) {
    sentences.push(
      'Not mailbox_not_found yet, since it names no cause: it is if the host refuses a random mailbox in the same way and accepts another mailbox of the domain.',
    );
  } else if (hundreds === 5 && statusWord(reason) === 'unknown') {
    sentences.push(
      hasClearCause(reading)
        ? 'Not invalid, since this refusal is about the client or a temporary state, not about the mailbox.'
        : 'Not invalid, since the words leave open whether the mailbox is missing.',
    );
  }
  return sentences;
}

function statusWord(reason: ReadingReason): Status {
  return statusOf[subStatusOf(reason)];
}
