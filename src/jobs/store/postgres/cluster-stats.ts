import type { Block, ClusterStats, ProcessStats } from '../cluster-stats.js';
import { readNumber, readText, readTextOrNull } from '../records.js';
import type { Database } from './database.js';
import { defaultSilentMs } from './heartbeat.js';

/** More than a few blocks mean that an address has a bad reputation. */
const maxBlocks = 200;

/** Reads all stats with one query. They are polled, so it does not wait for a lost database. */
export function readClusterStats(database: Database): Promise<ClusterStats> {
  return database.read(async (sql) => {
    const row = (await sql.get(query)) ?? {};
    return {
      processes: listOf(row, 'members').map(readProcess),
      blocks: listOf(row, 'blocks').map(readBlock),
      shards: { owned: readNumber(row, 'held'), waiting: readNumber(row, 'lanes_waiting') },
      probes: { waiting: readNumber(row, 'waiting'), inFlight: readNumber(row, 'under_way') },
      oldestDueMs: readNumber(row, 'oldest_due_ms'),
      oldestQueuedMs: readNumber(row, 'oldest_queued_ms'),
    };
  }, 1_000);
}

/** Keeps only the last process of each name and kind: a crashed one may still be listed. */
const query = `
  WITH clock AS (SELECT mailvet.now_ms() AS now), members AS (
    SELECT DISTINCT ON (kind, name, CASE kind WHEN 'worker' THEN 0 ELSE pid END)
      name, kind, host, pid, source_ip, started_at, lanes, probes, answered, stats,
      clock.now - (alive_until - ${defaultSilentMs}) AS silent_ms, alive_until > clock.now AS is_alive,
      (SELECT count(*) FROM mailvet.jobs WHERE jobs.node = workers.id AND jobs.state = 'running') AS jobs
    FROM mailvet.workers, clock ORDER BY kind, name, CASE kind WHEN 'worker' THEN 0 ELSE pid END, alive_until DESC
  ), open AS (
    SELECT count(*) FILTER (WHERE lease IS NULL) AS waiting, count(*) FILTER (WHERE lease IS NOT NULL) AS under_way,
      count(DISTINCT lane) FILTER (WHERE lease IS NULL AND due_at <= clock.now) AS lanes,
      min(due_at) FILTER (WHERE lease IS NULL) AS due_at
    FROM mailvet.probes, clock WHERE answer IS NULL
  )
  SELECT (SELECT json_agg(members) FROM members) AS members,
    (SELECT json_agg(found) FROM (SELECT * FROM mailvet.blocks, clock WHERE until > clock.now ORDER BY since LIMIT ${maxBlocks}) found)
      AS blocks,
    (SELECT count(*) FROM mailvet.lanes, clock WHERE holder IS NOT NULL AND until > clock.now) AS held,
    open.waiting, open.under_way, open.lanes AS lanes_waiting,
    greatest(0, coalesce((SELECT now FROM clock) - open.due_at, 0)) AS oldest_due_ms,
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
    jobs: readNumber(row, 'jobs'),
    shards: readNumber(row, 'lanes'),
    probes: readNumber(row, 'probes'),
    answered: readNumber(row, 'answered'),
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
