import type { DnsAnswer } from './dns.js';
import type { DnsExchange, NoReply } from './dns-exchange.js';
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

export interface AskOptions {
  /** For the question with all of its retries. */
  timeoutMs: number;
  task: DnsTask;
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

/** A question under way. */
interface Inquiry<R> {
  order: readonly Resolver[];
  /** The question, or the alias that it led to. */
  query: Query<R>;
  options: AskOptions;
  done: OnAnswer<R>;
  /** On the clock of `performance.now()`. */
  deadline: number;
  turn: number;
  aliases: number;
  failure: NoReply;
  ttlSeconds: number | null;
}

/** Asks one resolver after the other until one answers; follows aliases that a resolver leaves open. */
export function askResolvers<R>(
  resolvers: readonly Resolver[],
  query: Query<R>,
  options: AskOptions,
  done: OnAnswer<R>,
): void {
  const now = performance.now();
  const order = resolvers.length > 1 ? bySilence(resolvers, options.now()) : resolvers;
  const deadline = now + options.timeoutMs;
  askNext({ order, query, options, done, deadline, turn: 0, aliases: 0, failure: 'timeout', ttlSeconds: null }, now);
}

function askNext<R>(inquiry: Inquiry<R>, now: number): void {
  const { order, query, options, done, failure } = inquiry;
  const resolver = order[inquiry.turn++];
  const leftMs = inquiry.deadline - now;
  if (resolver === undefined || options.task.cancelled || leftMs <= 0) {
    done({ state: 'failed', why: failure }, null);
    return;
  }
  const waitMs = inquiry.turn === order.length ? leftMs : Math.min(leftMs, options.timeoutMs / 2, patienceMs);
  const resendAt = now + Math.min(waitMs / 2, patienceMs);
  resolver.exchange.ask(query, { dueAt: now + waitMs, resendAt, task: options.task }, (reply) => {
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
