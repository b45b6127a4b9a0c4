import type { Clock } from '../../async/clock.js';
import type { SmtpReply } from '../../model/evidence.js';
import type { Reading } from '../replies/reading.js';
import type { Trace } from '../smtp/connection.js';
import type { Target } from '../smtp/dial.js';
import { SmtpFault } from '../smtp/fault.js';
import type { SmtpSession } from '../smtp/session.js';
import { hostPace } from './host-pace.js';
import { type HostTraits, maxSessionsPerHost } from './host-traits.js';
import { probeQueue } from './probe-queue.js';
import type { ProbeTask, TimedLine, Transcript } from './probe-task.js';
import { senderChoice } from './sender-choice.js';
import type { SessionSlots, SlotSeeker } from './session-limits.js';
import { sessionWorker, type Worker, type WorkerHome } from './session-worker.js';

/** What a lane is given by the pool. */
export interface LaneWorld {
  clock: Clock;
  slots: SessionSlots;
  senders: readonly string[];
  lingerMs: number;
  /** The first wait after a host has asked us to slow down. */
  backoffMs: number;
  open(target: Target, hooks: { trace: Trace; signal: AbortSignal; onConnected: () => void }): Promise<SmtpSession>;
  read(task: ProbeTask, reply: SmtpReply, session: SmtpSession): Reading;
  /** Takes a task on to its next host, or to its end. */
  moveOn(task: ProbeTask, target: Target, fault: SmtpFault): void;
}

/** All that waits for one address of a mail host, and the sessions that serve it. */
export interface Lane {
  submit(task: ProbeTask): void;
  /** Nothing waits, nothing runs and nothing was learnt that later tasks should know. */
  readonly forgettable: boolean;
  /** Lets go of sessions that nobody waits for any more. */
  reap(): void;
  close(): void;
}

const downMs = 60_000;

