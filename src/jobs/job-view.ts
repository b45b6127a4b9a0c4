import { type Job, suppressedVerdict } from '../model/job.js';
import { rowsForRate } from '../model/rows-for-rate.js';
import { secondsLeft } from '../model/time-left.js';
import type { JobRecord } from './store/job-record.js';

export function toJob(record: JobRecord, now: number): Job {
  const { interrupted, valid, invalid, risky, unknown, duplicate } = record;
  const { [suppressedVerdict.status]: suppressed = 0, ...subCounts } = record.subCounts;
  const empty = record.processed - valid - invalid - risky - unknown - duplicate - suppressed;
  const { elapsedMs, rows } = currentRun(record, now);
  const isWhole = record.finishedAt !== null && record.runBase === 0;
  const counts = { rows: record.processed, duplicates: duplicate, empty, suppressed, reused: record.reused };
  const ratedRows = isWhole ? rowsForRate(counts) : rows;
  const hasRate = elapsedMs > 0 && ratedRows > 0;
  // A canceled job may have waited without a worker before, so its time is unknown.
  const rate = interrupted || record.state === 'canceled' || !hasRate ? null : (ratedRows * 1000) / elapsedMs;
  const { rows: gone, answered: goneAnswered, counts: goneCounts, subCounts: goneCodes } = record.forgotten;
  return {
    id: record.id,
    status: record.state,
    filename: record.filename,
    email_column: record.emailColumn,
    // What the downloads contain.
    total: record.total - gone,
    processed: record.processed - goneAnswered,
    valid_count: record.valid - goneCounts.valid,
    invalid_count: record.invalid - goneCounts.invalid,
    risky_count: record.risky - goneCounts.risky,
    unknown_count: record.unknown - goneCounts.unknown,
    duplicate_count: record.duplicate - goneCounts.duplicate,
    credits_used: record.processed - record.duplicate - empty - suppressed - record.reused,
    empty_count: empty,
    suppressed_count: suppressed,
    reused_count: record.reused,
    forgotten_count: gone,
    waiting_count: record.waiting,
    retry_at: record.nextRetryAt === null ? null : record.nextRetryAt / 1000,
    created_at: new Date(record.createdAt).toISOString(),
    started_at: isoOrNull(record.startedAt),
    finished_at: isoOrNull(record.finishedAt),
    last_run_at: record.finishedAt !== null && wasResumed(record) ? isoOrNull(record.runStartedAt) : null,
    eta_seconds: etaSeconds(record, rate, now),
    rows_per_second: rate,
    error: record.error,
    sub_status_counts: withoutGone(subCounts, goneCodes),
    interrupted,
    resolver_down: record.resolverDown,
  };
}

function withoutGone(counts: Record<string, number>, gone: Readonly<Record<string, number>>): Record<string, number> {
  const left = Object.entries(counts).map(([code, count]) => [code, count - (gone[code] ?? 0)] as const);
  return Object.fromEntries(left.filter(([, count]) => count > 0));
}

/** The current run: its duration, and its rows without those whose verdicts are reused. */
function currentRun(record: JobRecord, now: number): { elapsedMs: number; rows: number } {
  const { runStartedAt, runBase, finishedAt, processed, reused } = record;
  const elapsedMs = runStartedAt === null ? 0 : (finishedAt ?? now) - runStartedAt;
  // Verdicts are reused at the start of the first run.
  return { elapsedMs, rows: processed - runBase - (runBase === 0 ? reused : 0) };
}

/** Null at the start of a run, and if rows wait longer for their mail servers. */
function etaSeconds(record: JobRecord, rate: number | null, now: number): number | null {
  const { state, total, processed, waiting, nextRetryAt } = record;
  if (state !== 'running' || rate === null) return null;
  const { elapsedMs, rows: asked } = currentRun(record, now);
  const seconds = secondsLeft({ asked, open: total - processed - waiting, rate, elapsedMs });
  if (seconds === null || (nextRetryAt !== null && now + seconds * 1000 < nextRetryAt)) return null;
  return Math.ceil(seconds);
}

/** True if its last run was not its first. */
function wasResumed({ startedAt, runStartedAt }: JobRecord): boolean {
  return startedAt !== null && runStartedAt !== null && runStartedAt > startedAt;
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
