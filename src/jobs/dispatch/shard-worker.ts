import { sleep, systemClock } from '../../async/clock.js';
import { createSignal } from '../../async/signal.js';
import type { Prober } from '../../net/probe/prober.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import type { ShardQueue } from './bullmq-queue.js';
import { interactiveChannel, parseMessage, shardsChannel } from './channels.js';
import { ClaimTable } from './claim-table.js';
import { RequestClaimer } from './request-claimer.js';
import { OwnedShards, ShardLeases } from './shard-leases.js';
import { isSharedShard, shardCount } from './shard-of.js';
import { ShardTable, type WorkerView } from './shard-table.js';
import type { WorkerRegistry } from './worker-registry.js';

interface ShardWorkerOptions {
  cluster: Cluster;
  queue: ShardQueue;
  registry: WorkerRegistry;
  prober: Prober;
  /** Sessions of the prober. */
  sessions: number;
  onError(failure: unknown): void;
  /** Called when shards of another worker are taken over. */
  onNote(text: string): void;
}

const pollMs = 1_000;
/** The poll interval of an idle worker: notifications announce new probes. */
const idlePollMs = 10_000;
const idleAfterMs = 5_000;
/** The poll interval while another worker is busy and this one has capacity. */
const capacityPollMs = 250;
/** The interval between two searches for claims that a broken connection lost. */
const orphansMs = 5_000;
const minShards = 32;
const stepMs = 200;
const drainMs = 8_000;

/** A worker of the cluster: acquires shards and probes their mailboxes until it is stopped. */
export class ShardWorker {
  private readonly name: string;
  private readonly table: ClaimTable;
  private readonly owned = new OwnedShards();
  private readonly leases: ShardLeases;
  private readonly signal = createSignal(systemClock);
  private readonly requests: RequestClaimer;
  private readonly serving;
  private readonly renewTimer: NodeJS.Timeout;
  private readonly running: Promise<void>;
  private isStopping = false;
  private acquiring = 0;
  private hasInteractive = false;
  private reportedError = '';
  private stopBy = Number.POSITIVE_INFINITY;
  private polledAt = Number.NEGATIVE_INFINITY;
  private orphansAt = Number.NEGATIVE_INFINITY;
  private notifiedAt = performance.now();

  constructor(private readonly options: ShardWorkerOptions) {
    const { cluster, queue, registry, prober, sessions, onError, onNote } = options;
    const { database, heartbeat, listener } = cluster;
    this.name = heartbeat.name;
    this.table = new ClaimTable(database, heartbeat);
    this.leases = new ShardLeases(new ShardTable(database, heartbeat, onNote), this.owned);
    const { name, table, owned } = this;
    const onRoom = this.signal.notify;
    this.requests = new RequestClaimer({ name, table, owned, registry, prober, sessions, onRoom, onError });
    listener.subscribe(shardsChannel, (message) => this.onShardsNotified(message));
    listener.subscribe(interactiveChannel, () => this.onInteractive());
    registry.pollWhile(() => !this.isIdle());
    this.serving = queue.serve((shard) => this.serve(shard), this.maxShards());
    // A separate timer: leases are renewed even while claims are slow.
    this.renewTimer = setInterval(() => void this.leases.renew().catch(() => {}), stepMs).unref();
    this.running = this.run();
  }

  /** Finishes or returns the claims, and releases all shards. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.releaseAll();
    const drainUntil = performance.now() + drainMs;
    this.stopBy = drainUntil + drainMs / 2;
    while (this.owned.inFlight() > 0 && performance.now() < drainUntil) await sleep(systemClock, stepMs / 4);
    const unfinished = this.owned.claims().map((claim) => ({ claim, answer: null }));
    for (const shard of this.owned.all()) shard.stop();
    if (unfinished.length > 0) await this.table.finish(unfinished).catch(this.options.onError);
    this.signal.notify();
    await this.running;
    clearInterval(this.renewTimer);
    this.leases.close();
    await this.serving.stop();
    this.options.cluster.heartbeat.publish(null);
    await this.table.retire().catch(() => {});
  }

  private async run(): Promise<void> {
    while (!this.isStopping || (this.hasShards() && performance.now() < this.stopBy)) {
      try {
        await this.step();
      } catch (error) {
        // The store reports an unreachable database; interactive probes are claimed after it.
        if (!this.options.cluster.database.isRetryable(error)) this.reportOnce(error);
        this.hasInteractive = true;
        await sleep(systemClock, 2 * stepMs * (0.5 + Math.random()));
      }
      await this.signal.wait(stepMs);
    }
  }

  /** A step is repeated every few hundred milliseconds, so a permanent error is reported once. */
  private reportOnce(error: unknown): void {
    if (String(error) === this.reportedError) return;
    this.reportedError = String(error);
    this.options.onError(error);
  }

