import type { WorkerMetrics } from '../cluster-stats.js';
import type { StoredRow } from '../records.js';

/** What a worker publishes; `hasCapacity`: it has free capacity and finds no work. */
export interface WorkerStats {
  shards: number;
  probes: number;
  answered: number;
  hasCapacity: boolean;
  /** Published for `/metrics` alone. */
  metrics: WorkerMetrics;
}

/** The live workers, as one heartbeat sees them. */
export interface WorkersView {
  workers: readonly { name: string; hasCapacity: boolean; isBusy: boolean }[];
  /** Rate limit groups that refuse a worker. */
  blocks: readonly { worker: string; rateLimitGroup: string }[];
  /** Some process has been silent for too long. */
  hasDead: boolean;
}

const view = `
  SELECT (SELECT json_agg(json_build_object('name', name, 'hasCapacity', hungry, 'isBusy', probes > 0 AND NOT hungry))
      FROM mailvet.workers, clock WHERE takes_lanes AND alive_until > clock.now) AS workers,
    (SELECT json_agg(json_build_object('worker', worker, 'rateLimitGroup', party))
      FROM mailvet.blocks, clock WHERE until > clock.now) AS blocks,
    EXISTS (SELECT FROM mailvet.workers, clock WHERE alive_until <= clock.now) AS has_dead`;
const clock = 'clock AS (SELECT mailvet.now_ms() AS now)';

export const viewStatement = `WITH ${clock} ${view}`;

/** Sends a heartbeat with the stats of a worker and reads the view, in one statement, since every process repeats it. */
export const beatStatement = `WITH ${clock}, beat AS (
    INSERT INTO mailvet.workers (id, host, pid, program, started_at, alive_until, name, source_ip, kind,
      takes_lanes, lanes, probes, answered, hungry, stats)
    SELECT $1, $2, $3, $4, now, now + $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 FROM clock
    ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until, takes_lanes = excluded.takes_lanes, lanes = excluded.lanes,
      probes = excluded.probes, answered = greatest(workers.answered, excluded.answered), hungry = excluded.hungry,
      stats = excluded.stats)
  ${view}`;

export function readWorkersView(row: StoredRow = {}): WorkersView {
  return {
    workers: (row['workers'] ?? []) as WorkersView['workers'],
    blocks: (row['blocks'] ?? []) as WorkersView['blocks'],
    hasDead: row['has_dead'] === true,
  };
}
