import { randomUUID } from 'node:crypto';
import { addCounts } from '../job-changes.js';
import {
  type AddedCounts,
  type JobRecord,
  localOwner,
  type SliceRef,
  type StoredJob,
  sliceRows,
  waitForHomeMs,
  withCounts,
} from '../job-record.js';
import { encodeChunk } from '../results.js';
import { all, get, getLocked, run, type SqlBackend, type Steps } from '../sql.js';
import type { JobStore } from '../store.js';
import type { Database } from './database.js';
import { defaultSilentMs, type Heartbeat, isDead } from './heartbeat.js';

/** Slices of a job that wait in the queue at a time. */
const fedPerJob = 64;
/** A job fails when this many different workers failed on the same slice. */
const maxEnded = 3;

/** True for a slice whose worker is dead, or did not write for a whole lease, by the clock of the database. */
export const isAbandoned = `(slices.lease_until < mailvet.now_ms() OR ${isDead('slices.node')})`;

const isFree = `(slices.worker IS NULL OR ${isAbandoned})`;

/** The rows of a slice that have their last answer. */
const processedRows = `coalesce((slices.counts::json ->> 'processed')::int, 0)`;

/** True for a slice that does more than wait for mail servers. */
const hasRowsToAsk = `slices.waiting < least(${sliceRows}, total - slices.place * ${sliceRows}) - ${processedRows}`;

const isDue = '(slices.due IS NULL OR slices.worker IS NOT NULL OR slices.due <= mailvet.now_ms())';

/** True if the worker that the waiting rows are left to does not come back. */
const isHomeGone = `(slices.due < mailvet.now_ms() - ${waitForHomeMs} AND NOT EXISTS (SELECT FROM mailvet.workers
    WHERE name = slices.home AND works AND alive_until > mailvet.now_ms() - ${waitForHomeMs - defaultSilentMs}))`;

/** Slices of a job in PostgreSQL. A cancellation locks a slice before its job, as a claim does. */
export const sliceTable: SqlBackend['slices'] = {
  *open(job) {
    yield* run(
      `INSERT INTO slices (job, place)
         SELECT num, generate_series(0, greatest(0, total - 1) / ${sliceRows}) FROM jobs WHERE num = ?
       ON CONFLICT (job, place) DO UPDATE SET generation = nextval('generations'), due = NULL, home = NULL, avoid = '{}',
         waiting = 0 WHERE slices.worker IS NULL`,
      job,
    );
  },
  *close(job) {
    yield* removeSlices('job = ?', job);
  },
  *leave({ num }, worker, { home = null, delayMs = null, avoid = null, ended = null }) {
    const left = yield* get<{ ended: number; isHeld: boolean }>(
      `UPDATE slices SET worker = NULL, node = NULL, lease_until = NULL, generation = nextval('generations'),
         home = ?, due = mailvet.now_ms() + ?,
         avoid = CASE WHEN CAST(? AS text) IS NULL THEN avoid ELSE array_append(avoid, ?) END,
         ended = CASE WHEN CAST(? AS text) IS NULL OR ? = ANY(ended) THEN ended ELSE array_append(ended, ?) END
       WHERE job = ? AND worker = ?
       RETURNING cardinality(ended) AS ended,
         EXISTS (SELECT FROM slices AS other WHERE other.job = slices.job AND other.place <> slices.place
           AND worker IS NOT NULL) AS is_held`,
      ...[home, delayMs, avoid, avoid, ended, ended, ended, num, worker],
    );
    if (left === null) return null;
    if (left.ended >= maxEnded) return 'failed';
    return home !== null || avoid !== null || left.isHeld ? 'running' : 'queued';
  },
  *end({ num }, worker) {
    if ((yield* removeSlices('job = ? AND worker = ?', num, worker)) === 0) return null;
    return (yield* get('SELECT place FROM slices WHERE job = ? LIMIT 1', num)) === null;
  },
};

/** Deletes slices and gives their job their counts. Returns how many there were. */
function* removeSlices(where: string, num: number, ...values: string[]): Steps<number> {
  const remove = `DELETE FROM slices WHERE ${where} RETURNING CAST(counts AS json) AS counts, sub_counts`;
  const removed = yield* all<AddedCounts>(remove, num, ...values);
  const job = yield* getLocked<StoredJob>('SELECT * FROM jobs WHERE num = ?', num);
  if (job !== null && removed.length > 0) yield* addCounts(job, removed);
  return removed.length;
}

