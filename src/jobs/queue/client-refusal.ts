import type { MailboxEvidence } from '../../model/evidence.js';

/** A vague reply does not prove a block. */
const minCertainty = 0.7;

/** Whether the mail server refuses this client, not the mailbox. Public declarations use this file: it imports no database driver. */
export function isClientRefused({ outcome, certainty }: MailboxEvidence): boolean {
  return outcome.state === 'unknown' && outcome.reason === 'antispam_system' && certainty >= minCertainty;
}
