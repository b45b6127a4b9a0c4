import type { DnsAnswer } from './dns.js';
import type { DnsExchange, ExchangeOptions, NoReply } from './dns-exchange.js';
import { type Query, type Reply, replyCodes } from './dns-message.js';
import type { DnsTask } from './dns-shared.js';

/** A resolver, and how it has behaved. */
export interface Resolver {
  exchange: DnsExchange;
  /** Questions in a row that it left unanswered. */
  silences: number;
  /** Until then, on the clock of the options, others are asked first. */
  restUntil: number;
}

/** How all questions are asked. */
export interface AskOptions {
  /** For a question with all of its retries. */
  timeoutMs: number;
  /** Milliseconds. */
  now: () => number;
}

/** Told once what is known, with how long that holds in seconds. */
export type OnAnswer<R> = (answer: DnsAnswer<R>, ttlSeconds: number | null) => void;

/** Silent this often in a row, a resolver is asked last for a while. */
const silencesToRest = 3;
const restMs = 30_000;
/** Resolvers give up on longer chains, too. */
const maxAliases = 8;
const patienceMs = 2_000;

/**
 * A question under way. A class, as V8 may take literals of such an object, of which many live at a time, for long-lived ones and
 * put them where only a full collection of garbage finds them, with all that hangs on them.
 */
class Inquiry<R> implements ExchangeOptions {
  readonly deadline: number;
  dueAt = 0;
  resendAt = 0;
  turn = 0;
  aliases = 0;
  failure: NoReply = 'timeout';
  ttlSeconds: number | null = null;

  constructor(
    readonly order: readonly Resolver[],
    /** The question, or the alias that it led to. */
    public query: Query<R>,
    readonly options: AskOptions,
    readonly task: DnsTask,
    readonly done: OnAnswer<R>,
    now: number,
  ) {
    this.deadline = now + options.timeoutMs;
  }
}

/** Asks one resolver after the other until one answers; follows aliases that a resolver leaves open. */
export function askResolvers<R>(
  resolvers: readonly Resolver[],
  query: Query<R>,
  options: AskOptions,
  task: DnsTask,
  done: OnAnswer<R>,
): void {
  const now = performance.now();
  const order = resolvers.length > 1 ? bySilence(resolvers, options.now()) : resolvers;
  askNext(new Inquiry(order, query, options, task, done, now), now);
}

function askNext<R>(inquiry: Inquiry<R>, now: number): void {
  const { order, options } = inquiry;
  const resolver = order[inquiry.turn++];
  const leftMs = inquiry.deadline - now;
  if (resolver === undefined || inquiry.task.cancelled || leftMs <= 0) {
    inquiry.done({ state: 'failed', why: inquiry.failure }, null);
    return;
  }
  const waitMs = inquiry.turn === order.length ? leftMs : Math.min(leftMs, options.timeoutMs / 2, patienceMs);
  inquiry.dueAt = now + waitMs;
  inquiry.resendAt = now + Math.min(waitMs / 2, patienceMs);
  resolver.exchange.ask(inquiry.query, inquiry, (reply) => {
    const problem = typeof reply === 'string' ? reply : problemOf(reply);
    noteSilence(resolver, problem === 'timeout', options.now);
    if (typeof reply !== 'string' && problem === null) read(inquiry, reply);
    else {
      // "Not answered" says least of all failures, so it does not hide another.
      if (problem !== null && problem !== 'timeout') inquiry.failure = problem;
      askNext(inquiry, performance.now());
    }
  });
}

function read<R>(inquiry: Inquiry<R>, reply: Reply<R>): void {
  inquiry.ttlSeconds = smaller(inquiry.ttlSeconds, reply.ttlSeconds);
  if (reply.openAlias === null) inquiry.done(readAnswer(reply), inquiry.ttlSeconds);
  else if (++inquiry.aliases > maxAliases) inquiry.done({ state: 'failed', why: 'malformed' }, null);
  else {
    inquiry.query = { name: reply.openAlias, kind: inquiry.query.kind };
    inquiry.turn = 0;
    askNext(inquiry, performance.now());
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
