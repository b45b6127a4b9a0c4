import { type Caller, localCaller } from '../../async/caller.js';
import type { Clock } from '../../async/clock.js';
import { onAbort } from '../../async/on-abort.js';
import type { HostKnowledge } from '../host-knowledge.js';
import { type Dial, keyOfTarget, type Target } from '../smtp/dial.js';
import { SmtpFault } from '../smtp/fault.js';
import { openSession, type SessionHooks, type SmtpTimeouts } from '../smtp/open-session.js';
import type { SmtpSession } from '../smtp/session.js';
import { Tls, type TlsPolicy } from '../smtp/tls.js';
import { HostFacts } from './host-limits.js';
import type { HostPermits } from './host-permits.js';
import { HostQueue } from './host-queue.js';
import { Port25Detector, type PortStatus } from './port25-status.js';
import {
  controlQuestion,
  isSettledControl,
  type ProbeOutcome,
  type ProbeQuestion,
  ProbeTask,
  type SessionHandle,
  type TaskOwner,
} from './probe-task.js';
import { createSessionSlots, type SessionSlots } from './session-limits.js';
import type { HostQueueContext } from './worker-host.js';

export interface SchedulerOptions {
  dial: Dial;
  /** Null: the address literal of each connection. */
  ehloName: string | null;
  senders: readonly string[];
  /** When to use STARTTLS. */
  tls: TlsPolicy;
  timeouts: SmtpTimeouts;
  /** Connect timeout until it is known that port 25 is open. */
  firstConnectMs: number;
  /** Sessions at a time, over all hosts. */
  concurrency: number;
  /** How long an idle session is kept open. */
  lingerMs: number;
  /** The first backoff after a host asked us to slow down; it doubles. */
  backoffMs: number;
  /** What the process knows about hosts. */
  knowledge: HostKnowledge;
  portStatus: PortStatus;
  /** Null: no other machine asks for the same jobs. */
  permits: HostPermits | null;
  /** False while another process of this machine asks mail hosts: then each host gets one session. */
  isAlone(): boolean;
  /** Called with each internal exception; the mailbox is probed once more. */
  onException(error: unknown): void;
}

/** A connect timeout waits this long: other connects may show that port 25 is blocked. */
const portVerdictWaitMs = 1500;
const maxIdleQueues = 2000;
/** One timer sweeps all deadlines, which costs less than ten thousand timers. */
const sweepMs = 250;
const maxSilentMs = 1000;
const maxRetriesAfterException = 1;
const whenSettled = { isSettled: isSettledControl };

/** Probes mailboxes over shared sessions, which it opens as needed and within limits. */
export class HostScheduler implements HostQueueContext, TaskOwner {
  readonly clock: Clock;
  readonly slots: SessionSlots;
  readonly facts: HostFacts;
  readonly totalMs: number;
  readonly listTotalMs: number;
  private readonly queues = new Map<string, HostQueue>();
  private readonly unsettled = new Set<ProbeTask>();
  private cancelSweep: (() => void) | null = null;
  private readonly detector: Port25Detector;
  private readonly tls: Tls;
  private exceptionCount = 0;
  private askedCount = 0;
  private evictAt = maxIdleQueues;

  constructor(readonly options: SchedulerOptions) {
    const { knowledge, portStatus, dial, firstConnectMs } = options;
    const { clock } = knowledge;
    this.clock = clock;
    this.facts = new HostFacts(knowledge, options.backoffMs);
    this.slots = createSessionSlots(options.concurrency, {
      clock,
      silentMs: Math.min(maxSilentMs, options.timeouts.totalMs / 4),
    });
    this.totalMs = options.timeouts.totalMs;
    this.listTotalMs = this.totalMs + options.timeouts.listRcptMs - options.timeouts.stepMs;
    this.tls = new Tls(options.tls, knowledge);
    this.detector = new Port25Detector(dial, firstConnectMs, clock, portStatus);
  }

  /**
   * The current state, and the number of mailboxes asked and of internal exceptions so far. `waiting`: hosts without an open session;
   * `down`: hosts that are not probed for a while, because they could not be reached; `permits`: hosts that it holds a permit for.
   */
  stats() {
    const hosts = { connected: 0, waiting: 0, down: this.facts.down.countValid() };
    for (const queue of this.queues.values()) {
      if (queue.hasSession) hosts.connected++;
      else if (!queue.isIdle) hosts.waiting++;
    }
    return {
      hosts,
      queues: this.queues.size,
      exceptions: this.exceptionCount,
      permits: this.options.permits?.count ?? 0,
      asked: this.askedCount,
    };
  }

  /** Rejects only when aborted. */
  ask(question: ProbeQuestion, caller: Caller = localCaller): Promise<ProbeOutcome> {
    const { signal } = caller;
    if (this.options.portStatus.isBlocked) return Promise.resolve({ state: 'port_blocked' });
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    this.askedCount++;
    return this.begin(question, caller, (task) => {
      if (question.session?.submit(task) !== true) this.submit(task);
    });
  }

  /** The first answer of a host for a control mailbox of the domain, in the given session if it is still open. */
  askControl(
    question: ProbeQuestion,
    target: Target,
    localPart: string,
    session: SessionHandle,
  ): Promise<ProbeOutcome> {
    const ask = () => this.ask({ ...controlQuestion(question, target, localPart), session });
    return this.facts.controls.getOrLearn(controlKey(question, target, localPart), ask, whenSettled);
  }

  /** That answer, if it is known. */
  knownControl(question: ProbeQuestion, target: Target, localPart: string): ProbeOutcome | null {
    return this.facts.controls.get(controlKey(question, target, localPart)) ?? null;
  }

