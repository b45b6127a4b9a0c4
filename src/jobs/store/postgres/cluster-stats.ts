import type { Block, ClusterStats, ProcessStats } from '../cluster-stats.js';
import type { Database } from './database.js';
import { defaultSilentMs } from './heartbeat.js';

/** More than a few blocks mean that an address has a bad reputation. */
const maxBlocks = 200;

/** A job without a saved row for this long makes no progress. */
const stalledMs = 5 * 60_000;

/** Stats are polled, so this does not wait for a lost database. */
export function readClusterStats(database: Database): Promise<ClusterStats> {
  return database.read(async (sql) => {
    const none = { stalledJobs: 0, oldestQueuedMs: 0 };
    const waits = (await sql.get<typeof none>(waitingJobs)) ?? none;
    return { processes: await sql.all<ProcessStats>(processes), blocks: await sql.all<Block>(blockList), ...waits };
  }, 1_000);
}

/** Keeps only the last process of each name and kind: a crashed one may still be listed. */
const processes = `
  SELECT DISTINCT ON (kind, name, CASE kind WHEN 'worker' THEN 0 ELSE pid END) name, kind, host, source_ip,
    greatest(0, clock.now - (alive_until - ${defaultSilentMs})) AS silent_ms, alive_until > clock.now AS is_alive, stats AS metrics,
    (SELECT count(*) FROM mailvet.slices WHERE slices.node = workers.id AND slices.worker IS NOT NULL) AS slices
  FROM mailvet.workers, (SELECT mailvet.now_ms() AS now) AS clock
  ORDER BY kind, name, CASE kind WHEN 'worker' THEN 0 ELSE pid END, alive_until DESC`;

const blockList = `
  SELECT worker, party AS rate_limit_group, until, reply FROM mailvet.blocks WHERE until > mailvet.now_ms()
  ORDER BY since LIMIT ${maxBlocks}`;

const waitingJobs = `
  WITH clock AS (SELECT mailvet.now_ms() AS now)
  SELECT (SELECT count(*) FROM mailvet.jobs, clock WHERE state IN ('queued', 'running')
      AND coalesce(jobs.lease_until, created_at) < clock.now - ${stalledMs} AND NOT EXISTS (SELECT FROM mailvet.slices
        WHERE slices.job = jobs.num AND (due > clock.now OR slices.lease_until >= clock.now - ${stalledMs}))) AS stalled_jobs,
    greatest(0, coalesce((SELECT now - created_at FROM mailvet.jobs, clock WHERE state = 'queued' ORDER BY num LIMIT 1), 0))
      AS oldest_queued_ms`;
