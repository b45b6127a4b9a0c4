import type { StoredRow } from '../records.js';

/** A live process that takes slices. */
export interface Colleague {
  id: string;
  name: string;
  kind: string;
  startedAt: number;
}

/** The live processes, as one heartbeat sees them. */
export interface WorkersView {
  /** Those that take slices, the oldest first. */
  workers: readonly Colleague[];
  /** Rate limit groups that refuse a worker. */
  blocks: readonly { worker: string; rateLimitGroup: string }[];
  /** Some process has been silent for too long. */
  hasDead: boolean;
}

/** Sends a heartbeat with the metrics of a worker and reads the view, in one statement, since every process repeats it. */
export const beatStatement = `WITH clock AS (SELECT mailvet.now_ms() AS now), beat AS (
    INSERT INTO mailvet.workers (id, host, pid, program, started_at, alive_until, name, source_ip, kind, works, stats)
    SELECT $1, $2, $3, $4, now, now + $5, $6, $7, $8, $9, $10 FROM clock
    ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until, works = excluded.works, stats = excluded.stats)
  SELECT (SELECT json_agg(json_build_object('id', id, 'name', name, 'kind', kind, 'startedAt', started_at) ORDER BY started_at, id)
      FROM mailvet.workers, clock WHERE works AND alive_until > clock.now) AS workers,
    (SELECT json_agg(json_build_object('worker', worker, 'rateLimitGroup', party))
      FROM mailvet.blocks, clock WHERE until > clock.now) AS blocks,
    EXISTS (SELECT FROM mailvet.workers, clock WHERE alive_until <= clock.now) AS has_dead`;

export function readWorkersView(row: StoredRow = {}): WorkersView {
  return {
    workers: (row['workers'] ?? []) as WorkersView['workers'],
    blocks: (row['blocks'] ?? []) as WorkersView['blocks'],
    hasDead: row['has_dead'] === true,
  };
}
