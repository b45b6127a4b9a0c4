import { randomUUID } from 'node:crypto';
import { createBatcher } from '../../async/batcher.js';
import type { ProbeAnswer, Prober } from '../../net/probe/prober.js';
import { jobBatchWaitMs } from './channels.js';
import type { Claim, ClaimOutcome, ClaimTable, WorkerId } from './claim-table.js';
import type { OwnedShard, OwnedShards } from './owned-shards.js';
import { createRefusalCounter, isClientRefused } from './refusal-counter.js';
import { isInteractive, priorities } from './request-table.js';
import type { WorkerRegistry } from './worker-registry.js';

interface ClaimRequestsOptions {
  self: WorkerId;
  probes: ClaimTable;
  held: OwnedShards;
  members: WorkerRegistry;
  prober: Prober;
  /** How many sessions it has at a time. */
  sessions: number;
  /** There is much room for what waits. */
  onEnd(): void;
  onError(failure: unknown): void;
}

/** Takes questions of the lanes held, asks them, and writes what came of it. */
interface ClaimRequests {
  /** Takes as many as there is room for, and in a `hurry` those that somebody waits for in any case; `shunned` are those whom others should ask. */
  claimMore(shunned: readonly string[], hurry: boolean): Promise<void>;
  /** What is under way is enough for the time being. */
  isFull(): boolean;
  /** There is room, and nothing to fill it with. */
  hasCapacity(): boolean;
  /** How many were answered so far. */
  answered(): number;
}

/** Some seconds' worth for each session: what one worker has taken, another that has nothing to do cannot take. */
const claimsPerSession = 50;
/** A trip to the database is worth this part of what may be under way. */
const minClaimShare = 1 / 4;
/** Lanes are looked into as if each had so many: few at a time, so that their sessions have something to do. */
const claimsExpected = 16;
const minShards = 4;
/** Enough to fill the sessions of one host, and no more than is soon answered. */
const claimsPerShard = 125;
const blockMs = 60 * 60_000;
/** A question that fails is a fault of ours; it is not asked for ever. */
const maxAttempts = 5;
/** Refused by so many workers, the refusal is the answer. */
const maxRefusals = 3;

/** Asks with the given prober, which keeps to the limits of mail hosts. */
export function claimRequests(options: ClaimRequestsOptions): ClaimRequests {
  const { self, probes, held, members, prober, sessions, onEnd, onError } = options;
  const mostUnderWay = claimsPerSession * sessions;
  const room = (): number => mostUnderWay - held.inFlight();
  const isFull = (): boolean => room() < minClaimShare * mostUnderWay;
  const refusals = createRefusalCounter();
  let answered = 0;
  const finish = createBatcher(
    async (outcomes: readonly ClaimOutcome[]) => {
      await probes.finish(self, outcomes);
      return outcomes;
    },
    { maxWaitMs: ({ claim }) => (isInteractive(claim) ? 0 : jobBatchWaitMs) },
  );
  const outcomeOf = (claim: Claim, answer: ProbeAnswer): ClaimOutcome => {
    const { rateLimitGroup: party, avoid } = claim;
    if (refusals.isBlocked(party, answer)) {
      const reply = answer.mailbox.reply?.text ?? null;
      probes.block(self, party, blockMs, reply).then(members.refresh).catch(onError);
    }
    const refused = [...avoid, self.name];
    const goesOn = isClientRefused(answer) && refused.length < maxRefusals && members.hasAlternative(party, refused);
    return goesOn ? { claim, answer: null, avoidUs: true } : { claim, answer };
  };
  const ask = async (lane: OwnedShard, claim: Claim): Promise<void> => {
    const signal = lane.begin(claim);
    try {
      const answer = await prober.probe({ ...claim.request, patient: false }, signal);
      // What ended only because we do is no answer.
      if (signal.aborted) return;
      answered++;
      await finish(outcomeOf(claim, answer));
    } catch (error) {
      // A lane that is lost is somebody else's, with all that was under way in it.
      if (signal.aborted) return;
      onError(error);
      await finish({ claim, answer: claim.attempts < maxAttempts ? null : failed }).catch(() => {});
    } finally {
      lane.end(claim);
      lane.busyAt = performance.now();
      lane.askedAt = lane.busyAt;
      if (lane.mayHaveMore && lane.inFlight.size < claimsPerShard / 2) onEnd();
    }
  };
  const more = async (shunned: readonly string[], hurry: boolean): Promise<void> => {
    const open = held.all().filter(hasRoom);
    const most = isFull() ? 0 : room();
    const next = new Set(
      most === 0 ? [] : leastRecentlyClaimed(open, Math.max(minShards, Math.ceil(most / claimsExpected))),
    );
    const wanted = hurry ? open : [...next];
    if (wanted.length === 0) return;
    for (const lane of next) lane.mayHaveMore = false;
    const wishes = {
      ...{ lease: randomUUID(), perShard: claimsPerShard, maxClaims: hurry ? Math.max(most, claimsPerShard) : most },
      excludedGroups: shunned,
      shards: wanted.map((lane) => ({ lane: lane.shard, urgency: next.has(lane) ? priorities.job : priorities.bulk })),
    };
    const claims = await probes.claim(self, wishes).catch((error: unknown) => {
      for (const lane of next) lane.mayHaveMore = true;
      throw error;
    });
    const counts = new Map<string, number>();
    for (const claim of claims) {
      counts.set(claim.shard, (counts.get(claim.shard) ?? 0) + 1);
      const lane = held.get(claim.shard);
      // A lane that was lost meanwhile took its claims with it.
      if (lane !== undefined) void ask(lane, claim);
    }
    const wasFull = (lane: OwnedShard): boolean => (counts.get(lane.shard) ?? 0) >= claimsPerShard;
    for (const lane of next) {
      lane.claimedAt = performance.now();
      if (claims.length >= wishes.maxClaims || wasFull(lane)) lane.mayHaveMore = true;
    }
  };
  const isHungry = (): boolean => !isFull() && !held.all().some(hasRoom);
  return { claimMore: more, isFull, hasCapacity: isHungry, answered: () => answered };
}

function hasRoom({ mayHaveMore, isReleasing: isLeaving, inFlight: underWay }: OwnedShard): boolean {
  return mayHaveMore && !isLeaving && underWay.size < claimsPerShard;
}

/** So many of these, of which nothing was taken for longest. */
function leastRecentlyClaimed(lanes: readonly OwnedShard[], most: number): OwnedShard[] {
  return [...lanes].sort((a, b) => a.claimedAt - b.claimedAt).slice(0, most);
}

const failed: ProbeAnswer = {
  mailbox: {
    outcome: { state: 'unknown', reason: 'exception_occurred' },
    ...{ host: null, ip: null, reply: null, rule: null, certainty: 0, retryAt: null, dialogue: [] },
  },
  catchAll: { outcome: 'not_run', source: null, reply: null },
};