/** The counts of the open slices of a job, which have them until they end, so that a commit needs no lock of its list. */
export const openSliceCounts = `(SELECT json_agg(json_build_object('counts', counts::json, 'subCounts', sub_counts::json,
    'waiting', waiting, 'due', due)) FROM mailvet.slices WHERE slices.job = jobs.num AND (counts <> '{}' OR waiting > 0))`;

type OpenSliceCounts = AddedCounts & { waiting: number; due: number | null };

type ReadRow = StoredJob & { openSlices?: OpenSliceCounts[] | null; interrupted?: boolean };

/** A job with the counts of its open slices. */
export function readJob({ openSlices, interrupted = false, ...job }: ReadRow): JobRecord {
  const slices = openSlices ?? [];
  const waiting = slices.reduce((sum, slice) => sum + slice.waiting, 0);
  const dues = slices.flatMap((slice) => (slice.waiting > 0 ? (slice.due ?? []) : []));
  const nextRetryAt = dues.length === 0 ? null : Math.min(...dues);
  return { ...withCounts(job, slices), interrupted, waiting, nextRetryAt };
}

/** One statement, which is a transaction: it locks the slice only, and for a moment. The token keeps it from being stored twice. */
const commit = `
  WITH held AS (
    UPDATE mailvet.slices SET lease_until = mailvet.now_ms() + $3, waiting = $4, due = mailvet.now_ms() + $5,
      counts = mailvet.add_counts(counts, $6), sub_counts = mailvet.add_counts(sub_counts, $7)
    WHERE job = (SELECT num FROM mailvet.jobs WHERE id = $1) AND worker = $2 RETURNING job, place),
  added AS (
    INSERT INTO mailvet.chunks (job, slice, token, data) SELECT job, place, $8, $9 FROM held WHERE $9::text IS NOT NULL)
  SELECT owner FROM held JOIN mailvet.jobs ON num = job`;

/** Commits the results of a slice. */
export function saveBatch(database: Database, { addAnswers }: Pick<JobStore, 'addAnswers'>): JobStore['saveBatch'] {
  return async (batch) => {
    const { jobId, worker, results, waits, now, leaseUntil, answers, counts, subCounts } = batch;
    const chunk = results.length === 0 ? null : encodeChunk(results);
    const values = [
      ...[jobId, worker, leaseUntil - now, waits.rows, waits.nextAt === null ? null : waits.nextAt - now],
      ...[JSON.stringify(counts), JSON.stringify(subCounts), randomUUID(), chunk],
    ];
    const held = await database.writeOnce((sql) => sql.get<{ owner: string }>(commit, ...values), { owner: '' });
    // Only the command line reuses answers, so those of API keys are not kept.
    if (held?.owner === localOwner && answers.entries.length > 0) await addAnswers(answers.scope, answers.entries, now);
    return held !== null;
  };
}

/**
 * Claims one slice: the given one, or one whose worker is dead, or else the first of the owner with the fewest running, so that one
 * owner does not delay the others.
 */
const claim = `
  WITH free AS (
    SELECT slices.job AS free_job, slices.place AS free_place, slices.worker IS NOT NULL AS is_takeover
    FROM mailvet.slices JOIN mailvet.jobs ON jobs.num = slices.job LEFT JOIN (
      SELECT owner AS busy_owner, count(*) AS running FROM mailvet.slices JOIN mailvet.jobs ON jobs.num = slices.job
      WHERE slices.worker IS NOT NULL AND ${hasRowsToAsk} GROUP BY owner) AS busy ON busy_owner = owner
    WHERE jobs.state IN ('queued', 'running') AND ${isFree}
      AND ${isDue}
      AND (slices.home IS NULL OR slices.home = $5 OR ${isHomeGone})
      AND (slices.home = $5 OR $5 <> ALL(slices.avoid) OR NOT EXISTS (SELECT FROM mailvet.workers
        WHERE works AND alive_until > mailvet.now_ms() AND name <> ALL(slices.avoid)))
      AND ($6::text IS NULL OR owner = $6) AND ($7::text IS NULL OR jobs.id = $7)
      AND ($8 OR owner <> $9 OR options::json->>'cacheScope' = $10)
      AND ($11::bigint IS NULL OR slices.job = $11 AND slices.place = $12 AND slices.generation = $13)
    ORDER BY slices.worker IS NULL, coalesce(running, 0), slices.job, slices.place LIMIT 1
    FOR UPDATE OF slices SKIP LOCKED),
  claimed AS (
    UPDATE mailvet.slices SET worker = $1, node = $2, lease_until = mailvet.now_ms() + $3 FROM free
    WHERE slices.job = free_job AND slices.place = free_place RETURNING slices.job, slices.place, slices.avoid, free.*),
  start AS (
    SELECT claimed.*, NOT EXISTS (SELECT FROM mailvet.slices AS other WHERE other.job = claimed.job
      AND other.place <> claimed.place AND other.worker IS NOT NULL) AS is_alone FROM claimed)
  UPDATE mailvet.jobs SET state = 'running', worker = $1, lease_until = mailvet.now_ms() + $3,
    started_at = coalesce(started_at, $4), finished_at = NULL, error = NULL,
    run_started_at = CASE WHEN state = 'queued' OR (is_takeover AND is_alone) THEN $4 ELSE run_started_at END,
    run_base = CASE WHEN state = 'queued' OR (is_takeover AND is_alone) THEN processed + coalesce((
      SELECT sum(${processedRows}) FROM mailvet.slices WHERE slices.job = num), 0) ELSE run_base END
  FROM start WHERE num = start.job AND state IN ('queued', 'running')
  RETURNING jobs.*, ${openSliceCounts} AS open_slices, start.place, start.avoid`;

