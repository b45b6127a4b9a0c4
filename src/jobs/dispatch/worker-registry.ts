import type { Cluster } from '../store/postgres/postgres-store.js';
import { readWorkersView, viewStatement, type WorkersView } from '../store/postgres/workers-view.js';

const pollMs = 1_000;
/** Workers count as gone after this time without a live one: a database outage stops all heartbeats, and workers restart. */
const goneMs = 15_000;
/** The time between two views counts up to this: a longer gap is an outage of the database. */
const maxViewMs = 2_500;

/** The live workers and their refusals, seen with each heartbeat and, while this process is busy, every second. */
export class WorkerRegistry {
  names: readonly string[] = [];
  /** The share of workers with spare capacity. */
  idleShare = 0;
  /** Whether some worker has no spare capacity. */
  hasBusy = false;
  private blocks = new Map<string, Set<string>>();
  private polling: Promise<void> | null = null;
  private emptyMs = goneMs;
  private viewedAt = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  /** Whether this process needs to know of changes soon. */
  private readonly busyChecks = new Set<() => boolean>();

  private constructor(
    private readonly database: Cluster['database'],
    private readonly onViewed: () => void,
  ) {}

  static async open({ database, heartbeat }: Cluster, onViewed: () => void): Promise<WorkerRegistry> {
    const registry = new WorkerRegistry(database, onViewed);
    heartbeat.watchWorkers((view) => registry.apply(view));
    await registry.refresh();
    registry.timer = setInterval(() => {
      if ([...registry.busyChecks].some((isBusy) => isBusy())) registry.refresh().catch(() => {});
    }, pollMs).unref();
    return registry;
  }

  /** Reads the workers every second while `isBusy` is true. */
  pollWhile(isBusy: () => boolean): void {
    this.busyChecks.add(isBusy);
  }

  hasWorkers(): boolean {
    return this.emptyMs < goneMs;
  }

  /** Whether a live worker other than these is not refused by the group. */
  hasAlternative(rateLimitGroup: string, excludedNames: readonly string[]): boolean {
    return this.names.some((name) => !excludedNames.includes(name) && !this.isRefused(name, rateLimitGroup));
  }

  /** Groups that refuse a worker. */
  refusedBy(name: string): readonly string[] {
    return [...(this.blocks.get(name) ?? [])];
  }

  /** Groups that refuse other workers, but not this one. */
  refusedOthers(name: string): readonly string[] {
    const groups = new Set([...this.blocks.values()].flatMap((refusing) => [...refusing]));
    return [...groups].filter((rateLimitGroup) => !this.isRefused(name, rateLimitGroup));
  }

  refresh(): Promise<void> {
    this.polling ??= this.poll().finally(() => {
      this.polling = null;
    });
    return this.polling;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private isRefused(name: string, rateLimitGroup: string): boolean {
    return this.blocks.get(name)?.has(rateLimitGroup) === true;
  }

  private async poll(): Promise<void> {
    const rows = await this.database.read((sql) => sql.allPrepared(viewStatement));
    this.apply(readWorkersView(rows[0]));
  }

  private apply({ workers, blocks }: WorkersView): void {
    const now = performance.now();
    this.emptyMs = workers.length > 0 ? 0 : this.emptyMs + Math.min(now - this.viewedAt, maxViewMs);
    this.viewedAt = now;
    this.names = [...new Set(workers.map(({ name }) => name))];
    this.idleShare = workers.filter(({ hasCapacity }) => hasCapacity).length / Math.max(1, workers.length);
    this.hasBusy = workers.some(({ isBusy }) => isBusy);
    this.blocks = new Map();
    for (const { worker, rateLimitGroup } of blocks) {
      this.blocks.set(worker, (this.blocks.get(worker) ?? new Set()).add(rateLimitGroup));
    }
    this.onViewed();
  }
}
