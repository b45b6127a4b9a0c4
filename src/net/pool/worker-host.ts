import type { Clock } from '../../async/clock.js';
import type { Target } from '../smtp/dial.js';
import type { SmtpFault } from '../smtp/fault.js';
import type { SmtpTimeouts } from '../smtp/open-session.js';
import type { SmtpSession } from '../smtp/session.js';
import type { HostFacts, HostLimits } from './host-limits.js';
import type { HostPermits } from './host-permits.js';
import type { ProbeTask } from './probe-task.js';
import type { SenderChoice } from './sender-choice.js';
import type { SessionSlots, SlotUser } from './session-limits.js';
import type { Transcript } from './transcript.js';

/** What the scheduler provides to the queue of a host. */
export interface HostQueueContext {
  readonly clock: Clock;
  readonly slots: SessionSlots;
  readonly facts: HostFacts;
  readonly options: {
    senders: readonly string[];
    lingerMs: number;
    timeouts: SmtpTimeouts;
    permits: HostPermits | null;
    isAlone(): boolean;
  };
  open(
    target: Target,
    hooks: { trace: Transcript; signal: AbortSignal; onConnected: (closed: Promise<void>) => void },
  ): Promise<SmtpSession>;
  /** The controls of a task that the host was not asked for yet, as tasks. */
  controlsFor(task: ProbeTask, target: Target): ProbeTask[];
  /** Moves a task to its next host, or settles it without an answer. */
  tryNextHost(task: ProbeTask, target: Target, fault: SmtpFault): void;
  /** Reports an internal exception; returns the tasks to ask once more. */
  onException(error: unknown, tasks: readonly ProbeTask[]): ProbeTask[];
}

/** What a session worker needs from the host queue that it serves. */
export interface WorkerHost {
  readonly context: HostQueueContext;
  /** What was learned about the host. */
  readonly limits: HostLimits;
  readonly senders: SenderChoice;
  readonly slotUser: SlotUser;
  /** Takes at most `room` tasks for the session. `fresh`: nothing was asked in it yet. */
  take(room: number, session: SmtpSession, isFresh: boolean): ProbeTask[];
  /** The session waits for the host, which may have to yield its slot; the returned function ends the wait. */
  awaitHost(yieldSlot: () => void): () => void;
  /** Puts the task back into the queue. */
  requeue(task: ProbeTask): void;
  tryNextHost(task: ProbeTask, fault: SmtpFault): void;
  /** Reports an internal exception; each task is asked once more. */
  onException(error: unknown, tasks: readonly ProbeTask[]): void;
  /** Called when the host accepts no session: its tasks try their next host. */
  markDown(fault: SmtpFault): void;
}
