import { randomUUID } from 'node:crypto';
import { createBatcher } from '../../async/batcher.js';
import { LruMap } from '../../async/lru-map.js';
import type { ProbeAnswer, Prober } from '../../net/probe/prober.js';
import { jobBatchMs } from './channels.js';
import type { Claim, ClaimOutcome, ClaimTable } from './claim-table.js';
import { isInteractive, priorities } from './request-table.js';
import type { OwnedShard, OwnedShards } from './shard-leases.js';
import type { WorkerRegistry } from './worker-registry.js';

interface RequestClaimerOptions {
  name: string;
  table: ClaimTable;
  owned: OwnedShards;
  registry: WorkerRegistry;
  prober: Prober;
  /** Sessions of the prober. */
  sessions: number;
  /** Called when a shard has room for more claims. */
  onRoom(): void;
  onError(failure: unknown): void;
}

/** A few seconds of work for each session: an idle worker cannot take what another has claimed. */
const claimsPerSession = 50;
/** Claim only when at least this fraction of `maxInFlight` is free. */
const minClaimShare = 1 / 4;
/** Assumed probes per shard; limits how many shards one query claims from. */
const expectedPerShard = 16;
const minShards = 4;
/** Claims of one shard: enough to keep the sessions of a host busy, and few enough to be answered soon. */
const claimsPerShard = 125;
const blockMs = 60 * 60_000;
/** A probe that throws is a bug, so it is retried only this often. */
const maxAttempts = 5;
/** After refusals of this many workers, the refusal is the answer. */
const maxRefusals = 3;

/** Claims probes of the owned shards, runs them, and writes their outcomes. */
export class RequestClaimer {
  private readonly maxInFlight: number;
  private readonly refusals = new RefusalCounter();
  private readonly finish;
  private answers = 0;
  private claims = 0;

  constructor(private readonly options: RequestClaimerOptions) {
    const { table, sessions } = options;
    this.maxInFlight = claimsPerSession * sessions;
    const finishAll = async (outcomes: readonly ClaimOutcome[]) => {
      await table.finish(outcomes);
      return outcomes;
    };
    // A user does not wait for the large batch of a job.
    const finishNow = createBatcher(finishAll);
    const finishLater = createBatcher(finishAll, { maxWaitMs: () => jobBatchMs(options.registry) });
    this.finish = (outcome: ClaimOutcome) => (isInteractive(outcome.claim) ? finishNow : finishLater)(outcome);
  }

  get answerCount(): number {
    return this.answers;
  }

  get claimCount(): number {
    return this.claims;
  }

  /** Whether enough probes are in flight. */
  isFull(): boolean {
    return this.room() < minClaimShare * this.maxInFlight;
  }

  /** Whether there is room while no owned shard has more to claim. */
  hasCapacity(): boolean {
    return !this.isFull() && !this.options.owned.all().some(hasRoom);
  }

  /** Claims as many as there is room for; with `forInteractive`, interactive probes in any case. */
  async claimMore(excludedGroups: readonly string[], forInteractive: boolean): Promise<void> {
    const { owned, table } = this.options;
    const available = owned.all().filter(hasRoom);
    const room = this.isFull() ? 0 : this.room();
    const next = new Set(room === 0 ? [] : leastRecentlyClaimed(available, Math.ceil(room / expectedPerShard)));
    const requested = forInteractive ? available : [...next];
    if (requested.length === 0) return;
    for (const shard of next) shard.mayHaveMore = false;
    const maxClaims = forInteractive ? Math.max(room, claimsPerShard) : room;
    const shards = requested.map((each) => ({
      shard: each.shard,
      priority: next.has(each) ? priorities.job : priorities.bulk,
    }));
    const claiming = table.claim({
      lease: randomUUID(),
      perShard: claimsPerShard,
      maxClaims,
      excludedGroups,
      shards,
    });
    const claims = await claiming.catch((error: unknown) => {
      for (const shard of next) shard.mayHaveMore = true;
      throw error;
    });
    this.claims += claims.length;
    const counts = this.start(claims);
    for (const shard of next) {
      shard.claimedAt = performance.now();
      const isShardLimit = (counts.get(shard.shard) ?? 0) >= claimsPerShard;
      if (claims.length >= maxClaims || isShardLimit) shard.mayHaveMore = true;
    }
  }

