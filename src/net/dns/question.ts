import type { Caller } from '../../async/caller.js';
import type { QuerySlots, SlotUser } from '../../async/query-slots.js';
import { type Reply, replyCodes } from './message.js';
import type { RecordType } from './record-types.js';
import type { DnsAnswer } from './records.js';
import type { ResolverClient } from './resolver-client.js';
import type { QueryAttempt, QueryFailure } from './udp-socket.js';

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

/** An answer, and how long it holds; null if the reply does not say. */
interface TimedAnswer<R> {
  answer: DnsAnswer<R>;
  ttlSeconds: number | null;
}

/** After this many timeouts in a row, a resolver is asked last for `avoidMs`. */
const timeoutsBeforeAvoiding = 3;
const avoidMs = 30_000;
/** Resolvers give up on longer chains as well. */
const maxAliases = 8;
const maxTryMs = 2_000;

/** A query in flight: asks one resolver after another until one answers, and follows aliases that a resolver leaves open. */
export class Question<R> implements SlotUser, QueryAttempt {
  cancel: (() => void) | null = null;
  deadline = 0;
  resendAt = 0;
  onSlot: () => void = () => {};
  private isCanceled = false;
  private totalDeadline = 0;
  private hasSlot = false;

  constructor(
    private readonly context: ResolverContext,
    private readonly kind: RecordType<R>,
    public caller: Caller,
  ) {}

  /** Asks as soon as a slot is free. Never rejects. */
  async ask(first: string): Promise<TimedAnswer<R>> {
    const slot = this.takeSlot();
    if (slot !== null) await slot;
    this.totalDeadline = performance.now() + this.context.timeoutMs;
    let answer: DnsAnswer<R> | null = null;
    let [name, ttlSeconds]: [string, number | null] = [first, null];
    for (let aliases = 0; answer === null && aliases <= maxAliases; aliases++) {
      const answered = await this.askResolvers(name);
      if (typeof answered === 'string') answer = { state: 'failed', why: answered };
      else {
        const { reply, by } = answered;
        if (reply.ttlSeconds !== null) ttlSeconds = Math.min(ttlSeconds ?? reply.ttlSeconds, reply.ttlSeconds);
        if (reply.unresolvedAlias === null) answer = this.readAnswer(reply, by);
        else name = reply.unresolvedAlias;
      }
    }
    this.onSilent();
    return { answer: answer ?? { state: 'failed', why: 'malformed' }, ttlSeconds };
  }

  /** Ends it soon; its answer counts no longer. */
  abandon(): void {
    this.isCanceled = true;
    this.cancel?.();
  }

  /** Releases the slot: a dead name server must not delay queries to others. */
  onSilent(): void {
    if (this.hasSlot) this.context.slots.release(this);
    this.hasSlot = false;
  }

  extendDeadline(ms: number): void {
    this.deadline += ms;
    this.resendAt += ms;
    this.totalDeadline += ms;
  }

  private takeSlot(): Promise<void> | null {
    let enter = (): void => {};
    this.onSlot = () => {
      this.hasSlot = true;
      enter();
    };
    this.context.slots.acquire(this);
    if (this.hasSlot) return null;
    return new Promise<void>((resolve) => {
      enter = resolve;
    });
  }

  /** The first reply that is an answer, or the most informative failure, which a timeout is not. */
  private async askResolvers(name: string): Promise<{ reply: Reply<R>; by: Resolver } | QueryFailure> {
    const { resolvers, timeoutMs, now } = this.context;
    let failure: QueryFailure = 'timeout';
    const order = resolvers.length > 1 ? responsiveFirst(resolvers, now()) : resolvers;
    for (const [index, resolver] of order.entries()) {
      const start = performance.now();
      const leftMs = this.totalDeadline - start;
      if (this.isCanceled || leftMs <= 0) break;
      const tryMs = index === order.length - 1 ? leftMs : Math.min(leftMs, timeoutMs / 2, maxTryMs);
      this.deadline = start + tryMs;
      this.resendAt = start + Math.min(tryMs / 2, maxTryMs);
      const reply = await resolver.client.ask({ name, kind: this.kind }, this);
      const problem = typeof reply === 'string' ? reply : problemOf(reply);
      recordTimeout(resolver, problem === 'timeout' && !this.isCanceled, now);
      if (typeof reply !== 'string' && problem === null) return { reply, by: resolver };
      if (problem !== null && problem !== 'timeout') failure = problem;
    }
    return failure;
  }

  private readAnswer(reply: Reply<R>, by: Resolver): DnsAnswer<R> {
    const isDenied = reply.code === replyCodes.nameAbsent;
    if (!isDenied && reply.records.length > 0) return { state: 'found', records: reply.records };
    const denial = isDenied ? nxdomain : nodata;
    const { resolvers } = this.context;
    return resolvers.length === 1 ? denial : { ...denial, by: resolvers.indexOf(by) };
  }
}

const nxdomain = Object.freeze({ state: 'absent', why: 'nxdomain' } as const);
const nodata = Object.freeze({ state: 'absent', why: 'nodata' } as const);

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
