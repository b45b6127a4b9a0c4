import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { sleep, systemClock } from '../../../async/clock.js';
import { Failure } from '../../../model/failure.js';
import type { ProcessInfo, WorkerMetrics } from '../cluster-stats.js';
import type { Database, Sql } from './database.js';

/** Keeps this process visible to all others that have the store open. */
export type Heartbeat = ReturnType<typeof openHeartbeat>;

export interface HeartbeatOptions {
  processInfo?: ProcessInfo | undefined;
  beatMs?: number;
  /** The longest silence of a live process. */
  silentMs?: number;
  /** Called after each heartbeat. */
  onBeat?(): Promise<unknown>;
}

/** A live process that takes slices. */
interface Colleague {
  id: string;
  name: string;
  kind: string;
}

/** The live processes, as one heartbeat sees them. */
interface WorkersView {
  /** Those that take slices, the oldest first. */
  workers: readonly Colleague[];
  /** Rate limit groups that refuse a worker. */
  blocks: readonly { worker: string; rateLimitGroup: string }[];
}

const emptyView: WorkersView = { workers: [], blocks: [] };

/** Sends a heartbeat with the metrics of a process and reads the view, in one statement, since every process repeats it. */
const beatStatement = `WITH clock AS (SELECT mailvet.now_ms() AS now), beat AS (
    INSERT INTO mailvet.workers (id, host, pid, program, started_at, alive_until, name, source_ip, kind, works, stats)
    SELECT $1, $2, $3, $4, now, now + $5, $6, $7, $8, $9, $10 FROM clock
    ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until, works = excluded.works, stats = excluded.stats)
  SELECT (SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'kind', kind) ORDER BY started_at, id), '[]')
      FROM mailvet.workers, clock WHERE works AND alive_until > clock.now) AS workers,
    (SELECT coalesce(json_agg(json_build_object('worker', worker, 'rateLimitGroup', party)), '[]')
      FROM mailvet.blocks, clock WHERE until > clock.now) AS blocks`;

/** True if the process in `column` is dead; live processes are read once a statement. */
export const isDead = (column: string): string =>
  `((${column} NOT IN (SELECT id FROM mailvet.workers WHERE alive_until > mailvet.now_ms())) IS NOT FALSE)`;

export const defaultSilentMs = 15_000;
const defaults = { beatMs: 2_000, silentMs: defaultSilentMs };

/** Registers at the first work, and unregisters when the store is closed. */
export function openHeartbeat(database: Database, options: HeartbeatOptions = {}) {
  const { beatMs, silentMs } = { ...defaults, ...options };
  const { kind = 'command', sourceIp = null } = options.processInfo ?? {};
  const name = options.processInfo?.name ?? hostname();
  const id = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let registered: Promise<void> | null = null;
  let isBeating = false;
  let works = false;
  let readMetrics: () => WorkerMetrics | null = () => null;
  let view = emptyView;
  /** The response time of the last heartbeat. */
  let storeMs: number | null = null;

  /** The heartbeats in flight that do not wait for a lost database. */
  let beats: Promise<unknown> = Promise.resolve();
  const beat = async (maxRetryMs?: number): Promise<WorkersView> => {
    const beatWritten = database.writeRepeatable(async (sql) => {
      const startedAt = performance.now();
      const seen = await sql.get<WorkersView>(
        beatStatement,
        ...[id, hostname(), process.pid, `mailvet ${__VERSION__}`, silentMs, name, sourceIp, kind, works],
        JSON.stringify({ ...readMetrics(), storeMs }),
      );
      storeMs = performance.now() - startedAt;
      return seen ?? emptyView;
    }, maxRetryMs);
    if (maxRetryMs === 0) beats = Promise.allSettled([beats, beatWritten]);
    view = await beatWritten;
    return view;
  };
  const beatUnlessBusy = async (): Promise<void> => {
    if (isBeating) return;
    isBeating = true;
    try {
      await beat(0);
      await options.onBeat?.();
    } catch {
      // The next transaction reports the same failure.
    } finally {
      isBeating = false;
    }
  };
  const unregister = async (): Promise<void> => {
    clearInterval(timer);
    // A later heartbeat would register it again.
    await beats;
    await database
      .writeRepeatable((sql) => sql.run('DELETE FROM mailvet.workers WHERE id = $1', id), 0)
      .catch(() => {});
  };
  return {
    /** The holder of its jobs and reservations. */
    id,
    /** Stable across restarts, like the outbound address. */
    name,
    /** One heartbeat; fails if the store cannot be written in time. */
    beat,
    /** Announces whether this process takes slices. */
    announce: async (takesSlices: boolean) => {
      works = takesSlices;
      await beat(0).catch(() => {});
    },
    /** What `/metrics` shows of this process. */
    publish: (read: () => WorkerMetrics) => {
      readMetrics = read;
    },
    /** The live processes at the last heartbeat. */
    view: () => view,
    /** Other live processes that take slices. */
    colleagues: (): readonly Colleague[] => view.workers.filter((worker) => worker.id !== id),
    /** Registers the process, once; processes that only read need not. */
    register: (maxRetryMs?: number) => {
      registered ??= beat(maxRetryMs)
        .then(() => {
          timer = setInterval(() => void beatUnlessBusy(), beatMs).unref();
          return kind === 'worker' ? claimName(database, id, name, beatMs) : undefined;
        })
        .catch(async (error: unknown) => {
          await unregister();
          registered = null;
          throw error;
        });
      return registered;
    },
    close: async () => {
      if (registered !== null) await unregister();
    },
  };
}

/** A live worker sends a heartbeat within this many intervals. */
const beatsToWait = 2.5;

/**
 * Makes sure that no older live worker has the name, or throws. A dead one, as after a crash, is removed at once, so that its work
 * does not wait until it counts as dead.
 */
async function claimName(database: Database, id: string, name: string, beatMs: number): Promise<void> {
  const olderWorkers = await database.read((sql) => findOlder(sql, id, name));
  if (olderWorkers.length === 0) return;
  await sleep(systemClock, beatsToWait * beatMs);
  const current = await database.read((sql) => findOlder(sql, id, name));
  const liveWorker = current.find(({ id, aliveUntil }) =>
    olderWorkers.some((each) => each.id === id && each.aliveUntil < aliveUntil),
  );
  if (liveWorker !== undefined) {
    const location = `on ${liveWorker.host} as process ${liveWorker.pid}`;
    throw new Failure('usage', `A worker named ${name} is already running, ${location}.`, {
      hint: 'Give each worker its own name with --name, or stop the other one first.',
    });
  }
  const deadIds = olderWorkers.map(({ id }) => id);
  await database.writeRepeatable((sql) => sql.run('DELETE FROM mailvet.workers WHERE id = ANY($1)', deadIds));
}

function findOlder(sql: Sql, id: string, name: string) {
  return sql.all<{ id: string; host: string; pid: number; aliveUntil: number }>(
    `SELECT other.id, other.host, other.pid, other.alive_until FROM mailvet.workers other, mailvet.workers own
     WHERE own.id = $1 AND other.kind = 'worker' AND other.name = $2 AND other.alive_until > mailvet.now_ms()
       AND (other.started_at, other.id) < (own.started_at, own.id)`,
    id,
    name,
  );
}
