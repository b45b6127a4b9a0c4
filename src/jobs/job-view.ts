import { type Job, suppressedVerdict } from '../model/job.js';
import { wasResumed } from './store/merge-parts.js';
import type { JobRecord } from './store/store.js';

export function toJob(record: JobRecord, now: number): Job {
  const { interrupted, valid, invalid, risky, unknown, duplicate } = record;
  const { [suppressedVerdict.status]: suppressed = 0, ...subCounts } = record.subCounts;
  const empty = record.processed - valid - invalid - risky - unknown - duplicate - suppressed;
  // A canceled job may have waited without a worker before, so its time is unknown.
  const rate = interrupted || record.state === 'canceled' ? null : rowsPerSecond(record, now);
  return {
    id: record.id,
    status: record.state,
    filename: record.filename,
    email_column: record.emailColumn,
    total: record.total,
    processed: record.processed,
    valid_count: record.valid,
    invalid_count: record.invalid,
    risky_count: record.risky,
    unknown_count: record.unknown,
    duplicate_count: record.duplicate,
    // Jobs of earlier versions counted reused duplicates, too.
    credits_used: Math.max(0, record.processed - record.duplicate - empty - suppressed - record.reused),
    empty_count: empty,
    suppressed_count: suppressed,
    reused_count: record.reused,
    waiting_count: record.waiting,
    retry_at: record.nextRetryAt === null ? null : record.nextRetryAt / 1000,
    created_at: new Date(record.createdAt).toISOString(),
    started_at: isoOrNull(record.startedAt),
    finished_at: isoOrNull(record.finishedAt),
    last_run_at: record.finishedAt !== null && wasResumed(record) ? isoOrNull(record.runStartedAt) : null,
    eta_seconds: etaSeconds(record, rate, now),
    rows_per_second: rate,
    error: record.error,
    sub_status_counts: subCounts,
    group_id: record.parts > 1 ? record.groupId : null,
    interrupted,
    resolver_down: record.resolverDown,
  };
}

/** Rows per second in the current run, without those whose verdicts are reused; null before the first row. */
function rowsPerSecond(record: JobRecord, now: number): number | null {
  if (record.runStartedAt === null) return null;
  const seconds = ((record.finishedAt ?? now) - record.runStartedAt) / 1000;
  // Verdicts are reused at the start of the first run.
  const rows = record.processed - record.runBase - (record.runBase === 0 ? record.reused : 0);
  return seconds > 0 && rows > 0 ? rows / seconds : null;
}

/** The rate of a shorter run is mostly that of its first connections. */
const minRunMs = 10_000;

/** Null at the start of a run, and while rows only wait for their mail servers. */
function etaSeconds(record: JobRecord, rate: number | null, now: number): number | null {
  const { state, total, processed, waiting, runStartedAt } = record;
  const rows = total - processed - waiting;
  if (state !== 'running' || rate === null || runStartedAt === null || now - runStartedAt < minRunMs) return null;
  return rows <= 0 ? null : Math.ceil(rows / rate);
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
