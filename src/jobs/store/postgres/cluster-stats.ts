import type { Block, ClusterStats, ProcessStats } from '../cluster-stats.js';
import { readNumber, readText, readTextOrNull } from '../records.js';
import type { Database } from './database.js';
import { defaultSilentMs } from './heartbeat.js';

/** More than a few blocks mean that an address has a bad reputation. */
const maxBlocks = 200;

/** A job without a saved row for this long makes no progress. */
const stalledMs = 5 * 60_000;

/** Reads all stats with one query. They are polled, so it does not wait for a lost database. */
export function readClusterStats(database: Database): Promise<ClusterStats> {
  return database.read(async (sql) => {
    const row = (await sql.get(query)) ?? {};
    return {
      processes: listOf(row, 'members').map(readProcess),
      blocks: listOf(row, 'blocks').map(readBlock),
      slices: {
        running: readNumber(row, 'running'),
        later: readNumber(row, 'later'),
        waiting: readNumber(row, 'waiting'),
      },
      stalledJobs: readNumber(row, 'stalled'),
      oldestQueuedMs: readNumber(row, 'oldest_queued_ms'),
    };
  }, 1_000);
}

/** Keeps only the last process of each name and kind: a crashed one may still be listed. */
const query = `
  WITH clock AS (SELECT mailvet.now_ms() AS now), members AS (
    SELECT DISTINCT ON (kind, name, CASE kind WHEN 'worker' THEN 0 ELSE pid END)
      name, kind, host, pid, source_ip, started_at, stats,
      clock.now - (alive_until - ${defaultSilentMs}) AS silent_ms, alive_until > clock.now AS is_alive,
      (SELECT count(*) FROM mailvet.slices WHERE slices.node = workers.id AND slices.worker IS NOT NULL) AS slices
    FROM mailvet.workers, clock ORDER BY kind, name, CASE kind WHEN 'worker' THEN 0 ELSE pid END, alive_until DESC
  ), open AS (
    SELECT count(*) FILTER (WHERE worker IS NOT NULL) AS running,
      count(*) FILTER (WHERE worker IS NULL AND due > clock.now) AS later,
      count(*) FILTER (WHERE worker IS NULL AND (due IS NULL OR due <= clock.now)) AS waiting
    FROM mailvet.slices, clock
  )
  SELECT (SELECT json_agg(members) FROM members) AS members,
    (SELECT json_agg(found) FROM (SELECT * FROM mailvet.blocks, clock WHERE until > clock.now ORDER BY since LIMIT ${maxBlocks}) found)
      AS blocks,
    open.running, open.later, open.waiting,
    (SELECT count(*) FROM mailvet.jobs, clock WHERE state IN ('queued', 'running')
      AND coalesce(lease_until, created_at) < clock.now - ${stalledMs}
      AND NOT EXISTS (SELECT FROM mailvet.slices WHERE slices.job = jobs.num AND due > clock.now)) AS stalled,
    greatest(0, coalesce((SELECT now - created_at FROM mailvet.jobs, clock WHERE state = 'queued' ORDER BY num LIMIT 1), 0)) AS oldest_queued_ms
  FROM open`;

type Row = Record<string, unknown>;

function listOf(row: Row, column: string): Row[] {
  const value = row[column];
  return Array.isArray(value) ? (value as Row[]) : [];
}

function readProcess(row: Row): ProcessStats {
  return {
    name: readText(row, 'name'),
    kind: readText(row, 'kind') as ProcessStats['kind'],
    host: readText(row, 'host'),
    pid: readNumber(row, 'pid'),
    sourceIp: readTextOrNull(row, 'source_ip'),
    startedAt: readNumber(row, 'started_at'),
    silentMs: Math.max(0, readNumber(row, 'silent_ms')),
    isAlive: row['is_alive'] === true,
    slices: readNumber(row, 'slices'),
    metrics: JSON.parse(readText(row, 'stats')) as ProcessStats['metrics'],
  };
}

function readBlock(row: Row): Block {
  return {
    worker: readText(row, 'worker'),
    rateLimitGroup: readText(row, 'party'),
    since: readNumber(row, 'since'),
    until: readNumber(row, 'until'),
    reply: readTextOrNull(row, 'reply'),
  };
}