type ClaimedRow = ReadRow & { place: number; avoid: string[] };

export function claimSlice(database: Database, heartbeat: Heartbeat): JobStore['claimJob'] {
  return async (worker, leaseUntil, now, { owner = null, jobId = null, commandLineLevel, slice } = {}) => {
    await heartbeat.register();
    const lease = [worker, heartbeat.id, leaseUntil - now, now, heartbeat.name];
    const filter = [owner, jobId, commandLineLevel === undefined, localOwner, commandLineLevel ?? null];
    const only = [slice?.job ?? null, slice?.place ?? null, slice?.generation ?? null];
    const claimed = await database.write((sql) => sql.get<ClaimedRow>(claim, ...lease, ...filter, ...only));
    if (claimed === null) return null;
    const { place, avoid, ...job } = claimed;
    return { ...readJob(job), slice: { place, first: place * sliceRows, rows: sliceRows, avoid } };
  };
}

/** Queues the lists that were left while their last slice ended. Called when a worker stops; another one that works continues them. */
export function queueLeftJobs(database: Database, worker: string): Promise<unknown> {
  return database.writeRepeatable(async (sql) => {
    // Locked first, so that a slice that is claimed meanwhile is seen.
    await sql.run(`SELECT FROM mailvet.jobs WHERE state = 'running' ORDER BY num FOR NO KEY UPDATE`);
    await sql.run(
      `UPDATE mailvet.jobs SET state = 'queued', worker = NULL, lease_until = NULL WHERE state = 'running'
         AND EXISTS (SELECT FROM mailvet.slices WHERE slices.job = num AND home IS NULL)
         AND NOT EXISTS (SELECT FROM mailvet.slices WHERE slices.job = num AND slices.worker IS NOT NULL)
         AND NOT EXISTS (SELECT FROM mailvet.workers WHERE works AND alive_until > mailvet.now_ms() AND id <> $1)`,
      worker,
    );
  }, 0);
}

/** A slice that is to be queued. */
export interface OpenSlice extends SliceRef {
  /** The id of its job. */
  id: string;
  /** Its place among those of its caller. */
  rank: number;
  home: string | null;
}

/** The first open slices of each job. One process at a time reads them; null: another one does. */
export async function openSlices(database: Database): Promise<OpenSlice[] | null> {
  return database.writeRepeatable(async (sql) => {
    const lock = await sql.get<{ acquired: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS acquired', feederLock);
    if (lock?.acquired !== true) return null;
    await sql.run(
      `UPDATE mailvet.slices SET home = NULL, generation = nextval('mailvet.generations')
       WHERE home IS NOT NULL AND worker IS NULL AND ${isHomeGone}`,
    );
    return sql.all<OpenSlice>(
      `SELECT jobs.id, open.*, row_number() OVER (PARTITION BY owner ORDER BY job, place) AS rank
       FROM mailvet.jobs CROSS JOIN LATERAL (
         SELECT job, place, generation, home FROM mailvet.slices
         WHERE job = jobs.num AND ${isDue} AND ${isFree} ORDER BY place LIMIT ${fedPerJob}) AS open
       WHERE state IN ('queued', 'running')`,
    );
  }, 0);
}

const feederLock = 7_263_845_110_922;
