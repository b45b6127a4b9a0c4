import { isIPv4 } from 'node:net';
import type { Clock } from '../../async/clock.js';
import type { MailRoute, SmtpReply } from '../../model/evidence.js';
import type { Reading } from '../replies/reading.js';
import type { Dial, Target } from '../smtp/dial.js';
import { deepest, SmtpFault } from '../smtp/fault.js';
import { openSession, type Recipient, type SmtpSession, type SmtpTimeouts } from '../smtp/session.js';
import type { PortWatch } from './blocked-port.js';
import { portScout } from './blocked-port-scout.js';
import { type Lane, sessionLane } from './host-lane.js';
import type { HostTraits } from './host-traits.js';
import type { Asked, ProbeTask, Seat, TimedLine } from './probe-task.js';
import { sessionSlots } from './session-limits.js';

export interface PoolOptions {
  dial: Dial;
  ehloName: string | null;
  senders: readonly string[];
  tls: 'opportunistic' | 'never';
  timeouts: SmtpTimeouts;
  /** Connect deadline while it is not known whether the port is open at all. */
  firstConnectMs: number;
  concurrency: number;
  lingerMs: number;
  backoffMs: number;
  clock: Clock;
  watch: PortWatch;
  read(task: ProbeTask, reply: SmtpReply, session: SmtpSession): Reading;
}

/** One mailbox to ask for. */
export interface PoolQuestion {
  recipient: Recipient;
  targets: readonly Target[];
  traits: HostTraits;
  provider: string | null;
  firstContact: boolean;
  keepDialogue: boolean;
  /** The session to use, if it still stands. */
  seat?: Seat;
}

/** Answers questions for mailboxes over shared sessions. */
export interface SessionPool {
  /** Rejects only when aborted. `dialogue` is filled where it is to be kept. */
  ask(question: PoolQuestion, dialogue: TimedLine[], signal?: AbortSignal): Promise<Asked>;
  /** Ends every task as blocked. */
  stopDialling(): void;
  /** Connections opened so far. */
  readonly connections: number;
  close(): void;
}

const maxTargets = 9;
const maxAddressesPerHost = 3;
const graceMs = 1500;
const sweepMs = 250;
const rememberedLanes = 2000;

/** The addresses of a route in the order to dial them: by host, IPv4 first, since hosts are stricter with strangers over IPv6. */
export function targetsOf(route: MailRoute, port: number): Target[] {
  return route.hosts
    .flatMap(({ name, addresses }) => {
      const ordered = [...addresses.filter(isIPv4), ...addresses.filter((ip) => !isIPv4(ip))];
      return ordered.slice(0, maxAddressesPerHost).map((ip) => ({ host: name, ip, port }));
    })
    .slice(0, maxTargets);
}