  controlsFor({ question }: ProbeTask, target: Target): ProbeTask[] {
    const tasks: ProbeTask[] = [];
    for (const localPart of question.controls) {
      const key = controlKey(question, target, localPart);
      const ask = () =>
        this.begin(controlQuestion(question, target, localPart), localCaller, (each) => tasks.push(each));
      if (!this.facts.controls.has(key)) void this.facts.controls.learnOnce(key, ask, whenSettled);
    }
    return tasks;
  }

  /** Hands a new task to `start`; resolves once it is settled. */
  private begin(question: ProbeQuestion, caller: Caller, start: (task: ProbeTask) => void): Promise<ProbeOutcome> {
    const { signal } = caller;
    return new Promise((resolve, reject) => {
      const settle = (outcome: ProbeOutcome) => {
        removeListener?.();
        resolve(outcome);
      };
      const task = new ProbeTask(question, this, settle, caller);
      const interrupt = () => {
        if (task.isSettled) return;
        task.drop();
        reject(signal?.reason);
        this.queueOf(task)?.removeSettled(task);
      };
      const removeListener = signal && onAbort(signal, interrupt);
      this.unsettled.add(task);
      start(task);
    });
  }

  /** Ends every task as blocked. */
  blockAll(): void {
    for (const task of this.unsettled) task.settle({ state: 'port_blocked' });
  }

  close(): void {
    this.detector.close();
    this.cancelSweep?.();
    const fault = new SmtpFault('closed', 'connect', 'interrupted');
    for (const task of this.unsettled) task.settle({ state: 'faulted', fault, target: null });
    for (const queue of this.queues.values()) queue.close();
    this.queues.clear();
  }

  onBegin(task: ProbeTask): void {
    this.startSweep();
    this.detector.probeLater(task.question.targets);
  }

  onSettled(task: ProbeTask): void {
    this.unsettled.delete(task);
  }

  async open(target: Target, hooks: SessionHooks): Promise<SmtpSession> {
    const { portStatus, timeouts, firstConnectMs, dial, ehloName } = this.options;
    const connectMs = portStatus.isOpen ? timeouts.connectMs : Math.min(timeouts.connectMs, firstConnectMs);
    const onConnected = (closed: Promise<void>) => {
      portStatus.recordConnect();
      hooks.onConnected?.(closed);
    };
    try {
      return await openSession(target, {
        ...hooks,
        onConnected,
        dial,
        ehloName,
        tls: this.tls,
        clock: this.clock,
        timeouts: { ...timeouts, connectMs },
      });
    } catch (error) {
      if (error instanceof SmtpFault && error.stage === 'connect') portStatus.recordFailure(target, error);
      throw error;
    }
  }

  tryNextHost(task: ProbeTask, target: Target, fault: SmtpFault): void {
    if (task.isSettled) return;
    task.leaveHost(target, fault);
    this.submit(task);
  }

  onException(error: unknown, tasks: readonly ProbeTask[]): ProbeTask[] {
    this.exceptionCount++;
    this.options.onException(error);
    return tasks.filter((task) => {
      if (!task.isSettled && ++task.exceptions <= maxRetriesAfterException) return true;
      task.settle({ state: 'exception', target: task.target ?? null });
      return false;
    });
  }

  private submit(task: ProbeTask): void {
    const { target } = task;
    if (target === undefined) {
      this.giveUp(task);
      return;
    }
    try {
      let queue = this.queueOf(task);
      if (queue === undefined) {
        this.evictQueues();
        queue = new HostQueue(target, task, this);
        this.queues.set(keyOfTarget(target), queue);
      }
      queue.submit(task);
    } catch (error) {
      for (const retried of this.onException(error, [task])) this.submit(retried);
    }
  }

  private queueOf({ target }: ProbeTask): HostQueue | undefined {
    return target === undefined ? undefined : this.queues.get(keyOfTarget(target));
  }

  private evictQueues(): void {
    if (this.queues.size < this.evictAt) return;
    for (const [key, queue] of this.queues) if (queue.isIdle) this.queues.delete(key);
    // If most queues are busy, scanning them for each new host would take longer than asking.
    this.evictAt = Math.max(maxIdleQueues, 2 * this.queues.size);
  }

  private startSweep(): void {
    this.cancelSweep ??= this.clock.after(Math.min(sweepMs, this.totalMs), () => {
      this.cancelSweep = null;
      const now = this.clock.elapsed();
      for (const task of this.unsettled) if (task.isExpired(now)) this.expire(task);
      if (this.unsettled.size > 0) this.startSweep();
    });
  }

  private expire(task: ProbeTask): void {
    const fault = new SmtpFault('timeout', 'rcpt', `no answer within ${task.totalMs} ms`);
    const queue = this.queueOf(task);
    task.settle({ state: 'faulted', ...(task.mostInformativeFault ?? { fault, target: task.target ?? null }) });
    queue?.removeSettled(task);
  }

  private giveUp(task: ProbeTask): void {
    const worst = task.mostInformativeFault;
    const fault = worst?.fault ?? new SmtpFault('unreachable', 'connect', 'there is no host to ask');
    const settle = () => task.settle({ state: 'faulted', fault, target: worst?.target ?? null });
    if (fault.kind === 'connect_timeout' && !this.options.portStatus.isOpen)
      this.clock.after(portVerdictWaitMs, settle);
    else settle();
  }
}

function controlKey({ recipient }: ProbeQuestion, { ip }: Target, localPart: string): string {
  return `${localPart}@${recipient.domain} ${ip}`;
}
