import type { Cluster } from '../store/postgres/postgres-store.js';
import { readText } from '../store/records.js';

const pollMs = 1_000;
/** Polls without workers before they count as gone: a database outage stops all heartbeats, and workers restart. */
const pollsUntilGone = 15;

/** The live workers and their refusals, polled at once and then every second. A failed poll keeps the last state. */
export class WorkerRegistry {
  names: readonly string[] = [];
  /** The share of workers with spare capacity. */
  idleShare = 0;
  /** Whether some worker has no spare capacity. */
  hasBusy = false;
  private blocks = new Map<string, Set<string>>();
  private polling: Promise<void> | null = null;
  private pollsWithoutWorkers = pollsUntilGone;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly database: Cluster['database'],
    private readonly onPolled: () => void,
  ) {}

  static async open({ database }: Cluster, onPolled: () => void): Promise<WorkerRegistry> {
    const registry = new WorkerRegistry(database, onPolled);
    await registry.refresh();
    registry.timer = setInterval(() => void registry.refresh().catch(() => {}), pollMs).unref();
    return registry;
  }

  hasWorkers(): boolean {
    return this.pollsWithoutWorkers < pollsUntilGone;
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
    const { workers, blocks } = await this.database.read(async (sql) => ({
      workers: await sql.all(
        `SELECT name, hungry, probes > 0 AND NOT hungry AS busy FROM mailvet.workers
         WHERE takes_lanes AND alive_until > mailvet.now_ms()`,
      ),
      blocks: await sql.all('SELECT worker, party FROM mailvet.blocks WHERE until > mailvet.now_ms()'),
    }));
    this.names = [...new Set(workers.map((row) => readText(row, 'name')))];
    this.idleShare = workers.filter((row) => row['hungry'] === true).length / Math.max(1, workers.length);
    this.hasBusy = workers.some((row) => row['busy'] === true);
    this.pollsWithoutWorkers = this.names.length > 0 ? 0 : this.pollsWithoutWorkers + 1;
    this.blocks = new Map();
    for (const row of blocks) {
      const worker = readText(row, 'worker');
      this.blocks.set(worker, (this.blocks.get(worker) ?? new Set()).add(readText(row, 'party')));
    }
    this.onPolled();
  }
}
