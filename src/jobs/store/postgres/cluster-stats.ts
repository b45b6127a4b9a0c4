import type { ClusterStats, WorkerStats } from '../cluster-stats.js';
import type { Database } from './database.js';
import { defaultSilentMs } from './heartbeat.js';

/** A job without a saved row for this long makes no progress. */
const stalledMs = 5 * 60_000;

/** Stats are polled, so this does not wait for a lost database. */
export function readClusterStats(database: Database): Promise<ClusterStats> {
  return database.read(async (sql) => {
    const none = { stalledJobs: 0, oldestQueuedMs: 0 };
    const waits = (await sql.get<typeof none>(waitingJobs)) ?? none;
    return { workers: await sql.all<WorkerStats>(workers), ...waits };
  }, 1_000);
}

/** Keeps only the last worker of each name: a crashed one may still be listed. */
const workers = `
  SELECT DISTINCT ON (name) name, host, source_ip,
    greatest(0, clock.now - (alive_until - ${defaultSilentMs})) AS silent_ms, alive_until > clock.now AS is_alive, stats AS metrics,
    (SELECT count(*) FROM mailvet.slices WHERE slices.node = workers.id AND slices.worker IS NOT NULL) AS slices,
    (SELECT count(*) FROM mailvet.blocks WHERE worker = name AND until > clock.now) AS blocks
  FROM mailvet.workers, (SELECT mailvet.now_ms() AS now) AS clock WHERE kind = 'worker' ORDER BY name, alive_until DESC`;

/** Slices are counted for each such job: NOT EXISTS would become a join that reads all of them. */
const waitingJobs = `
  WITH clock AS (SELECT mailvet.now_ms() AS now)
  SELECT (SELECT count(*) FROM mailvet.jobs, clock WHERE state IN ('queued', 'running')
      AND coalesce(jobs.lease_until, created_at) < clock.now - ${stalledMs} AND 0 = (SELECT count(*) FROM mailvet.slices
        WHERE slices.job = jobs.num AND (due > clock.now OR slices.lease_until >= clock.now - ${stalledMs}))) AS stalled_jobs,
    greatest(0, coalesce((SELECT now - created_at FROM mailvet.jobs, clock WHERE state = 'queued' ORDER BY num LIMIT 1), 0))
      AS oldest_queued_ms`;
