import { createBatcher } from '../../async/batcher.js';
import { type Caller, priorities } from '../../async/caller.js';
import type { Claim } from './claim-table.js';
import { isSharedShard } from './shard-of.js';
import type { ShardTable, WorkerView } from './shard-table.js';

/** How long a lease is valid after its renewal. */
const leaseMs = 15_000;
const renewMs = 2_000;
/** How long an idle shard is kept: until its sessions are closed (1 s idle, 1.5 s for QUIT), before the next owner opens its own. */
const lingerMs = 3_000;
/** The longest time without a renewal: all sessions must be closed before the lease expires. */
const giveUpMs = 8_000;
/** A shard that waits longer without an owner was missed by the queue. */
const unownedMs = 1_500;
const requestMs = 1_000;
const releaseMs = 100;
/** Minimum time between two hand-overs, so that the first has taken effect. */
const handOverMs = 1_500;

interface FindOptions {
  /** Only shards that not every worker may probe. */
  onlyPinned: boolean;
  /** There are other workers: request shards from them. */
  hasOthers: boolean;
}

/** Acquires, renews and releases the leases of one worker. */
export class ShardLeases {
  private renewedAt = performance.now();
  private isRenewing = false;
  private releasedAt = 0;
  private requestedAt = Number.NEGATIVE_INFINITY;
  private handedOverAt = Number.NEGATIVE_INFINITY;
  private readonly timer: NodeJS.Timeout;
  private readonly acquireLease;

  constructor(
    private readonly table: ShardTable,
    private readonly owned: OwnedShards,
  ) {
    this.acquireLease = createBatcher(async (requested: readonly string[]) => {
      const startedAt = performance.now();
      const acquired = new Set(await table.acquire([...new Set(requested)], leaseMs));
      // After a suspension of the process, the new lease may have expired, too.
      const isLate = performance.now() - startedAt >= giveUpMs;
      return requested.map((shard) => acquired.has(shard) && !isLate);
    });
    this.timer = setInterval(() => this.giveUpIfLate(), 200).unref();
  }

  /** Acquires the shard unless it is owned already; null if another worker owns it. */
  async acquire(shard: string): Promise<OwnedShard | null> {
    return this.owned.get(shard) ?? ((await this.acquireLease(shard)) ? this.owned.add(shard) : null);
  }

  /** Renews leases when it is time; a shard whose lease is gone is removed with its claims. */
  async renew(): Promise<void> {
    const startedAt = performance.now();
    if (this.isRenewing || startedAt - this.renewedAt < renewMs) return;
    this.isRenewing = true;
    // After a suspension of the process, expired leases must not be renewed.
    this.giveUpIfLate();
    const leased = this.owned.leased();
    const names = leased.map(({ shard }) => shard);
    try {
      const renewed = names.length === 0 ? new Map<string, boolean>() : await this.table.renew(names, leaseMs);
      for (const shard of leased) {
        const isRequested = renewed.get(shard.shard);
        if (isRequested === undefined) this.dropShard(shard);
        else if (isRequested) shard.isReleasing = true;
      }
      this.renewedAt = startedAt;
    } finally {
      this.isRenewing = false;
    }
  }

  /** Releases shards that are idle, or that another worker needs. */
  async releaseIdle(): Promise<void> {
    const now = performance.now();
    if (now - this.releasedAt < releaseMs) return;
    this.releasedAt = now;
    const idleBefore = now - lingerMs;
    const idle = this.owned.all().filter(({ inFlight, isReleasing, mayHaveMore, askedAt, busyAt }) => {
      // A shard that is handed over waits only for its sessions to close.
      return inFlight.size === 0 && (isReleasing ? askedAt < idleBefore : !mayHaveMore && busyAt < idleBefore);
    });
    const leased = idle.filter(({ isLeased }) => isLeased).map(({ shard }) => shard);
    if (leased.length > 0) await this.table.release(leased);
    for (const shard of idle) this.owned.remove(shard);
  }

