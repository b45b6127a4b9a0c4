import type { SmtpFault } from '../smtp/fault.js';
import type { SmtpSession } from '../smtp/session.js';
import type { HostLimits } from './host-limits.js';
import type { HostPace } from './host-pace.js';
import type { IdleWait } from './idle-sessions.js';
import type { ProbeTask } from './probe-task.js';
import type { SenderChoice } from './sender-choice.js';

/** What a session's worker asks of the lane it works for. */
export interface WorkerHost {
  /** What the host has shown so far. */
  readonly limits: HostLimits;
  readonly pace: HostPace;
  readonly senders: SenderChoice;
  /** Milliseconds, to measure by. */
  elapsed(): number;
  /** The next mailboxes for this session, at most `room`; none when there is nothing to do. `fresh`: it was asked for none yet. */
  take(room: number, session: SmtpSession, fresh: boolean): ProbeTask[];
  waitIdle(session: SmtpSession): IdleWait;
  /** It waits its turn again. */
  requeue(task: ProbeTask): void;
  tryNextHost(task: ProbeTask, fault: SmtpFault): void;
  /** The host does not serve anyone: all who wait for it move on. */
  markDown(fault: SmtpFault): void;
}
