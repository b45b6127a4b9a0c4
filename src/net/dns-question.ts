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

export interface Answered<R> {
  answer: DnsAnswer<R>;
  ttlSeconds: number | null;
}

/** Silent this often in a row, a resolver is asked last for a while. */
const silencesToRest = 3;
const restMs = 30_000;
/** Resolvers give up on longer chains, too. */
const maxAliases = 8;
const patienceMs = 2_000;

/** Asks one resolver after the other until one answers; follows aliases that a resolver leaves open. */
export async function askResolvers<R>(
  resolvers: readonly Resolver[],
  query: Query<R>,
  { task, timeoutMs, now }: AskOptions,
): Promise<Answered<R>> {
  const deadline = performance.now() + timeoutMs;
  const order = resolvers.length > 1 ? bySilence(resolvers, now()) : resolvers;
  let asked = query;
  let failure: NoReply = 'timeout';
  let ttlSeconds: number | null = null;
  let aliases = 0;
  for (let turn = 0; ; ) {
    const resolver = order[turn++];
    const leftMs = deadline - performance.now();
    if (resolver === undefined || task.cancelled || leftMs <= 0) return failed(failure);
    const waitMs = turn === order.length ? leftMs : Math.min(leftMs, timeoutMs / 2, patienceMs);
    const resendAfterMs = Math.min(waitMs / 2, patienceMs);
    const reply = await resolver.exchange.ask(asked, { timeoutMs: waitMs, resendAfterMs, task });
    const problem = problemOf(reply);
    noteSilence(resolver, problem === 'timeout', now);
    if (typeof reply === 'string' || problem !== null) {
      // "Not answered" says least of all failures, so it does not hide another.
      if (problem !== null && problem !== 'timeout') failure = problem;
      continue;
    }
    ttlSeconds = smaller(ttlSeconds, reply.ttlSeconds);
    if (reply.openAlias === null) return { answer: readAnswer(reply), ttlSeconds };
    if (++aliases > maxAliases) return failed('malformed');
    asked = { name: reply.openAlias, kind: query.kind };
    turn = 0;
  }
}

function failed(why: NoReply): { answer: DnsAnswer<never>; ttlSeconds: null } {
  return { answer: { state: 'failed', why }, ttlSeconds: null };
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
function problemOf(reply: Reply<unknown> | NoReply): NoReply | null {
  if (typeof reply === 'string') return reply;
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
