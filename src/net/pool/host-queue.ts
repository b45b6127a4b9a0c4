import type { Clock } from '../../async/clock.js';
import type { Target } from '../smtp/dial.js';
import { SmtpFault } from '../smtp/fault.js';
import type { SmtpSession } from '../smtp/session.js';
import { HostLimits } from './host-limits.js';
import { createHostPace, type HostPace } from './host-pace.js';
import { maxSessionsPerHost } from './host-traits.js';
import { IdleSessions, type IdleWait } from './idle-sessions.js';
import { ProbeQueue } from './probe-queue.js';
import type { ProbeTask } from './probe-task.js';
import { SenderChoice } from './sender-choice.js';
import type { SessionSlots, SlotUser } from './session-limits.js';
import { SessionWorker } from './session-worker.js';
import type { Transcript } from './transcript.js';
import type { WorkerHost } from './worker-host.js';

/** What a lane is given by the pool. */
export interface HostQueueContext {
  readonly clock: Clock;
  readonly slots: SessionSlots;
  readonly senders: readonly string[];
  readonly lingerMs: number;
  /** The first wait after a host has asked us to slow down. */
  readonly backoffMs: number;
  newTranscript(): Transcript;
  open(
    target: Target,
    hooks: { trace: Transcript; signal: AbortSignal; onConnected: (closed: Promise<void>) => void },
  ): Promise<SmtpSession>;
  /** Takes a task on to its next host, or to its end. */
  moveOn(task: ProbeTask, target: Target, fault: SmtpFault): void;
}

const downMs = 60_000;

/** All that waits for one address of a mail host, and the sessions that serve it. */
export class HostQueue implements WorkerHost {
  readonly limits: HostLimits;
  readonly pace: HostPace;
  readonly senders: SenderChoice;
  private readonly waiting: ProbeQueue;
  private readonly workers = new Set<SessionWorker>();
  private readonly openings = new Set<AbortController>();
  /** Sessions that were left, and that the host still has open. */
  private closing = 0;
  private readonly idle: IdleSessions;
  private readonly slotUser: SlotUser;
  /** Some connection to it has stood. */
  private connected = false;
  /** An opening failed while others are under way: they decide. */
  private openFailed = false;
  private down: { fault: SmtpFault; until: number } | null = null;
  private cancelTimer: (() => void) | null = null;
  private pumping = false;
  private closed = false;

  /** `first` says what kind of host it is. */
  constructor(
    private readonly target: Target,
    first: ProbeTask,
    private readonly world: HostQueueContext,
  ) {
    const { traits, provider } = first.question;
    this.limits = new HostLimits(traits, provider);
    this.pace = createHostPace(world.clock, {
      most: Math.min(traits.maxSessions, maxSessionsPerHost),
      minIntervalMs: traits.minIntervalMs,
      backoffMs: world.backoffMs,
    });
    this.senders = new SenderChoice(world.senders);
    this.slotUser = {
      rateLimitGroup: provider ?? target.ip,
      groupLimit: traits.maxSessions,
      caller: () => this.waiting.peek(1)[0]?.caller ?? first.caller,
      retry: () => this.pump(),
    };
    this.idle = new IdleSessions(world.clock, world.lingerMs, world.slots, this.slotUser);
    this.waiting = new ProbeQueue({
      reject: (task) =>
        this.tryNextHost(task, new SmtpFault('no_smtputf8', 'ehlo', 'the host does not offer SMTPUTF8')),
      // A session turned on it, and others of this length may do so, too.
      needsFreshSession: ({ refusalsBeforeCutoff: turnedAfter }) =>
        turnedAfter !== null && turnedAfter < this.limits.maxRefusals,
    });
  }

  submit(task: ProbeTask): void {
    if (this.down !== null && this.elapsed() < this.down.until) {
      this.tryNextHost(task, this.down.fault);
      return;
    }
    this.down = null;
    this.waiting.add(task);
    this.pumpSoon();
  }

  /** Nothing waits, nothing runs and nothing was learnt that later tasks should know. */
  get isEvictable(): boolean {
    const busy = this.waiting.length + this.workers.size + this.openings.size + this.closing > 0;
    return !busy && this.down === null && this.pace.isUnlimited;
  }

  /** Lets go of sessions that nobody waits for any more. */
  reap(): void {
    this.waiting.dropSettled();
    if (this.waiting.length === 0) for (const opening of this.openings) opening.abort();
    for (const worker of this.workers) worker.abandon();
  }

