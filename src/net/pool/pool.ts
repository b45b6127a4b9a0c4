import type { Clock } from '../../async/clock.js';
import { onAbort } from '../../async/on-abort.js';
import { shareOf } from '../../async/work-share.js';
import type { Dial, Target } from '../smtp/dial.js';
import { SmtpFault } from '../smtp/fault.js';
import { openSession, type SessionHooks, type SmtpTimeouts } from '../smtp/open-session.js';
import type { SmtpSession } from '../smtp/session.js';
import { Tls, type TlsPolicy } from '../smtp/tls.js';
import type { PortWatch } from './blocked-port.js';
import { type PortScout, portScout } from './blocked-port-scout.js';
import { HostLane, type LaneWorld } from './host-lane.js';
import { LiveTasks } from './live-tasks.js';
import { type Asked, type PoolQuestion, ProbeTask, type TaskKeeper } from './probe-task.js';
import { type SessionSlots, sessionSlots } from './session-limits.js';
import { Transcript } from './transcript.js';

interface PoolOptions {
  dial: Dial;
  ehloName: string | null;
  senders: readonly string[];
  tls: TlsPolicy;
  timeouts: SmtpTimeouts;
  /** Connect deadline while it is not known whether the port is open at all. */
  firstConnectMs: number;
  concurrency: number;
  lingerMs: number;
  backoffMs: number;
  clock: Clock;
  watch: PortWatch;
}

const graceMs = 1500;
const rememberedLanes = 2000;

/** Answers questions for mailboxes over shared sessions, which it opens as they are needed and within its limits. */
export class SessionPool implements LaneWorld, TaskKeeper {
  readonly clock: Clock;
  readonly slots: SessionSlots;
  readonly senders: readonly string[];
  readonly lingerMs: number;
  readonly backoffMs: number;
  readonly totalMs: number;
  private readonly lanes = new Map<string, HostLane>();
  private readonly live: LiveTasks;
  private readonly scout: PortScout;
  private readonly tls: Tls;
  private opened = 0;
  private forgetAt = rememberedLanes;

  constructor(private readonly options: PoolOptions) {
    const { clock, watch, dial, firstConnectMs } = options;
    this.clock = clock;
    this.slots = sessionSlots(options.concurrency);
    this.senders = options.senders;
    this.lingerMs = options.lingerMs;
    this.backoffMs = options.backoffMs;
    this.totalMs = options.timeouts.totalMs;
    this.tls = new Tls(options.tls);
    this.live = new LiveTasks(clock, this.totalMs, (task) => this.expire(task));
    this.scout = portScout({ dial, connectMs: firstConnectMs, clock, watch });
  }

  /** Connections opened so far. */
  get connections(): number {
    return this.opened;
  }

  /** Rejects only when aborted. */
  ask(question: PoolQuestion, signal?: AbortSignal): Promise<Asked> {
    if (this.options.watch.blocked) return Promise.resolve({ state: 'port_blocked' });
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const settle = (asked: Asked) => {
        takeBack?.();
        resolve(asked);
      };
      const task = new ProbeTask(question, this, settle, shareOf(signal));
      const interrupt = () => {
        if (task.settled) return;
        task.drop();
        reject(signal?.reason);
        this.laneOf(task)?.reap();
      };
      const takeBack = signal && onAbort(signal, interrupt);
      this.live.add(task);
      if (question.seat?.submit(task) !== true) this.submit(task);
    });
  }

  /** Ends every task as blocked. */
  stopDialling(): void {
    for (const task of this.live.all()) task.settle({ state: 'port_blocked' });
  }

  close(): void {
    this.scout.close();
    this.live.close();
    const fault = new SmtpFault('closed', 'connect', 'interrupted');
    for (const task of this.live.all()) task.settle({ state: 'faulted', fault, target: null });
    for (const lane of this.lanes.values()) lane.close();
    this.lanes.clear();
  }

  onBegin(task: ProbeTask): void {
    this.live.watch();
    this.scout.tryLater(task.question.targets);
  }

  onSettled(task: ProbeTask): void {
    this.live.delete(task);
  }

  newTranscript(): Transcript {
    this.opened++;
    return new Transcript(this.clock);
  }

  async open(target: Target, hooks: SessionHooks): Promise<SmtpSession> {
    const { watch, timeouts, firstConnectMs, dial, ehloName } = this.options;
    const connectMs = watch.proven ? timeouts.connectMs : Math.min(timeouts.connectMs, firstConnectMs);
    const onConnected = (closed: Promise<void>) => {
      watch.connected();
      hooks.onConnected?.(closed);
    };
    try {
      return await openSession(target, {
        ...{ ...hooks, onConnected, dial, ehloName, tls: this.tls },
        timeouts: { ...timeouts, connectMs },
      });
    } catch (error) {
      if (error instanceof SmtpFault && error.stage === 'connect') watch.failed(target, error);
      throw error;
    }
  }

  moveOn(task: ProbeTask, target: Target, fault: SmtpFault): void {
    if (task.settled) return;
    task.leaveHost(target, fault);
    this.submit(task);
  }

  private submit(task: ProbeTask): void {
    const { target } = task;
    if (target === undefined) {
      this.giveUp(task);
      return;
    }
    let lane = this.laneOf(task);
    if (lane === undefined) {
      this.forgetLanes();
      lane = new HostLane(target, task, this);
      this.lanes.set(keyOf(target), lane);
    }
    lane.submit(task);
  }

  private laneOf({ target }: ProbeTask): HostLane | undefined {
    return target === undefined ? undefined : this.lanes.get(keyOf(target));
  }

  private forgetLanes(): void {
    if (this.lanes.size < this.forgetAt) return;
    for (const [key, lane] of this.lanes) if (lane.forgettable) this.lanes.delete(key);
    // Where most are busy, to look through all of them for each new one would take longer than to ask.
    this.forgetAt = Math.max(rememberedLanes, 2 * this.lanes.size);
  }

  private expire(task: ProbeTask): void {
    const fault = new SmtpFault('timeout', 'rcpt', `no answer within ${this.totalMs} ms`);
    const lane = this.laneOf(task);
    task.settle({ state: 'faulted', ...(task.worstFault ?? { fault, target: task.target ?? null }) });
    lane?.reap();
  }

  private giveUp(task: ProbeTask): void {
    const told = task.worstFault;
    const fault = told?.fault ?? new SmtpFault('unreachable', 'connect', 'there is no host to ask');
    const settle = () => task.settle({ state: 'faulted', fault, target: told?.target ?? null });
    // Others may be about to show that it is the port, not this host.
    if (fault.kind === 'connect_timeout' && !this.options.watch.proven) this.clock.after(graceMs, settle);
    else settle();
  }
}

function keyOf({ ip, port }: Target): string {
  return `${ip} ${port}`;
}
