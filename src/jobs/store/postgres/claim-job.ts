import type { SqlBackend } from '../sql/steps.js';
import { type JobTransitions, localOwner } from '../store.js';
import { isAbandoned } from './backend.js';
import type { Database } from './database.js';
import type { Heartbeat } from './heartbeat.js';

/** Claims a job whose worker is dead, or else the oldest of the owner with the fewest running, so that one owner does not delay the others. */
const claim = `
  UPDATE mailvet.jobs SET state = 'running', worker = $1, node = $2, lease_until = mailvet.now_ms() + $3,
    started_at = coalesce(started_at, $4), run_started_at = $4, run_base = processed, finished_at = NULL, error = NULL
  WHERE num = (
    SELECT num FROM mailvet.jobs LEFT JOIN (
      SELECT owner AS worked_for, count(*) AS at_work FROM mailvet.jobs
      WHERE state = 'running' AND waiting < total - processed GROUP BY owner) AS busy ON worked_for = owner
    WHERE state IN ('queued', 'running') AND (state = 'queued' OR ${isAbandoned})
      AND ($5::text IS NULL OR owner = $5) AND ($6::text IS NULL OR group_id = $6)
      AND ($7 OR owner <> $8 OR options::json->>'cacheScope' = $9)
    ORDER BY state = 'queued', coalesce(at_work, 0), num LIMIT 1 FOR UPDATE OF jobs SKIP LOCKED)
  RETURNING *`;

export function claimJob(
  database: Database,
  heartbeat: Heartbeat,
  readJob: SqlBackend['readJob'],
): JobTransitions['claimJob'] {
  return async (worker, leaseUntil, now, { owner = null, groupId = null, commandLineLevel } = {}) => {
    await heartbeat.register();
    const lease = [worker, heartbeat.id, leaseUntil - now, now];
    const filter = [owner, groupId, commandLineLevel === undefined, localOwner, commandLineLevel ?? null];
    const row = await database.write((sql) => sql.get(claim, ...lease, ...filter));
    return row === null ? null : readJob(row);
  };
}
