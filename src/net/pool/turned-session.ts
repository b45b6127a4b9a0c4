import type { SmtpReply } from '../../model/evidence.js';
import type { Reading } from '../replies/reading.js';
import type { ProbeTask } from './probe-task.js';

/** How a host takes to one session: what it refused, and whether it has turned on us. */
export interface SessionMood {
  /** Replies to RCPT that were no acceptance. */
  readonly refused: number;
  /** Heeds a reply to RCPT; true where it may be about this session, so that only a fresh one tells whom it means. */
  hear(task: ProbeTask, reply: SmtpReply, reading: Reading): boolean;
  /** After how many refusals the host turned; asked for once it has. */
  turnedAfter(): number;
}

/** Whether a reply to RCPT may be about the session; that a domain is not served here is true in every session. */
export function blamesUs({ reason, rule }: Reading): boolean {
  return reason === 'rate_limited' || (reason === 'antispam_system' && rule !== 'text:relay');
}

/** The mood of a session that has asked for nothing yet. */
export function sessionMood(): SessionMood {
  let heard = 0;
  let refused = 0;
  let firstRefusal: string | null = null;
  let turnedAfter: number | null = null;

  /**
   * Exim's ACLs, chkuser and others refuse everyone for the rest of a session that asked for too many unknown mailboxes. Where a
   * refusal blames us and an earlier one did so in other words or not at all, a fresh session tells whom it means.
   */
  function turnedOnUs(task: ProbeTask, reply: SmtpReply, reading: Reading): boolean {
    const words = `${reply.code} ${reply.text.replaceAll(task.recipient.address, '')}`;
    const before = firstRefusal;
    if (reply.code >= 400) firstRefusal ??= words;
    if (heard === 1 || task.turnedAfter !== null || !blamesUs(reading)) return false;
    return reading.reason === 'rate_limited' || (before !== null && before !== words);
  }

  return {
    get refused() {
      return refused;
    },
    hear(task, reply, reading) {
      heard++;
      const turned = turnedOnUs(task, reply, reading);
      if (reply.code >= 400) refused++;
      return turned;
    },
    turnedAfter() {
      turnedAfter ??= Math.max(1, refused - 1);
      return turnedAfter;
    },
  };
}
