import { type Caller, priorities } from '../../async/caller.js';
import type { Claim } from './claim-table.js';
import { isSharedShard } from './shard-of.js';

/** The probes of one requester in a shard, stopped together. */
interface RequesterProbes {
  controller: AbortController;
  count: number;
}

/** A shard that this worker probes in. */
export class OwnedShard {
  /** Shared shards have no owner and need no lease. */
  readonly isLeased: boolean;
  readonly inFlight = new Map<number, Claim>();
  /** Resolves when the shard is released. */
  readonly released: Promise<void>;
  /** There may be probes to claim. */
  mayHaveMore = true;
  /** Nothing more is claimed: another worker needs the shard, or this one stops. */
  isReleasing = false;
  /** When there was last something to do. */
  busyAt = performance.now();
  /** When a mail host of the shard was last asked. */
  askedAt = Number.NEGATIVE_INFINITY;
  /** When probes were last claimed. */
  claimedAt = Number.NEGATIVE_INFINITY;
  private readonly requesters = new Map<string, RequesterProbes>();
  private resolveReleased: () => void = () => {};

  constructor(readonly shard: string) {
    this.isLeased = !isSharedShard(shard);
    this.released = new Promise((resolve) => {
      this.resolveReleased = resolve;
    });
  }

  /** Registers a claim, and gives its caller, whose signal aborts when the shard is lost. */
  begin(claim: Claim): Caller & { signal: AbortSignal } {
    const { id, requester, priority } = claim;
    this.inFlight.set(id, claim);
    const probes = this.requesters.get(requester) ?? { controller: new AbortController(), count: 0 };
    if (probes.count++ === 0) this.requesters.set(requester, probes);
    const { signal } = probes.controller;
    return { priority: priorities[priority] ?? 'job', owner: requester, work: requester, signal };
  }

  end({ id, requester }: Claim): void {
    this.inFlight.delete(id);
    const probes = this.requesters.get(requester);
    if (probes !== undefined && --probes.count === 0) this.requesters.delete(requester);
  }

  /** Aborts all probes. */
  stop(): void {
    const reason = new Error('Another worker owns the shard.');
    for (const { controller } of this.requesters.values()) controller.abort(reason);
    this.requesters.clear();
  }

  markReleased(): void {
    this.stop();
    this.resolveReleased();
  }
}

/** The shards of one worker. */
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
    const known = this.shards.get(shard);
    if (known !== undefined) return known;
    const added = new OwnedShard(shard);
    this.shards.set(shard, added);
    return added;
  }

  /** Removes a shard and aborts its probes. */
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
