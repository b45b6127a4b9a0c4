import { type Caller, localCaller } from '../../async/caller.js';
import type { DnsStep } from './cancellation.js';
import { type Reply, replyCodes } from './message.js';
import type { QuerySlots, SlotUser } from './query-slots.js';
import type { RecordType } from './record-types.js';
import type { DnsAnswer } from './records.js';
import type { PendingQuery, ResolverClient } from './resolver-client.js';
import type { QueryFailure } from './udp-socket.js';

/** A resolver, and how it has behaved. */
export interface Resolver {
  client: ResolverClient;
  /** Timeouts in a row. */
  timeoutsInARow: number;
  /** Other resolvers are asked first until this time, by the clock of the context. */
  avoidUntil: number;
}

/** What all queries share. */
export interface ResolverContext {
  resolvers: readonly Resolver[];
  slots: QuerySlots;
  /** The timeout of a query with all of its retries. */
  timeoutMs: number;
  /** Milliseconds. */
  now: () => number;
}

/** After this many timeouts in a row, a resolver is asked last for `avoidMs`. */
const timeoutsBeforeAvoiding = 3;
const avoidMs = 30_000;
/** Resolvers give up on longer chains as well. */
const maxAliases = 8;
const maxTryMs = 2_000;

/** A query in flight: asks one resolver after another until one answers, and follows aliases that a resolver leaves open. */
export abstract class Question<R> implements PendingQuery<R>, SlotUser {
  canceled = false;
  caller: Caller = localCaller;
  step: DnsStep | null = null;
  deadline = 0;
  resendAt = 0;
  private order: readonly Resolver[];
  private totalDeadline = 0;
  private nextIndex = 0;
  private aliases = 0;
  private hasSlot = false;
  private failure: QueryFailure = 'timeout';
  private ttlSeconds: number | null = null;

  constructor(
    protected readonly context: ResolverContext,
    /** The name, or the alias that it led to. */
    public name: string,
    readonly kind: RecordType<R>,
  ) {
    this.order = context.resolvers;
  }

  /** Called once with the answer and its TTL. */
  protected abstract onAnswered(answer: DnsAnswer<R>, ttlSeconds: number | null): void;

  /** Asks as soon as a slot is free. */
  start(): void {
    this.context.slots.acquire(this);
  }

  onSlot(): void {
    this.hasSlot = true;
    const { resolvers, timeoutMs, now } = this.context;
    const start = performance.now();
    this.totalDeadline = start + timeoutMs;
    if (resolvers.length > 1) this.order = responsiveFirst(resolvers, now());
    this.askNext(start);
  }

  onReply(reply: Reply<R> | QueryFailure): void {
    const problem = typeof reply === 'string' ? reply : problemOf(reply);
    const resolver = this.order[this.nextIndex - 1];
    if (resolver !== undefined) recordTimeout(resolver, problem === 'timeout', this.context.now);
    if (typeof reply !== 'string' && problem === null) this.read(reply);
    else {
      // A timeout is the least informative failure and does not replace another one.
      if (problem !== null && problem !== 'timeout') this.failure = problem;
      this.askNext(performance.now());
    }
  }

  /** Releases the slot: a dead name server must not delay queries to others. */
  onSilent(): void {
    this.releaseSlot();
  }

  extendDeadline(ms: number): void {
    this.deadline += ms;
    this.totalDeadline += ms;
  }

  private askNext(now: number): void {
    const resolver = this.order[this.nextIndex++];
    const leftMs = this.totalDeadline - now;
    if (resolver === undefined || this.canceled || leftMs <= 0) {
      this.end({ state: 'failed', why: this.failure }, null);
      return;
    }
    const waitMs =
      this.nextIndex === this.order.length ? leftMs : Math.min(leftMs, this.context.timeoutMs / 2, maxTryMs);
    this.deadline = now + waitMs;
    this.resendAt = now + Math.min(waitMs / 2, maxTryMs);
    resolver.client.ask(this);
  }

  private read(reply: Reply<R>): void {
    this.ttlSeconds = minTtl(this.ttlSeconds, reply.ttlSeconds);
    if (reply.unresolvedAlias === null) this.end(this.readAnswer(reply), this.ttlSeconds);
    else if (++this.aliases > maxAliases) this.end({ state: 'failed', why: 'malformed' }, null);
    else {
      this.name = reply.unresolvedAlias;
      this.nextIndex = 0;
      this.askNext(performance.now());
    }
  }

  private readAnswer(reply: Reply<R>): DnsAnswer<R> {
    const isDenied = reply.code === replyCodes.nameAbsent;
    if (!isDenied && reply.records.length > 0) return { state: 'found', records: reply.records };
    const denial = isDenied ? nxdomain : nodata;
    const { resolvers } = this.context;
    const by = resolvers.findIndex((resolver) => resolver === this.order[this.nextIndex - 1]);
    return resolvers.length === 1 ? denial : { ...denial, by };
  }

  private end(answer: DnsAnswer<R>, ttlSeconds: number | null): void {
    this.onAnswered(answer, ttlSeconds);
    this.releaseSlot();
  }

  private releaseSlot(): void {
    if (!this.hasSlot) return;
    this.hasSlot = false;
    this.context.slots.release(this);
  }
}

const nxdomain = Object.freeze({ state: 'absent', why: 'nxdomain' } as const);
const nodata = Object.freeze({ state: 'absent', why: 'nodata' } as const);

function minTtl(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function responsiveFirst(resolvers: readonly Resolver[], now: number): readonly Resolver[] {
  if (resolvers.every(({ avoidUntil }) => avoidUntil <= now)) return resolvers;
  return [...resolvers].sort((a, b) => Number(a.avoidUntil > now) - Number(b.avoidUntil > now));
}

function recordTimeout(resolver: Resolver, isTimeout: boolean, now: () => number): void {
  resolver.timeoutsInARow = isTimeout ? resolver.timeoutsInARow + 1 : 0;
  resolver.avoidUntil = resolver.timeoutsInARow >= timeoutsBeforeAvoiding ? now() + avoidMs : 0;
}

/** Why the reply is not an answer; null if it is one. */
function problemOf(reply: Reply<unknown>): QueryFailure | null {
  // A server that returns a referral does not recurse for us.
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
