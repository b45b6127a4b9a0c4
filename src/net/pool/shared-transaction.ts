import type { SmtpReply } from '../../model/evidence.js';
import type { Reading, ReadingReason } from '../replies/reading.js';

/** They speak of one mailbox, and of nothing else. */
const plain: ReadonlySet<ReadingReason> = new Set([
  'accepted',
  'mailbox_not_found',
  'mailbox_disabled',
  'mailbox_quota_exceeded',
]);

/** Notices that a host minds several mailboxes in one transaction, as some do for bounces. */
export class SharedTransaction {
  private first: ReadingReason | null = null;

  /** Hears a reply to RCPT; true where a mailbox that came behind others may have been refused for just that. */
  mindsSharing({ code }: SmtpReply, { reason, vague }: Reading, shared: boolean): boolean {
    if (!shared) this.first = reason;
    if (!shared || code === 421) return false;
    return reason !== this.first && (vague || !plain.has(reason));
  }
}