/** A pool that opens sessions as they are needed and within its limits. */
export function sessionPool(options: PoolOptions): SessionPool {
  const { clock, watch, timeouts } = options;
  const lanes = new Map<string, Lane>();
  const live = new Set<ProbeTask>();
  const scout = portScout({ dial: options.dial, connectMs: options.firstConnectMs, clock, watch });
  let connections = 0;
  let cancelSweep: (() => void) | null = null;

  const world = {
    clock,
    slots: sessionSlots(options.concurrency),
    senders: options.senders,
    lingerMs: options.lingerMs,
    backoffMs: options.backoffMs,
    read: options.read,
    moveOn,
    async open(target: Target, hooks: Parameters<Parameters<typeof sessionLane>[2]['open']>[1]): Promise<SmtpSession> {
      connections++;
      const connectMs = watch.proven ? timeouts.connectMs : Math.min(timeouts.connectMs, options.firstConnectMs);
      try {
        return await openSession(target, {
          ...hooks,
          dial: options.dial,
          ehloName: options.ehloName,
          tls: options.tls,
          timeouts: { ...timeouts, connectMs },
          onConnected() {
            watch.connected();
            hooks.onConnected();
          },
        });
      } catch (error) {
        if (error instanceof SmtpFault && error.stage === 'connect') watch.failed(target, error);
        throw error;
      }
    },
  };

  return {
    get connections() {
      return connections;
    },
    ask: (question, dialogue, signal) =>
      new Promise((resolve, reject) => {
        if (watch.blocked) return resolve({ state: 'port_blocked' });
        const task = taskFor(question, dialogue, (asked) => {
          signal?.removeEventListener('abort', onAbort);
          resolve(asked);
        });
        const onAbort = () => {
          if (task.settled) return;
          task.settled = true;
          live.delete(task);
          reject(signal?.reason);
          laneOf(task)?.reap();
        };
        if (signal?.aborted === true) return reject(signal.reason);
        signal?.addEventListener('abort', onAbort, { once: true });
        live.add(task);
        if (question.seat?.submit(task) !== true) submit(task);
      }),
    stopDialling() {
      for (const task of [...live]) task.settle({ state: 'port_blocked' });
    },
    close() {
      scout.close();
      cancelSweep?.();
      const fault = new SmtpFault('closed', 'connect', 'interrupted');
      for (const task of [...live]) task.settle({ state: 'faulted', fault, target: null });
      for (const lane of lanes.values()) lane.close();
      lanes.clear();
    },
  };

  function taskFor(question: PoolQuestion, dialogue: TimedLine[], resolve: (asked: Asked) => void): ProbeTask {
    let leftMs = timeouts.totalMs;
    const task: ProbeTask = {
      recipient: question.recipient,
      targets: question.targets,
      traits: question.traits,
      provider: question.provider,
      firstContact: question.firstContact,
      keepDialogue: question.keepDialogue,
      dialogue,
      faults: [],
      at: 0,
      losses: 0,
      turnedAfter: null,
      senderAt: 0,
      mindedSenders: [],
      settled: false,
      deadline: null,
      begin() {
        if (task.deadline !== null || task.settled) return;
        task.deadline = clock.elapsed() + leftMs;
        sweepLater();
        scout.tryLater(task.targets);
      },
      pause() {
        if (task.deadline === null) return;
        leftMs = Math.max(1, task.deadline - clock.elapsed());
        task.deadline = null;
      },
      settle(asked) {
        if (task.settled) return;
        task.settled = true;
        live.delete(task);
        resolve(asked);
      },
    };
    return task;
  }

  /** One timer for all: a timer for each of ten thousand tasks costs more than looking through them now and then. */
  function sweepLater(): void {
    cancelSweep ??= clock.after(Math.min(sweepMs, timeouts.totalMs), () => {
      cancelSweep = null;
      const now = clock.elapsed();
      for (const task of live) if (task.deadline !== null && task.deadline <= now) expire(task);
      if (live.size > 0) sweepLater();
    });
  }

  function expire(task: ProbeTask): void {
    const fault = new SmtpFault('timeout', 'rcpt', `no answer within ${timeouts.totalMs} ms`);
    const lane = laneOf(task);
    const told = deepest(task.faults) ?? { fault, target: task.targets[task.at] ?? null };
    task.settle({ state: 'faulted', ...told });
    lane?.reap();
  }

  function laneOf(task: ProbeTask): Lane | undefined {
    const target = task.targets[task.at];
    return target === undefined ? undefined : lanes.get(keyOf(target));
  }

  function submit(task: ProbeTask): void {
    const target = task.targets[task.at];
    if (target === undefined) {
      giveUp(task);
      return;
    }
    let lane = lanes.get(keyOf(target));
    if (lane === undefined) {
      if (lanes.size >= rememberedLanes) for (const [key, one] of lanes) if (one.forgettable) lanes.delete(key);
      lane = sessionLane(target, task, world);
      lanes.set(keyOf(target), lane);
    }
    lane.submit(task);
  }

  function giveUp(task: ProbeTask): void {
    const told = deepest(task.faults);
    const fault = told?.fault ?? new SmtpFault('unreachable', 'connect', 'there is no host to ask');
    const settle = () => task.settle({ state: 'faulted', fault, target: told?.target ?? null });
    // Others may be about to show that it is the port, not this host.
    if (fault.kind === 'connect_timeout' && !watch.proven) clock.after(graceMs, settle);
    else settle();
  }

  function moveOn(task: ProbeTask, target: Target, fault: SmtpFault): void {
    if (task.settled) return;
    task.faults.push({ fault, target });
    task.at++;
    task.mindedSenders.length = 0;
    // Whoever was turned away elsewhere may find a long queue here; standing in it costs nobody's time.
    task.pause();
    submit(task);
  }
}

function keyOf({ ip, port }: Target): string {
  return `${ip} ${port}`;
}
