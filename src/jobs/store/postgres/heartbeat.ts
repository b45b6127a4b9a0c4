import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { sleep, systemClock } from '../../../async/clock.js';
import { Failure } from '../../../model/failure.js';
import type { ProcessInfo, WorkerMetrics } from '../cluster-stats.js';
import { readNumber, readText } from '../records.js';
import type { Database, Sql } from './database.js';
import { beatStatement, type Colleague, readWorkersView, type WorkersView } from './workers-view.js';

/** Keeps this process visible to all others that have the store open. */
export type Heartbeat = ReturnType<typeof openHeartbeat>;

export interface HeartbeatOptions {
  processInfo?: ProcessInfo;
  beatMs?: number;
  /** The longest silence of a live process. */
  silentMs?: number;
  /** Called after each heartbeat; `hasDead`: some process has been silent for too long. */
  onBeat?(hasDead: boolean): Promise<unknown>;
}

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
  const info: Required<ProcessInfo> = { kind, name, sourceIp };
  const id = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let registered: Promise<void> | null = null;
  let isBeating = false;
  let works = false;
  let readMetrics: () => WorkerMetrics | null = () => null;
  let view: WorkersView = { workers: [], blocks: [], hasDead: false };
  /** The response time of the last heartbeat. */
  let storeMs: number | null = null;

  /** The heartbeats in flight that do not wait for a lost database. */
  let beats: Promise<unknown> = Promise.resolve();
  const beat = async (maxRetryMs?: number): Promise<WorkersView> => {
    const beatWritten = database.runRepeatable(async (sql) => {
      const startedAt = performance.now();
      const seen = await writeBeat(sql, id, info, silentMs, works, { ...readMetrics(), storeMs });
      storeMs = performance.now() - startedAt;
      return seen;
    }, maxRetryMs);
    if (maxRetryMs === 0) beats = Promise.allSettled([beats, beatWritten]);
    view = await beatWritten;
    return view;
  };
  const beatUnlessBusy = async (): Promise<void> => {
    if (isBeating) return;
    isBeating = true;
    try {
      const { hasDead } = await beat(0);
      await options.onBeat?.(hasDead);
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

async function writeBeat(
  sql: Sql,
  id: string,
  info: Required<ProcessInfo>,
  silentMs: number,
  works: boolean,
  stats: object,
): Promise<WorkersView> {
  const rows = await sql.allPrepared(
    beatStatement,
    ...[id, hostname(), process.pid, `mailvet ${__VERSION__}`, silentMs, info.name, info.sourceIp, info.kind],
    ...[works, JSON.stringify(stats)],
  );
  return readWorkersView(rows[0]);
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

async function findOlder(sql: Sql, id: string, name: string) {
  const rows = await sql.all(
    `SELECT other.id, other.host, other.pid, other.alive_until FROM mailvet.workers other, mailvet.workers own
     WHERE own.id = $1 AND other.kind = 'worker' AND other.name = $2 AND other.alive_until > mailvet.now_ms()
       AND (other.started_at, other.id) < (own.started_at, own.id)`,
    id,
    name,
  );
  return rows.map((row) => ({
    id: readText(row, 'id'),
    host: readText(row, 'host'),
    pid: readNumber(row, 'pid'),
    aliveUntil: readNumber(row, 'alive_until'),
  }));
}

/** Describes from which process work is taken over, and why; `id` is the process that had it. */
export async function describePredecessor(sql: Sql, id: string | null): Promise<string> {
  const row = await sql.get(
    `SELECT name, kind, host, pid, alive_until <= mailvet.now_ms() AS is_dead,
       mailvet.now_ms() - alive_until + ${defaultSilentMs} AS silent_ms FROM mailvet.workers WHERE id = $1`,
    id,
  );
  if (row === null) return 'from a process that is gone and sends no heartbeat';
  const subject = `from ${readText(row, 'kind')} ${readText(row, 'name')} (process ${row['pid']} on ${readText(row, 'host')})`;
  if (row['is_dead'] !== true) return `${subject}: it is alive, but did not renew its lease`;
  const seconds = Math.round(Math.max(0, readNumber(row, 'silent_ms')) / 1000);
  return `${subject}: no heartbeat for ${seconds} s`;
}
