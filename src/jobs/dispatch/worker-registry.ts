import type { Cluster } from '../store/postgres/postgres-store.js';
import { text } from '../store/records.js';

/** Who takes lanes, and who was refused where, as of a moment ago. */
export interface WorkerRegistry {
  hasWorkers(): boolean;
  /** The names of all workers that are alive. */
  names(): readonly string[];
  /** Which part of all workers could do more than they find. */
  idleShare(): number;
  /** Some worker finds enough to do. */
  hasBusy(): boolean;
  /** Some worker that is alive, is not one of these, and was not refused there. */
  hasAlternative(party: string, except: readonly string[]): boolean;
  /** Parties that refused the worker of that name. */
  refusedBy(name: string): readonly string[];
  /** Parties that refused some worker, but not that one. */
  refusedOthers(name: string): readonly string[];
  /** Looks again now. */
  refresh(): Promise<void>;
  close(): void;
}

const lookMs = 1_000;
/** A database that went away takes every sign of life with it, and workers that are started anew are away for a moment. */
const pollsUntilGone = 15;

/** Looks at once, and then again and again; a look that fails leaves what was known. */
export async function openWorkerRegistry(
  { database }: Cluster,
  onLook: () => void = () => {},
): Promise<WorkerRegistry> {
  let names: string[] = [];
  let hungryPart = 0;
  let hasBusy = false;
  let blocks = new Map<string, Set<string>>();
  let looking: Promise<void> | null = null;
  let looksWithout = pollsUntilGone;

  const look = async (): Promise<void> => {
    const found = await database.read(async (sql) => ({
      workers: await sql.all(
        `SELECT name, hungry, probes > 0 AND NOT hungry AS busy FROM mailvet.workers
         WHERE takes_lanes AND alive_until > mailvet.now_ms()`,
      ),
      blocks: await sql.all('SELECT worker, party FROM mailvet.blocks WHERE until > mailvet.now_ms()'),
    }));
    names = [...new Set(found.workers.map((row) => text(row, 'name')))];
    const hungry = found.workers.filter((row) => row['hungry'] === true);
    hungryPart = hungry.length / Math.max(1, found.workers.length);
    hasBusy = found.workers.some((row) => row['busy'] === true);
    looksWithout = names.length > 0 ? 0 : looksWithout + 1;
    blocks = new Map();
    for (const row of found.blocks) {
      const worker = text(row, 'worker');
      blocks.set(worker, (blocks.get(worker) ?? new Set()).add(text(row, 'party')));
    }
    onLook();
  };
  const refresh = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };
  await refresh();
  const timer = setInterval(() => void refresh().catch(() => {}), lookMs).unref();
  const isRefused = (name: string, party: string): boolean => blocks.get(name)?.has(party) === true;
  return {
    hasWorkers: () => looksWithout < pollsUntilGone,
    names: () => names,
    idleShare: () => hungryPart,
    hasBusy: () => hasBusy,
    hasAlternative: (party, except) => names.some((name) => !except.includes(name) && !isRefused(name, party)),
    refusedBy: (name) => [...(blocks.get(name) ?? [])],
    refusedOthers: (name) =>
      [...new Set([...blocks].flatMap(([worker, parties]) => (worker === name ? [] : [...parties])))].filter(
        (party) => !isRefused(name, party),
      ),
    refresh,
    close: () => clearInterval(timer),
  };
}
