import { keyOfTarget, type Target } from '../smtp/dial.js';
import { SmtpFault } from '../smtp/fault.js';
import type { SmtpSession } from '../smtp/session.js';
import type { HostLimits } from './host-limits.js';
import type { HostPermits, PermitUser } from './host-permits.js';
import { ProbeQueue } from './probe-queue.js';
import type { ProbeTask } from './probe-task.js';
import { SenderChoice } from './sender-choice.js';
import type { SlotUser } from './session-limits.js';
import { SessionWorker } from './session-worker.js';
import { Transcript } from './transcript.js';
import type { HostQueueContext, WorkerHost } from './worker-host.js';

/** The tasks for one address of a mail host, and the sessions that serve them. */
export class HostQueue implements WorkerHost, PermitUser {
  readonly senders: SenderChoice;
  private readonly key: string;
  limits: HostLimits;
  private readonly waiting: ProbeQueue;
  private readonly workers = new Set<SessionWorker>();
  private readonly openings = new Set<AbortController>();
  /** Sessions that we ended and the host has not closed yet. */
  private closing = 0;
  /** Null if sessions need no permit: this process is alone, or the provider accepts many from each address. */
  private readonly permits: HostPermits | null;
  /** Sessions and openings with the permit, until the host has closed them. */
  private permitted = 0;
  /** Those of single and bulk requests, which need no permit. */
  private readonly forRequests = new Set<SmtpSession | AbortController>();
  readonly slotUser: SlotUser;
  /** True if the host has yielded a slot and has not answered since. */
  private isSilent = false;
  /** True once a connection was established. */
  private hasConnected = false;
  /** True if an attempt to connect failed while others are in flight: they decide whether the host is down. */
  private hasFailedToOpen = false;
  private cancelTimer: (() => void) | null = null;
  private isPumpScheduled = false;
  private isClosed = false;

  /** `firstTask` has the traits and the provider of the host. */
  constructor(
    private readonly target: Target,
    private readonly firstTask: ProbeTask,
    readonly context: HostQueueContext,
  ) {
    const { traits, provider } = firstTask.question;
    this.key = keyOfTarget(target);
    this.permits = provider === null ? context.options.permits : null;
    this.limits = context.facts.limitsOf(this.key, firstTask.question);
    this.senders = new SenderChoice(context.options.senders, context.facts.senders, this.key);
    this.slotUser = {
      isSilent: () => this.isSilent,
      rateLimitGroup: provider ?? target.ip,
      groupLimit: traits.maxSessions,
      caller: () => (this.waiting.firstOf() ?? firstTask).caller,
      retry: () => this.pump(),
    };
    this.waiting = new ProbeQueue({
      reject: (task) =>
        this.tryNextHost(task, new SmtpFault('no_smtputf8', 'ehlo', 'the host does not offer SMTPUTF8')),
      // A session of this length was cut off before, and another may be.
      needsFreshSession: ({ refusalsBeforeCutoff }) =>
        refusalsBeforeCutoff !== null && refusalsBeforeCutoff < this.limits.maxRefusals,
    });
  }

  submit(task: ProbeTask): void {
    // The learned limits may have expired.
    this.limits = this.context.facts.limitsOf(this.key, this.firstTask.question);
    const fault = this.context.facts.down.get(this.key) ?? this.context.facts.outOfStep.get(this.key);
    if (fault !== undefined) this.tryNextHost(task, fault);
    else {
      this.waiting.add(task);
      this.pumpSoon();
    }
  }

  get isIdle(): boolean {
    return this.waiting.length + this.workers.size + this.openings.size + this.closing === 0;
  }

  get hasSession(): boolean {
    return this.workers.size > 0;
  }

  /** Removes a settled task, and ends sessions whose tasks are all settled. */
  removeSettled(task: ProbeTask): void {
    this.waiting.extract([task]);
    if (this.waiting.length === 0) for (const opening of this.openings) opening.abort();
    for (const worker of this.workers) worker.closeIfSettled();
  }

  onGranted(): void {
    if (this.waiting.length === 0) this.permits?.release(this.target.ip);
    else this.pump();
  }

  onWithdrawn(isLost: boolean): void {
    for (const worker of this.workers) {
      if (this.forRequests.has(worker.session)) continue;
      if (isLost) worker.abandon();
      else worker.closeAfterBatch();
    }
    for (const opening of this.openings) if (!this.forRequests.has(opening)) opening.abort();
    if (this.permitted === 0) this.permits?.release(this.target.ip);
    if (isLost) this.pumpSoon();
  }

  close(): void {
    this.isClosed = true;
    this.permits?.release(this.target.ip);
    this.cancelTimer?.();
    for (const opening of this.openings) opening.abort();
    for (const worker of this.workers) worker.close();
  }

  take(room: number, session: SmtpSession, fresh: boolean): ProbeTask[] {
    const isForRequests = this.forRequests.has(session) || this.permits?.isPaused() === true;
    return this.waiting.take(room, session, fresh, isForRequests ? isOfRequest : undefined);
  }

  awaitHost(yieldSlot: () => void): () => void {
    let hasYielded = false;
    const endWait = this.context.slots.awaitHost(() => {
      hasYielded = true;
      this.isSilent = true;
      yieldSlot();
    });
    return () => {
      endWait();
      this.isSilent &&= hasYielded;
    };
  }

  requeue(task: ProbeTask): void {
    task.pause();
    this.waiting.requeue(task);
  }

  tryNextHost(task: ProbeTask, fault: SmtpFault): void {
    this.context.tryNextHost(task, this.target, fault);
  }

  onException(error: unknown, tasks: readonly ProbeTask[]): void {
    this.waiting.extract(tasks);
    for (const task of this.context.onException(error, tasks).toReversed()) this.requeue(task);
  }

