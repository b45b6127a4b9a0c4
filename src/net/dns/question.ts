import type { Share } from '../../async/fair-line.js';
import { shareOf } from '../../async/work-share.js';
import type { DnsStep } from './cancellation.js';
import type { Entrant, Slots } from './in-flight-limit.js';
import { type Reply, replyCodes } from './message.js';
import type { RecordKind } from './record-kinds.js';
import type { DnsAnswer } from './records.js';
import type { Asker, DnsExchange } from './resolver-client.js';
import type { NoReply } from './udp-socket.js';

/** A resolver, and how it has behaved. */
interface Resolver {
  exchange: DnsExchange;
  /** Questions in a row that it left unanswered. */
  silences: number;
  /** Until then, on the clock of the desk, others are asked first. */
  restUntil: number;
}

/** How all questions are asked. */
export interface Desk {
  resolvers: readonly Resolver[];
  slots: Slots;
  /** For a question with all of its retries. */
  timeoutMs: number;
  /** Milliseconds. */
  now: () => number;
}

/** Silent this often in a row, a resolver is asked last for a while. */
const silencesToRest = 3;
const restMs = 30_000;
/** Resolvers give up on longer chains, too. */
const maxAliases = 8;
const patienceMs = 2_000;

/**
 * A question under way: asks one resolver after the other until one answers, and follows aliases that a resolver leaves open.
 * A class, as V8 may take literals of such an object, of which many live at a time, for long-lived ones and put them where only a
 * full collection of garbage finds them, with all that hangs on them.
 */
export abstract class Question<R> implements Asker<R>, Entrant {
  cancelled = false;
  share: Share = shareOf(undefined);
  step: DnsStep | null = null;
  dueAt = 0;
  resendAt = 0;
  private order: readonly Resolver[];
  private deadline = 0;
  private turn = 0;
  private aliases = 0;
  private failure: NoReply = 'timeout';
  private ttlSeconds: number | null = null;

  constructor(
    protected readonly desk: Desk,
    /** The name, or the alias that it led to. */
    public name: string,
    readonly kind: RecordKind<R>,
  ) {
    this.order = desk.resolvers;
  }

  /** Told once what is known, with how long that holds in seconds. */
  protected abstract answered(answer: DnsAnswer<R>, ttlSeconds: number | null): void;

  /** Asks as soon as it is its turn. */
  start(): void {
    this.desk.slots.take(this);
  }

  enter(): void {
    const { resolvers, timeoutMs, now } = this.desk;
    const start = performance.now();
    this.deadline = start + timeoutMs;
    if (resolvers.length > 1) this.order = bySilence(resolvers, now());
    this.askNext(start);
  }

  replied(reply: Reply<R> | NoReply): void {
    const problem = typeof reply === 'string' ? reply : problemOf(reply);
    const resolver = this.order[this.turn - 1];
    if (resolver !== undefined) noteSilence(resolver, problem === 'timeout', this.desk.now);
    if (typeof reply !== 'string' && problem === null) this.read(reply);
    else {
      // "Not answered" says least of all failures, so it does not hide another.
      if (problem !== null && problem !== 'timeout') this.failure = problem;
      this.askNext(performance.now());
    }
  }

  putOff(ms: number): void {
    this.dueAt += ms;
    this.deadline += ms;
  }

  private askNext(now: number): void {
    const resolver = this.order[this.turn++];
    const leftMs = this.deadline - now;
    if (resolver === undefined || this.cancelled || leftMs <= 0) {
      this.end({ state: 'failed', why: this.failure }, null);
      return;
    }
    const waitMs = this.turn === this.order.length ? leftMs : Math.min(leftMs, this.desk.timeoutMs / 2, patienceMs);
    this.dueAt = now + waitMs;
    this.resendAt = now + Math.min(waitMs / 2, patienceMs);
    resolver.exchange.ask(this);
  }

  private read(reply: Reply<R>): void {
    this.ttlSeconds = smaller(this.ttlSeconds, reply.ttlSeconds);
    if (reply.openAlias === null) this.end(readAnswer(reply), this.ttlSeconds);
    else if (++this.aliases > maxAliases) this.end({ state: 'failed', why: 'malformed' }, null);
    else {
      this.name = reply.openAlias;
      this.turn = 0;
      this.askNext(performance.now());
    }
  }

  private end(answer: DnsAnswer<R>, ttlSeconds: number | null): void {
    this.answered(answer, ttlSeconds);
    this.desk.slots.give(this);
  }
}

const nxdomain = Object.freeze({ state: 'absent', why: 'nxdomain' } as const);
const nodata = Object.freeze({ state: 'absent', why: 'nodata' } as const);

function readAnswer<R>(reply: Reply<R>): DnsAnswer<R> {
  if (reply.code === replyCodes.nameAbsent) return nxdomain;
  if (reply.records.length === 0) return nodata;
  return { state: 'found', records: reply.records };
}

function smaller(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function bySilence(resolvers: readonly Resolver[], now: number): readonly Resolver[] {
  if (resolvers.every(({ restUntil }) => restUntil <= now)) return resolvers;
  return [...resolvers].sort((a, b) => Number(a.restUntil > now) - Number(b.restUntil > now));
}

function noteSilence(resolver: Resolver, silent: boolean, now: () => number): void {
  resolver.silences = silent ? resolver.silences + 1 : 0;
  resolver.restUntil = resolver.silences >= silencesToRest ? now() + restMs : 0;
}

/** Why the reply is no answer, or null where it is one. */
function problemOf(reply: Reply<unknown>): NoReply | null {
  // A server that only points elsewhere does not recurse for us.
  if (reply.referral) return 'refused';
  switch (reply.code) {
    case replyCodes.ok:
    case replyCodes.nameAbsent:
      return null;
    case replyCodes.refused:
    case replyCodes.notAuthoritative:
      return 'refused';
    case replyCodes.formatError:
      return 'malformed';
    default:
      return 'servfail';
  }
}
