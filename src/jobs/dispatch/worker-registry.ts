import type { Cluster } from '../store/postgres/postgres-store.js';
import { text } from '../store/records.js';

/** The live workers and their refusals, polled every second. */
export interface WorkerRegistry {
  hasWorkers(): boolean;
  /** The names of live workers. */
  names(): readonly string[];
  /** The share of workers with spare capacity. */
  idleShare(): number;
  /** Whether some worker has no spare capacity. */
  hasBusy(): boolean;
  /** Whether a live worker other than these is not refused by the group. */
  hasAlternative(rateLimitGroup: string, except: readonly string[]): boolean;
  /** Groups that refuse a worker. */
  refusedBy(name: string): readonly string[];
  /** Groups that refuse other workers, but not this one. */
  refusedOthers(name: string): readonly string[];
  /** Polls now. */
  refresh(): Promise<void>;
  close(): void;
}

const pollMs = 1_000;
/** Polls without workers before they count as gone: a database outage stops all heartbeats, and workers restart. */
const pollsUntilGone = 15;

/** Polls at once and then every second; a failed poll keeps the last state. */
export async function openWorkerRegistry(
  { database }: Cluster,
  onPolled: () => void = () => {},
): Promise<WorkerRegistry> {
  let names: string[] = [];
  let idleShare = 0;
  let hasBusy = false;
  let blocks = new Map<string, Set<string>>();
  let polling: Promise<void> | null = null;
  let pollsWithoutWorkers = pollsUntilGone;

  const poll = async (): Promise<void> => {
    const found = await database.read(async (sql) => ({
      workers: await sql.all(
        `SELECT name, hungry, probes > 0 AND NOT hungry AS busy FROM mailvet.workers
         WHERE takes_lanes AND alive_until > mailvet.now_ms()`,
      ),
      blocks: await sql.all('SELECT worker, party FROM mailvet.blocks WHERE until > mailvet.now_ms()'),
    }));
    names = [...new Set(found.workers.map((row) => text(row, 'name')))];
    const hasCapacity = found.workers.filter((row) => row['hungry'] === true);
    idleShare = hasCapacity.length / Math.max(1, found.workers.length);
    hasBusy = found.workers.some((row) => row['busy'] === true);
    pollsWithoutWorkers = names.length > 0 ? 0 : pollsWithoutWorkers + 1;
    blocks = new Map();
    for (const row of found.blocks) {
      const worker = text(row, 'worker');
      blocks.set(worker, (blocks.get(worker) ?? new Set()).add(text(row, 'party')));
    }
    onPolled();
  };
  const refresh = (): Promise<void> => {
    polling ??= poll().finally(() => {
      polling = null;
    });
    return polling;
  };
  await refresh();
  const timer = setInterval(() => void refresh().catch(() => {}), pollMs).unref();
  const isRefused = (name: string, rateLimitGroup: string): boolean => blocks.get(name)?.has(rateLimitGroup) === true;
  return {
    hasWorkers: () => pollsWithoutWorkers < pollsUntilGone,
    names: () => names,
    idleShare: () => idleShare,
    hasBusy: () => hasBusy,
    hasAlternative: (rateLimitGroup, except) =>
      names.some((name) => !except.includes(name) && !isRefused(name, rateLimitGroup)),
    refusedBy: (name) => [...(blocks.get(name) ?? [])],
    refusedOthers: (name) =>
      [...new Set([...blocks].flatMap(([worker, parties]) => (worker === name ? [] : [...parties])))].filter(
        (rateLimitGroup) => !isRefused(name, rateLimitGroup),
      ),
    refresh,
    close: () => clearInterval(timer),
  };
}