  close(): void {
    this.closed = true;
    this.cancelTimer?.();
    for (const opening of this.openings) opening.abort();
    for (const worker of this.workers) worker.leave();
    this.idle.close();
  }

  elapsed(): number {
    return this.world.clock.elapsed();
  }

  take(room: number, session: SmtpSession, fresh: boolean): ProbeTask[] {
    return this.waiting.take(room, session, fresh);
  }

  waitIdle(session: SmtpSession): IdleWait {
    return this.idle.wait(session);
  }

  requeue(task: ProbeTask): void {
    task.pause();
    this.waiting.requeue(task);
  }

  tryNextHost(task: ProbeTask, fault: SmtpFault): void {
    this.world.moveOn(task, this.target, fault);
  }

  markDown(fault: SmtpFault): void {
    this.down = { fault, until: this.elapsed() + downMs };
    this.connected = false;
    for (const task of this.waiting.drain()) this.tryNextHost(task, fault);
  }

  /** Gives what waits to sessions: to those that have room, then to new ones. */
  private pump(): void {
    if (this.closed || this.waiting.length === 0) return;
    this.idle.wakeAll();
    while (this.sessionsToOpen() > 0) {
      const waitMs = this.pace.waitMs();
      if (waitMs > 0) this.pumpAfter(waitMs);
      const release = waitMs > 0 ? null : this.world.slots.acquire(this.slotUser);
      if (release === null) return;
      void this.open(release);
    }
  }

  /** Tasks come in swarms: one look serves all of the same moment. */
  private pumpSoon(): void {
    if (this.pumping) return;
    this.pumping = true;
    queueMicrotask(() => {
      this.pumping = false;
      this.pump();
    });
  }

  private pumpAfter(ms: number): void {
    this.cancelTimer ??= this.world.clock.after(ms, () => {
      this.cancelTimer = null;
      this.pump();
    });
  }

  /** Sessions to open now: none for what open ones can take in their next round trip, one until the host is known to answer. */
  private sessionsToOpen(): number {
    const opening = this.openings.size;
    const inUse = this.workers.size + opening + this.closing;
    if (inUse >= this.pace.limit || ((!this.connected || this.openFailed) && opening > 0)) return 0;
    let room = 0;
    for (const worker of this.workers) room += worker.room();
    const afresh = this.waiting.freshSessionsNeeded();
    const shared = Math.max(0, Math.ceil((this.waiting.length - afresh - room) / this.limits.perSession));
    return Math.min(this.pace.limit - inUse, shared + afresh - opening);
  }

  private async open(release: () => void): Promise<void> {
    const opening = new AbortController();
    const transcript = this.world.newTranscript();
    let closed: Promise<void> | null = null;
    this.openings.add(opening);
    this.pace.recordOpening();
    for (const task of this.waiting.peek(this.limits.maxRefusals)) task.begin();
    try {
      const session = await this.world.open(this.target, {
        signal: opening.signal,
        trace: transcript,
        onConnected: (whenClosed) => {
          closed = whenClosed;
          this.connected = true;
          this.pump();
        },
      });
      this.openings.delete(opening);
      this.openFailed = false;
      await this.work(new SessionWorker(session, this, transcript));
    } catch (error) {
      this.openings.delete(opening);
      const fault = error instanceof SmtpFault ? error : new SmtpFault('malformed', 'connect', String(error));
      if (!opening.signal.aborted) this.onOpenFailed(fault, transcript);
    } finally {
      this.closing++;
      release();
      this.pump();
      void Promise.resolve(closed).then(() => this.onClosed());
    }
  }

  /** Only now the host counts one session less. */
  private onClosed(): void {
    this.closing--;
    this.world.slots.onClosed(this.slotUser);
    this.pump();
  }

  private async work(worker: SessionWorker): Promise<void> {
    this.workers.add(worker);
    try {
      await worker.run();
    } finally {
      this.workers.delete(worker);
      // The session was opened for more of them than it took; another host may need the slot before the next.
      if (this.openings.size === 0) for (const task of this.waiting.peek(this.waiting.length)) task.pause();
    }
  }

  private onOpenFailed(fault: SmtpFault, transcript: Transcript): void {
    if (this.workers.size > 0) {
      // A third connection to a limited host gets `421 4.7.0`: the open ones go on.
      this.pace.limitTo(this.workers.size);
      return;
    }
    this.openFailed = this.openings.size > 0;
    if (this.openFailed || this.pace.backOff()) return;
    transcript.line('note', fault.message);
    for (const task of this.waiting.peek(this.waiting.length)) transcript.copyTo(task.dialogue);
    this.markDown(fault);
  }
}
