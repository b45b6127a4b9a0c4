import type { SmtpFault } from '../smtp/fault.js';
import type { SmtpSession } from '../smtp/session.js';
import type { HostLimits } from './host-limits.js';
import type { HostPace } from './host-pace.js';
import type { IdleWait } from './idle-sessions.js';
import type { ProbeTask } from './probe-task.js';
import type { SenderChoice } from './sender-choice.js';

/** What a session worker needs from the host queue that it serves. */
export interface WorkerHost {
  /** What was learned about the host. */
  readonly limits: HostLimits;
  readonly pace: HostPace;
  readonly senders: SenderChoice;
  /** How long to wait for the reply to RCPT for a mailbox of a list: hosts may call another one first. */
  readonly listRcptMs: number;
  /** Monotonic milliseconds. */
  elapsed(): number;
  /** Takes at most `room` tasks for the session. `fresh`: nothing was asked in it yet. */
  take(room: number, session: SmtpSession, isFresh: boolean): ProbeTask[];
  waitIdle(session: SmtpSession): IdleWait;
  /** The session waits for the host, which may have to yield its slot; the returned function ends the wait. */
  awaitHost(yieldSlot: () => void): () => void;
  /** The controls of a task that this host was not asked for yet, as tasks. */
  controlsFor(task: ProbeTask): ProbeTask[];
  /** Puts the task back into the queue. */
  requeue(task: ProbeTask): void;
  tryNextHost(task: ProbeTask, fault: SmtpFault): void;
  /** Reports an internal exception; each task is asked once more. */
  onException(error: unknown, tasks: readonly ProbeTask[]): void;
  /** Called when the host accepts no session: its tasks try their next host. */
  markDown(fault: SmtpFault): void;
}
