import type { SmtpFault } from '../smtp/fault.js';
import type { SmtpSession } from '../smtp/session.js';
import type { HostLimits } from './host-limits.js';
import type { HostPace } from './host-pace.js';
import type { Rest } from './idle-sessions.js';
import type { ProbeTask } from './probe-task.js';
import type { SenderChoice } from './sender-choice.js';

/** What a session's worker asks of the lane it works for. */
export interface WorkerLane {
  /** What the host has shown so far. */
  readonly limits: HostLimits;
  readonly pace: HostPace;
  readonly senders: SenderChoice;
  /** Milliseconds, to measure by. */
  elapsed(): number;
  /** The next mailboxes for this session, at most `room`; none when there is nothing to do. `fresh`: it was asked for none yet. */
  take(room: number, session: SmtpSession, fresh: boolean): ProbeTask[];
  rest(session: SmtpSession): Rest;
  /** It waits its turn again. */
  requeue(task: ProbeTask): void;
  moveOn(task: ProbeTask, fault: SmtpFault): void;
  /** The host does not serve anyone: all who wait for it move on. */
  goDown(fault: SmtpFault): void;
}
