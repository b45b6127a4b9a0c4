import type { Sql } from '../store/postgres/database.js';
import { isDead, nowMs } from '../store/postgres/heartbeat.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import { readText } from '../store/records.js';
import type { ShardQueue } from './bullmq-queue.js';
import { notify, shardsChannel, sweptChannel } from './channels.js';
import { priorities } from './request-table.js';
import { isSharedShard } from './shard-of.js';
import { waitingShardsQuery } from './shard-table.js';

const sweepMs = 2_000;
const idleSweepMs = 10_000;
/** A process skips its sweep if another one swept within this share of the interval. */
const minIntervalShare = 0.9;
const sweepLock = 7_263_845_110_922;
/** Expired rows are deleted in one of this many sweeps. */
const thoroughSweeps = 30;
const maxShards = 1_000;
const isDue = `(due_at <= ${nowMs})`;

/** Releases orphaned claims and wakes shards without an owner, by one process at a time; returns the function that stops it. */
export function startSweeper(
  { database, listener }: Cluster,
  queue: ShardQueue,
  onNote: (text: string) => void,
): () => void {
  let sweeps = 0;
  let isReported = false;
  let isSweeping = false;
  let isIdle = false;
  let sweptAt = Number.NEGATIVE_INFINITY;
  listener.subscribe(sweptChannel, (message) => {
    isIdle = message === idle;
    if (message !== null) sweptAt = performance.now();
  });
  listener.subscribe(shardsChannel, () => {
    isIdle = false;
  });
  const sweep = async (): Promise<void> => {
    const intervalMs = isIdle ? idleSweepMs : sweepMs;
    if (isSweeping || performance.now() - sweptAt < minIntervalShare * intervalMs) return;
    isSweeping = true;
    try {
      const shards = await database.writeRepeatable(async (sql) => {
        const lock = await sql.get('SELECT pg_try_advisory_xact_lock($1) AS acquired', sweepLock);
        if (lock?.['acquired'] !== true) return [];
        await notify(sql, sweptChannel, [(await hasOpenProbes(sql)) ? 'busy' : idle]);
        if (sweeps++ % thoroughSweeps === 0) await deleteExpired(sql);
        await releaseOrphans(sql);
        await sql.run(`DELETE FROM mailvet.probes WHERE deadline < ${nowMs}`);
        return waitingShards(sql);
      }, 0);
      if (shards.length > 0) queue.wake(shards);
    } catch (error) {
      // Another process or the next sweep repeats it, unless the error is permanent.
      if (isReported || database.isRetryable(error)) return;
      isReported = true;
      onNote(`Probes of dead processes cannot be released: ${String(error)}`);
    } finally {
      isSweeping = false;
    }
  };
  const timer = setInterval(() => void sweep(), sweepMs).unref();
  return () => clearInterval(timer);
}

/** The message of a sweep that found no open probes. */
const idle = 'idle';

async function hasOpenProbes(sql: Sql): Promise<boolean> {
  const open = (lease: string): string =>
    `(SELECT FROM mailvet.probes WHERE answer IS NULL AND lease IS ${lease} ORDER BY lane LIMIT 1)`;
  return (await sql.get(`${open('NULL')} UNION ALL ${open('NOT NULL')} LIMIT 1`)) !== null;
}

async function releaseOrphans(sql: Sql): Promise<void> {
  const released = await sql.all(
    `UPDATE mailvet.probes SET lease = NULL, holder = NULL
     WHERE answer IS NULL AND lease IS NOT NULL AND ${isDead('probes.holder')} RETURNING lane`,
  );
  await notify(sql, shardsChannel, [...new Set(released.map((row) => readText(row, 'lane')))]);
}

/** Shards of dead workers are free already: they only need to be woken. */
async function waitingShards(sql: Sql): Promise<string[]> {
  const rows = await sql.all(waitingShardsQuery(isDue, '$1', '$2'), sweepMs / 2, maxShards);
  return rows.map((row) => readText(row, 'lane')).filter((shard) => !isSharedShard(shard));
}

async function deleteExpired(sql: Sql): Promise<void> {
  await sql.run(
    // One index lookup for each requester.
    `WITH RECURSIVE askers AS (
       (SELECT asker FROM mailvet.probes ORDER BY asker LIMIT 1)
       UNION ALL
       SELECT (SELECT probes.asker FROM mailvet.probes WHERE probes.asker > askers.asker ORDER BY probes.asker LIMIT 1)
       FROM askers WHERE askers.asker IS NOT NULL)
     DELETE FROM mailvet.probes WHERE urgency = ${priorities.job} AND asker = ANY(ARRAY(
       SELECT asker FROM askers WHERE NOT EXISTS (
         SELECT FROM mailvet.jobs WHERE jobs.id = asker AND state IN ('queued', 'running'))))`,
  );
  await sql.run('DELETE FROM mailvet.lanes WHERE until < mailvet.now_ms() - 60000');
  await sql.run('DELETE FROM mailvet.blocks WHERE until < mailvet.now_ms()');
}
