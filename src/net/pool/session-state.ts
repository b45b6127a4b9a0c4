import type { SmtpReply } from '../../model/evidence.js';
import type { Reading, ReadingReason } from '../replies/reading.js';
import type { SmtpSession } from '../smtp/session.js';
import type { ProbeTask } from './probe-task.js';
import type { WorkerHost } from './worker-host.js';

/**
 * What a reply to RCPT means for the session. `shared_transaction`: the recipient may have been refused because others share its
 * transaction, as some hosts do for the null sender. `session_over`: the host ends the session. `cut_off`: the host may refuse
 * everything in this session, so the recipient is probed again in a fresh one.
 */
type ReplyClass = 'answer' | 'shared_transaction' | 'session_over' | 'cut_off';

/** Reasons that are about one mailbox only. */
const mailboxReasons: ReadonlySet<ReadingReason> = new Set([
  'accepted',
  'mailbox_not_found',
  'mailbox_disabled',
  'mailbox_quota_exceeded',
]);

/** The refusals of one session, and whether the host has cut it off. */
export class SessionState {
  /** Replies to RCPT other than acceptances. */
  refusals = 0;
  /** Recipients that were answered. */
  replies = 0;
  private firstRefusal: string | null = null;
  private firstOfTransaction: ReadingReason | null = null;
  private cutoffAt: number | null = null;

  /** Classifies a reply to RCPT; `shared`: it was not the first of its transaction. */
  classifyReply(task: ProbeTask, reply: SmtpReply, reading: Reading, isShared: boolean): ReplyClass {
    const isCutoff = this.recordReply(task, reply, reading);
    if (!isShared) this.firstOfTransaction = reading.reason;
    const isSameAsFirst = reading.reason === this.firstOfTransaction;
    if (reply.code !== 421 && !isSameAsFirst && (reading.vague || !mailboxReasons.has(reading.reason)))
      return 'shared_transaction';
    if (reply.code === 421 || reading.reason === 'session_limit') return 'session_over';
    return isCutoff ? 'cut_off' : 'answer';
  }

  /** The number of refusals before the cutoff. Call only after it. */
  refusalsBeforeCutoff(): number {
    this.cutoffAt ??= Math.max(1, this.refusals - 1);
    return this.cutoffAt;
  }

  /**
   * Records a reply; true if the host has cut the session off. Exim's ACLs, chkuser and others refuse every recipient for the
   * rest of a session with too many unknown ones: a refusal that may blame the session counts if an earlier one had other words.
   */
  private recordReply(task: ProbeTask, reply: SmtpReply, reading: Reading): boolean {
    this.replies++;
    const words = `${reply.code} ${reply.text.replaceAll(task.recipient.address, '')}`;
    const earlierRefusal = this.firstRefusal;
    if (reply.code >= 400) {
      this.refusals++;
      this.firstRefusal ??= words;
    }
    if (this.replies === 1 || task.refusalsBeforeCutoff !== null || !reading.mayBlameSession) return false;
    return reading.reason === 'rate_limited' || (earlierRefusal !== null && earlierRefusal !== words);
  }
}

/** Courier delays each answer after a refusal by 8 s or more; no host needs that long for a lookup. */
const tarpitMs = 3000;

/** Hangs up on a host that delays its answers after a refusal while others wait, or that must yield its slot. */
export function watchForTarpit(host: WorkerHost, session: SmtpSession, unanswered: ReadonlySet<ProbeTask>) {
  let waitingSince: number | null = null;
  let isStuck = false;
  const end = host.awaitHost(() => {
    isStuck = unanswered.size > 0;
    if (isStuck) session.destroy();
  });
  return {
    end,
    isStuck: () => isStuck,
    onWait: (): void => {
      waitingSince ??= host.context.clock.elapsed();
    },
    onReply: ({ code }: SmtpReply): void => {
      const waitedMs = waitingSince === null ? 0 : host.context.clock.elapsed() - waitingSince;
      waitingSince = null;
      if (code < 500 || waitedMs < tarpitMs) return;
      host.limits.learnRefusals(1);
      isStuck = unanswered.size > 0;
      // QUIT would wait behind the other commands.
      if (isStuck) session.destroy();
    },
  };
}
