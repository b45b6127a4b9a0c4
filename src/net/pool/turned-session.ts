import type { SmtpReply } from '../../model/evidence.js';
import type { Reading } from '../replies/reading.js';
import type { ProbeTask } from './probe-task.js';

/** How a host takes to one session: what it refused, and whether it has turned on us. */
export class SessionMood {
  private heard = 0;
  private refusals = 0;
  private firstRefusal: string | null = null;
  private turnedAt: number | null = null;

  /** Replies to RCPT that were no acceptance. */
  get refused(): number {
    return this.refusals;
  }

  /**
   * Hears a reply to RCPT; true where it may be about this session, so that only a fresh one tells whom it means. Exim's ACLs, chkuser
   * and others refuse everyone for the rest of a session that asked for too many unknown mailboxes: a refusal may blame the session
   * where an earlier one did so in other words or not at all.
   */
  turnsOn(task: ProbeTask, reply: SmtpReply, reading: Reading): boolean {
    this.heard++;
    const words = `${reply.code} ${reply.text.replaceAll(task.recipient.address, '')}`;
    const before = this.firstRefusal;
    if (reply.code >= 400) {
      this.refusals++;
      this.firstRefusal ??= words;
    }
    if (this.heard === 1 || task.turnedAfter !== null || !reading.mayBlameSession) return false;
    return reading.reason === 'rate_limited' || (before !== null && before !== words);
  }

  /** After how many refusals the host turned; asked for once it has. */
  turnedAfter(): number {
    this.turnedAt ??= Math.max(1, this.refusals - 1);
    return this.turnedAt;
  }
}
