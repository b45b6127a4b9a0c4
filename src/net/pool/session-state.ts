import type { SmtpReply } from '../../model/evidence.js';
import type { Reading, ReadingReason } from '../replies/reading.js';
import type { ProbeTask } from './probe-task.js';

/**
 * What a reply to RCPT means for the session. `minds_sharing`: a mailbox that came behind others in a transaction may have been
 * refused for just that, as some hosts do for bounces. `over`: the host ends the session, not the mailbox. `turned`: it may be about
 * this session, so that only a fresh one tells whom it means.
 */
type ReplyClass = 'answer' | 'minds_sharing' | 'over' | 'turned';

/** They speak of one mailbox, and of nothing else. */
const mailboxReasons: ReadonlySet<ReadingReason> = new Set([
  'accepted',
  'mailbox_not_found',
  'mailbox_disabled',
  'mailbox_quota_exceeded',
]);

/** How a host takes to one session: what it refused, and whether it has turned on us. */
export class SessionState {
  private replies = 0;
  private refusals = 0;
  private firstRefusal: string | null = null;
  private firstOfTransaction: ReadingReason | null = null;
  private cutoffAt: number | null = null;

  /** Replies to RCPT that were no acceptance. */
  get refused(): number {
    return this.refusals;
  }

  /** Hears a reply to RCPT; `shared`: it was not the first of its transaction. */
  classifyReply(task: ProbeTask, reply: SmtpReply, reading: Reading, shared: boolean): ReplyClass {
    const turned = this.isCutoff(task, reply, reading);
    if (!shared) this.firstOfTransaction = reading.reason;
    const asBefore = reading.reason === this.firstOfTransaction;
    if (reply.code !== 421 && !asBefore && (reading.vague || !mailboxReasons.has(reading.reason)))
      return 'minds_sharing';
    if (reply.code === 421 || reading.reason === 'session_limit') return 'over';
    return turned ? 'turned' : 'answer';
  }

  /** After how many refusals the host turned; asked for once it has. */
  refusalsBeforeCutoff(): number {
    this.cutoffAt ??= Math.max(1, this.refusals - 1);
    return this.cutoffAt;
  }

  /**
   * Exim's ACLs, chkuser and others refuse everyone for the rest of a session that asked for too many unknown mailboxes: a refusal may
   * blame the session where an earlier one did so in other words or not at all.
   */
  private isCutoff(task: ProbeTask, reply: SmtpReply, reading: Reading): boolean {
    this.replies++;
    const words = `${reply.code} ${reply.text.replaceAll(task.recipient.address, '')}`;
    const before = this.firstRefusal;
    if (reply.code >= 400) {
      this.refusals++;
      this.firstRefusal ??= words;
    }
    if (this.replies === 1 || task.refusalsBeforeCutoff !== null || !reading.mayBlameSession) return false;
    return reading.reason === 'rate_limited' || (before !== null && before !== words);
  }
}