  /** Waiting shards without an owner, at most `maxShards`. */
  async findUnowned(view: WorkerView, maxShards: number, { onlyPinned, hasOthers }: FindOptions): Promise<string[]> {
    if (hasOthers && performance.now() - this.requestedAt >= requestMs) {
      this.requestedAt = performance.now();
      await this.table.requestHandOver(view, unownedMs);
    }
    // The order is random, since all workers find the same shards.
    const waiting = await this.table.findWaiting(view, unownedMs, onlyPinned);
    const ranked = waiting.map((shard) => ({ shard, rank: Math.random() })).sort((a, b) => a.rank - b.rank);
    return ranked.slice(0, maxShards).map(({ shard }) => shard);
  }

  /** Hands a share of the busy shards over to other workers. */
  handOver(share: number): void {
    if (performance.now() - this.handedOverAt < handOverMs) return;
    this.handedOverAt = performance.now();
    const busy = this.owned.leased().filter(({ mayHaveMore, isReleasing }) => mayHaveMore && !isReleasing);
    busy.sort((a, b) => a.inFlight.size - b.inFlight.size || a.askedAt - b.askedAt);
    for (const shard of busy.slice(0, Math.floor(share * busy.length))) shard.isReleasing = true;
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Drops all shards when their leases may have expired, because other workers may own them. */
  private giveUpIfLate(): void {
    if (performance.now() - this.renewedAt < giveUpMs) return;
    for (const shard of this.owned.leased()) this.dropShard(shard);
  }

  private dropShard(shard: OwnedShard): void {
    shard.inFlight.clear();
    this.owned.remove(shard);
  }
}

/** A shard that this worker probes in. */
export class OwnedShard {
  /** Shared shards have no owner and need no lease. */
  readonly isLeased: boolean;
  readonly inFlight = new Map<number, Claim>();
  /** Resolves when the shard is released. */
  readonly released: Promise<void>;
  /** True if there may be probes to claim. */
  mayHaveMore = true;
  /** True if nothing more is claimed: another worker needs the shard, or this one stops. */
  isReleasing = false;
  /** When there was last something to do. */
  busyAt = performance.now();
  /** When a mail host of the shard was last asked. */
  askedAt = Number.NEGATIVE_INFINITY;
  claimedAt = Number.NEGATIVE_INFINITY;
  private readonly controller = new AbortController();
  private resolveReleased: () => void = () => {};

  constructor(readonly shard: string) {
    this.isLeased = !isSharedShard(shard);
    this.released = new Promise((resolve) => {
      this.resolveReleased = resolve;
    });
  }

  /** Registers a claim and returns its caller, whose signal aborts when the shard is lost. */
  begin(claim: Claim): Caller & { signal: AbortSignal } {
    const { id, requester, priority } = claim;
    this.inFlight.set(id, claim);
    const { signal } = this.controller;
    return { priority: priorities[priority] ?? 'job', owner: requester, taskId: requester, signal };
  }

  end({ id }: Claim): void {
    this.inFlight.delete(id);
  }

  stop(): void {
    this.controller.abort(new Error('Another worker owns the shard.'));
  }

  markReleased(): void {
    this.stop();
    this.resolveReleased();
  }
}

export class OwnedShards {
  private readonly shards = new Map<string, OwnedShard>();

  get(shard: string): OwnedShard | undefined {
    return this.shards.get(shard);
  }

  all(): OwnedShard[] {
    return [...this.shards.values()];
  }

  leased(): OwnedShard[] {
    return this.all().filter(({ isLeased }) => isLeased);
  }

  /** Adds an acquired or a shared shard. */
  add(shard: string): OwnedShard {
    const owned = this.shards.get(shard);
    if (owned !== undefined) return owned;
    const newShard = new OwnedShard(shard);
    this.shards.set(shard, newShard);
    return newShard;
  }

  remove(owned: OwnedShard): void {
    if (this.shards.get(owned.shard) === owned) this.shards.delete(owned.shard);
    owned.markReleased();
  }

  /** Claims in flight. */
  inFlight(): number {
    let sum = 0;
    for (const { inFlight } of this.shards.values()) sum += inFlight.size;
    return sum;
  }

  claims(): Claim[] {
    return this.all().flatMap(({ inFlight }) => [...inFlight.values()]);
  }
}