  markDown(fault: SmtpFault): void {
    const { down, outOfStep } = this.context.facts;
    (fault.kind === 'out_of_step' ? outOfStep : down).set(this.key, fault);
    this.hasConnected = false;
    for (const task of this.waiting.drain()) this.tryNextHost(task, fault);
  }

  /** Hands waiting tasks to sessions: first to idle ones, then to new ones. */
  private pump(): void {
    if (this.isClosed || this.waiting.length === 0) return;
    try {
      for (const worker of this.workers) worker.wake();
      this.openSessions();
    } catch (error) {
      this.onException(error, this.waiting.drain());
      this.pumpSoon();
    }
  }

  private openSessions(): void {
    while (this.sessionsToOpen() > 0) {
      const waitMs = this.limits.pace.waitMs();
      if (waitMs > 0) this.pumpAfter(waitMs);
      const release = waitMs > 0 ? null : this.context.slots.acquire(this.slotUser);
      if (release === null) return;
      void this.open(release, this.permits !== null && !this.permits.has(this.target.ip));
    }
  }

  /** Coalesces submissions of one tick. */
  private pumpSoon(): void {
    if (this.isPumpScheduled) return;
    this.isPumpScheduled = true;
    queueMicrotask(() => {
      this.isPumpScheduled = false;
      this.pump();
    });
  }

  private pumpAfter(ms: number): void {
    this.cancelTimer ??= this.context.clock.after(ms, () => {
      this.cancelTimer = null;
      this.pump();
    });
  }

  /** How many sessions to open now: those that tasks need, but one until the host has answered, or while another process asks. */
  private sessionsToOpen(): number {
    if (this.permits !== null) return this.sessionToOpen(this.permits);
    const opening = this.openings.size;
    const inUse = this.workers.size + opening + this.closing;
    if (inUse >= this.limits.pace.limit || ((!this.hasConnected || this.hasFailedToOpen) && opening > 0)) return 0;
    let room = 0;
    for (const worker of this.workers) room += worker.room();
    const fresh = this.waiting.freshSessionsNeeded();
    const shared = Math.max(0, Math.ceil((this.waiting.length - fresh - room) / this.limits.recipientsPerSession));
    const wanted = Math.min(this.limits.pace.limit - inUse, shared + fresh - opening);
    return wanted > 0 && inUse > 0 && !this.context.options.isAlone() ? 0 : wanted;
  }

  /** With a permit one session at a time; without it, one for requests. */
  private sessionToOpen(permits: HostPermits): number {
    if (permits.has(this.target.ip)) return this.permitted === 0 ? 1 : 0;
    if (this.waiting.firstOf((task) => !isOfRequest(task)) !== undefined) permits.want(this.target.ip, this);
    return this.forRequests.size === 0 && this.waiting.firstOf(isOfRequest) !== undefined ? 1 : 0;
  }

  private async open(release: () => void, isForRequests: boolean): Promise<void> {
    const opening = new AbortController();
    if (isForRequests) this.forRequests.add(opening);
    else this.permitted++;
    const transcript = new Transcript(this.context.clock);
    let closed: Promise<void> | null = null;
    this.openings.add(opening);
    this.limits.pace.recordOpening();
    const next = this.waiting.peek(this.limits.maxRefusals);
    const tasks = isForRequests ? next.filter(isOfRequest) : next;
    for (const task of tasks) task.begin();
    const endWait = this.awaitHost(() => {
      opening.abort();
      for (const task of tasks) task.pause();
    });
    try {
      const session = await this.context.open(this.target, {
        signal: opening.signal,
        trace: transcript,
        onConnected: (closedPromise) => {
          closed = closedPromise;
          this.hasConnected = true;
          this.pump();
        },
      });
      endWait();
      this.openings.delete(opening);
      this.hasFailedToOpen = false;
      if (isForRequests) this.forRequests.add(session);
      try {
        await this.work(new SessionWorker(session, this, transcript));
      } finally {
        this.forRequests.delete(session);
      }
    } catch (error) {
      endWait();
      this.openings.delete(opening);
      if (!(error instanceof SmtpFault)) this.onException(error, this.waiting.extract(tasks));
      else if (!opening.signal.aborted) this.onOpenFailed(error, transcript);
    } finally {
      this.closing++;
      release();
      this.pump();
      this.forRequests.delete(opening);
      void Promise.resolve(closed).then(() => this.onClosed(isForRequests));
    }
  }

  /** Frees the slot when the host has closed its side. */
  private onClosed(isForRequests: boolean): void {
    this.closing--;
    if (!isForRequests && --this.permitted === 0) this.permits?.release(this.target.ip);
    this.context.slots.onClosed(this.slotUser);
    this.pump();
  }

  private async work(worker: SessionWorker): Promise<void> {
    this.workers.add(worker);
    try {
      await worker.run();
    } finally {
      this.workers.delete(worker);
      // Tasks that the session did not take wait for the next one.
      if (this.openings.size === 0) for (const task of this.waiting.peek(this.waiting.length)) task.pause();
    }
  }

  private onOpenFailed(fault: SmtpFault, transcript: Transcript): void {
    if (this.workers.size > 0) {
      // A host refuses connections beyond its limit (`421 4.7.0`); the open ones continue.
      this.limits.pace.limitTo(this.workers.size);
      return;
    }
    this.hasFailedToOpen = this.openings.size > 0;
    if (this.hasFailedToOpen || this.limits.pace.backOff()) return;
    transcript.line('note', fault.message);
    for (const task of this.waiting.peek(this.waiting.length)) transcript.copyTo(task.dialogue);
    this.markDown(fault);
  }
}

function isOfRequest({ question }: ProbeTask): boolean {
  return !question.isOfJob;
}