  private room(): number {
    return this.maxInFlight - this.options.owned.inFlight();
  }

  /** Starts the claims; returns how many each shard had. */
  private start(claims: readonly Claim[]): Map<string, number> {
    const counts = new Map<string, number>();
    for (const claim of claims) {
      counts.set(claim.shard, (counts.get(claim.shard) ?? 0) + 1);
      const shard = this.options.owned.get(claim.shard);
      // The claims of a shard that was lost meanwhile are lost with it.
      if (shard !== undefined) void this.run(shard, claim);
    }
    return counts;
  }

  private async run(shard: OwnedShard, claim: Claim): Promise<void> {
    const { prober, onRoom, onError } = this.options;
    const caller = shard.begin(claim);
    const { signal } = caller;
    try {
      const answer = await prober.probe({ ...claim.request, patient: false }, caller);
      // An answer cut short by our own shutdown does not count.
      if (signal.aborted) return;
      this.answers++;
      await this.finish(this.outcomeOf(claim, answer));
    } catch (error) {
      // Another worker owns the shard now, with all its claims.
      if (signal.aborted) return;
      onError(error);
      await this.finish({ claim, answer: claim.attempts < maxAttempts ? null : exceptionAnswer }).catch(() => {});
    } finally {
      shard.end(claim);
      shard.busyAt = performance.now();
      shard.askedAt = shard.busyAt;
      if (shard.mayHaveMore && shard.inFlight.size < claimsPerShard / 2) onRoom();
    }
  }

  /** The answer, or a hand-over to another worker if the host refuses this one. */
  private outcomeOf(claim: Claim, answer: ProbeAnswer): ClaimOutcome {
    const { name, table, registry, onError } = this.options;
    const { rateLimitGroup, avoid } = claim;
    if (this.refusals.recordAnswer(rateLimitGroup, answer) === 'blocked') {
      const reply = answer.mailbox.reply?.text ?? null;
      table
        .block(rateLimitGroup, blockMs, reply)
        .then(() => registry.refresh())
        .catch(onError);
    }
    const refused = [...avoid, name];
    const canRetry = refused.length < maxRefusals && registry.hasAlternative(rateLimitGroup, refused);
    return isClientRefused(answer) && canRetry ? { claim, answer: null, excludeThisWorker: true } : { claim, answer };
  }
}

function hasRoom({ mayHaveMore, isReleasing, inFlight }: OwnedShard): boolean {
  return mayHaveMore && !isReleasing && inFlight.size < claimsPerShard;
}

function leastRecentlyClaimed(shards: readonly OwnedShard[], count: number): OwnedShard[] {
  return [...shards].sort((a, b) => a.claimedAt - b.claimedAt).slice(0, Math.max(minShards, count));
}

const exceptionAnswer: ProbeAnswer = {
  mailbox: {
    outcome: { state: 'unknown', reason: 'exception_occurred' },
    host: null,
    ip: null,
    reply: null,
    rule: null,
    certainty: 0,
    retryAt: null,
    dialogue: [],
  },
  catchAll: { outcome: 'not_run', source: null, reply: null },
};

/** Refusals in a row that count as a block. */
const refusalsUntilBlocked = 3;
/** A vague reply does not prove a block. */
const minCertainty = 0.7;

/** Whether the mail server refuses this client, not the mailbox. */
export function isClientRefused({ mailbox: { outcome, certainty } }: ProbeAnswer): boolean {
  return outcome.state === 'unknown' && outcome.reason === 'antispam_system' && certainty >= minCertainty;
}

const maxGroups = 10_000;

/** Counts refusals in a row for each rate limit group. */
export class RefusalCounter {
  private readonly consecutiveRefusals = new LruMap<number>({ maxEntries: maxGroups });

  /** `blocked` if the group has refused often enough to be left to other workers. */
  recordAnswer(rateLimitGroup: string, answer: ProbeAnswer): 'blocked' | 'open' {
    if (!isClientRefused(answer)) {
      // An unknown answer does not reset the count.
      if (answer.mailbox.outcome.state !== 'unknown') this.consecutiveRefusals.delete(rateLimitGroup);
      return 'open';
    }
    const count = (this.consecutiveRefusals.get(rateLimitGroup) ?? 0) + 1;
    this.consecutiveRefusals.set(rateLimitGroup, count);
    return count >= refusalsUntilBlocked ? 'blocked' : 'open';
  }
}
