import type { SmtpReply, SmtpStage } from '../../src/model/evidence.js';
import { ReplyReader, toReply } from '../../src/net/smtp/reply-parser.js';

/** The first reply in a text, such as `550 5.1.1 …` or several `250-` lines; null for other text. */
export function parseReply(text: string, stage: SmtpStage = 'rcpt'): SmtpReply | null {
  // A single line of a longer reply will do.
  const lines = text.trim().replace(/(^|\n)(\d{3})-([^\n]*)$/, '$1$2 $3');
  const [first] = new ReplyReader().push(Buffer.from(`${lines}\n`)).replies;
  return first === undefined ? null : toReply(stage, first);
}