/** A lane to one address; `first` says what kind of host it is. */
export function sessionLane(target: Target, first: ProbeTask, world: LaneWorld): Lane {
  const { clock, slots } = world;
  const traits: HostTraits = { ...first.traits };
  const pace = hostPace(clock, {
    most: Math.min(traits.maxSessions, maxSessionsPerHost),
    minIntervalMs: traits.minIntervalMs,
    backoffMs: world.backoffMs,
  });
  const waiting = probeQueue({
    turnAway: (task) =>
      world.moveOn(task, target, new SmtpFault('no_smtputf8', 'ehlo', 'the host does not offer SMTPUTF8')),
    // A session turned on it, and others of this length may do so, too.
    needsFresh: ({ turnedAfter }) => turnedAfter !== null && turnedAfter < traits.maxRefusalsPerSession,
  });
  const workers = new Set<Worker>();
  const openings = new Set<AbortController>();
  const sleepers = new Set<() => void>();
  let connected = false;
  let doubtful = false;
  let down: { fault: SmtpFault; until: number } | null = null;
  let cancelTimer: (() => void) | null = null;
  let closed = false;
  let pumping = false;

  const seeker: SlotSeeker = { party: first.provider ?? target.ip, partyLimit: traits.maxSessions, retry: pump };

  const home: WorkerHome = {
    senders: senderChoice(world.senders),
    traits,
    get careful() {
      return pace.careful;
    },
    read: world.read,
    take: waiting.take,
    idle,
    requeue(task) {
      task.pause();
      waiting.putBack(task);
    },
    moveOn: (task, fault) => world.moveOn(task, target, fault),
    goDown,
    slowDown: pace.slowDown,
    tread: pace.tread,
    learnLimit(recipients) {
      traits.maxRcptPerSession = Math.max(1, Math.min(traits.maxRcptPerSession, recipients));
    },
    learnPatience(refusals) {
      traits.maxRefusalsPerSession = Math.max(1, Math.min(traits.maxRefusalsPerSession, refusals));
    },
    wentWell: pace.wentWell,
    lost: pace.lost,
    elapsed: clock.elapsed,
  };

  return {
    submit(task) {
      if (down !== null && clock.elapsed() < down.until) return world.moveOn(task, target, down.fault);
      down = null;
      task.losses = 0;
      waiting.add(task);
      pumpSoon();
    },
    get forgettable() {
      return waiting.length + workers.size + openings.size === 0 && down === null && pace.unlimited;
    },
    reap() {
      waiting.dropSettled();
      if (waiting.length === 0) for (const opening of openings) opening.abort();
      for (const worker of workers) worker.abandon();
    },
    close() {
      closed = true;
      cancelTimer?.();
      for (const opening of openings) opening.abort();
      for (const worker of workers) worker.leave();
      for (const wake of [...sleepers]) wake();
    },
  };

  /** Waits a little for more work, unless another host needs the slot or the connection goes. */
  function idle(session: SmtpSession, onWakeable: (wake: () => void) => void): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (work: boolean) => {
        cancel();
        revoke();
        sleepers.delete(wake);
        resolve(work);
      };
      const wake = () => done(!closed);
      const cancel = clock.after(world.lingerMs, () => done(false));
      const revoke = slots.idle(seeker, () => done(false));
      sleepers.add(wake);
      onWakeable(wake);
      session.onLoss(() => done(false));
      if (closed) done(false);
    });
  }

  function pump(): void {
    if (closed || waiting.length === 0) return;
    for (const wake of [...sleepers]) wake();
    while (wanted() > 0) {
      const waitMs = pace.waitMs();
      if (waitMs > 0) {
        pumpAfter(waitMs);
        return;
      }
      if (!slots.take(seeker)) return;
      void open();
    }
  }

  /** Tasks come in swarms: one look serves all of the same moment. */
  function pumpSoon(): void {
    if (pumping) return;
    pumping = true;
    queueMicrotask(() => {
      pumping = false;
      pump();
    });
  }

  function pumpAfter(ms: number): void {
    cancelTimer ??= clock.after(ms, () => {
      cancelTimer = null;
      pump();
    });
  }

  /** Sessions to open now: none for what open ones can take in their next round trip, one until the host is known to answer. */
  function wanted(): number {
    const inUse = workers.size + openings.size;
    if (inUse >= pace.limit || ((!connected || doubtful) && openings.size > 0)) return 0;
    let room = 0;
    for (const worker of workers) room += worker.room();
    const perSession = Math.max(1, Math.min(traits.maxRefusalsPerSession, traits.maxRcptPerSession));
    const afresh = waiting.needingFresh();
    const sessions = Math.max(0, Math.ceil((waiting.length - afresh - room) / perSession)) + afresh;
    return Math.min(pace.limit - inUse, sessions - openings.size);
  }

  async function open(): Promise<void> {
    const opening = new AbortController();
    const transcript: Transcript = { on: true, lines: [] };
    openings.add(opening);
    pace.opening();
    for (const task of waiting.peek(traits.maxRefusalsPerSession)) task.begin();
    try {
      const session = await world.open(target, {
        signal: opening.signal,
        trace: {
          get on() {
            return transcript.on;
          },
          line: (from, text) => transcript.lines.push({ at: clock.elapsed(), from, text }),
        },
        onConnected() {
          connected = true;
          pump();
        },
      });
      openings.delete(opening);
      doubtful = false;
      await work(sessionWorker(session, home, transcript));
    } catch (error) {
      openings.delete(opening);
      const fault = error instanceof SmtpFault ? error : new SmtpFault('malformed', 'connect', String(error));
      if (!opening.signal.aborted) cannotOpen(fault, transcript.lines);
    } finally {
      slots.release(seeker);
      pump();
    }
  }

  async function work(worker: Worker): Promise<void> {
    workers.add(worker);
    try {
      await worker.run();
    } finally {
      workers.delete(worker);
      // The session was opened for more of them than it took; another host may need the slot before the next.
      if (openings.size === 0) for (const task of waiting.peek(waiting.length)) task.pause();
    }
  }

  function cannotOpen(fault: SmtpFault, transcript: readonly TimedLine[]): void {
    if (workers.size > 0) {
      // A third connection to a limited host gets `421 4.7.0`: the open ones go on.
      pace.keepTo(workers.size);
      return;
    }
    doubtful = openings.size > 0;
    if (doubtful) return;
    if (pace.backOff()) return;
    for (const task of waiting.peek(waiting.length)) {
      if (task.keepDialogue) {
        task.dialogue.push(...transcript, { at: clock.elapsed(), from: 'note', text: fault.message });
      }
    }
    goDown(fault);
  }

  function goDown(fault: SmtpFault): void {
    down = { fault, until: clock.elapsed() + downMs };
    connected = false;
    for (const task of waiting.empty()) world.moveOn(task, target, fault);
  }
}
