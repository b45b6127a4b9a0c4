import type { SmtpReply } from '../../model/evidence.js';
import type { Reading } from './reading.js';
import type { ReplyFacts } from './reply-rule.js';

/**
 * Settles a refusal without a cause by the control mailboxes. It is about this mailbox where the host refuses the random mailbox in the
 * same way and accepts one that must exist. A host that refuses both refuses the client; one that accepts the random mailbox objects
 * to something else.
 */
export function settleByControls({ reply, context, isVague }: ReplyFacts, unsettled: Reading): Reading {
  const { random = null, known = null } = context;
  const open = { ...unsettled, vague: true };
  if (random === null) return open;
  const isAlike = (other: SmtpReply): boolean => other.code === reply.code && isVague(other);
  if (!isAlike(random)) return unsettled;
  if (known === null || known.reply === null) return open;
  if (known.reply.code >= 300) return isAlike(known.reply) ? { ...unsettled, certainty: 0.8 } : unsettled;
  // RFC 3463 §3.8: 5.7 is policy, from which many hosts exempt postmaster.
  if (known.mailbox === 'postmaster' && reply.enhanced?.startsWith('5.7.') === true) return unsettled;
  return { ...unsettled, reason: 'mailbox_not_found', certainty: 0.9, mayBlameSession: false };
}