  private async step(): Promise<void> {
    const forInteractive = this.hasInteractive;
    this.hasInteractive = false;
    if (!this.isStopping) await this.requests.claimMore(this.view().excludedGroups, forInteractive);
    // A shard may have been acquired meanwhile.
    else this.releaseAll();
    await this.leases.releaseIdle();
    if (!this.isStopping) await this.poll();
  }

  private releaseAll(): void {
    for (const shard of this.owned.all()) shard.isReleasing = true;
  }

  private hasShards(): boolean {
    return this.acquiring > 0 || this.owned.all().length > 0;
  }

  /** An equal share of all shards, so that workers that start later find some. */
  private maxShards(): number {
    return Math.max(minShards, Math.ceil(shardCount / Math.max(1, this.options.registry.names.length)));
  }

  private onInteractive(): void {
    this.notifiedAt = performance.now();
    this.hasInteractive = true;
    this.signal.notify();
  }

  /** A null message means that notifications may have been missed. */
  private onShardsNotified(message: string | null): void {
    this.notifiedAt = performance.now();
    const shards = message === null ? this.owned.all().map(({ shard }) => shard) : parseMessage(message);
    for (const shard of shards) {
      const owned =
        this.owned.get(shard) ?? (isSharedShard(shard) && !this.isStopping ? this.owned.add(shard) : undefined);
      if (owned !== undefined) owned.mayHaveMore = true;
    }
  }

  /** Acquires a shard and resolves when it is released. */
  private async serve(shard: string): Promise<void> {
    const { owned } = this;
    if (this.isStopping || (owned.get(shard) === undefined && owned.leased().length >= this.maxShards())) return;
    this.acquiring++;
    const acquired = await this.leases.acquire(shard).finally(() => this.acquiring--);
    if (acquired === null) return;
    acquired.mayHaveMore = true;
    // The shard may have interactive probes, which are claimed even if there is no room for jobs.
    this.onInteractive();
    await acquired.released;
  }

  /** Finds shards that the queue missed, shares work with other workers, and reports. */
  private async poll(): Promise<void> {
    const { registry, onError } = this.options;
    const hasCapacity = this.requests.hasCapacity();
    const busyPollMs = hasCapacity && registry.hasBusy ? capacityPollMs : pollMs;
    if (performance.now() - this.polledAt < (this.isIdle() ? idlePollMs : busyPollMs)) return;
    this.polledAt = performance.now();
    this.publish(hasCapacity);
    this.serving.limit(this.maxShards());
    const idleShare = this.requests.isFull() ? registry.idleShare : 0;
    const options = { onlyPinned: idleShare > 0, hasOthers: !this.isIdle() };
    for (const shard of await this.leases.findUnowned(this.view(), this.maxShards(), options)) {
      if (isSharedShard(shard)) this.owned.add(shard).mayHaveMore = true;
      else this.serve(shard).catch(onError);
    }
    if (idleShare > 0) this.leases.handOver(idleShare);
    if (performance.now() - this.orphansAt >= orphansMs && !this.isIdle()) {
      this.orphansAt = performance.now();
      await this.table.releaseOrphans(this.owned.claims());
    }
  }

  private publish(hasCapacity: boolean): void {
    const { owned, requests } = this;
    const answered = requests.answerCount;
    const { hosts = {}, exceptions = 0 } = this.options.prober.stats?.() ?? {};
    const metrics = { claimed: requests.claimCount, exceptions, hosts };
    const stats = { shards: owned.leased().length, probes: owned.inFlight(), answered, hasCapacity, metrics };
    this.options.cluster.heartbeat.publish(stats);
  }

  /** Whether there is nothing to do until the next notification. */
  private isIdle(): boolean {
    const hasNews = performance.now() - this.notifiedAt < idleAfterMs;
    return !hasNews && !this.options.registry.hasBusy && this.owned.all().length === 0;
  }

  private view(): WorkerView {
    const { registry } = this.options;
    const { name } = this;
    return {
      excludedGroups: registry.refusedBy(name).filter((group) => registry.hasAlternative(group, [name])),
      refusedOthers: registry.refusedOthers(name),
    };
  }
}
