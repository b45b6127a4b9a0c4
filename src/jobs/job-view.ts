import type { Job } from '../model/job.js';
import type { JobRecord } from './store/store.js';

export function toJob(record: JobRecord, now: number): Job {
  const { interrupted, valid, invalid, risky, unknown, duplicate } = record;
  const empty = record.processed - valid - invalid - risky - unknown - duplicate;
  const rate = interrupted ? null : rowsPerSecond(record, now);
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
    credits_used: record.processed - record.duplicate - empty,
    ...(empty > 0 && { empty_count: empty }),
    created_at: new Date(record.createdAt).toISOString(),
    started_at: isoOrNull(record.startedAt),
    finished_at: isoOrNull(record.finishedAt),
    eta_seconds: etaSeconds(record, rate),
    rows_per_second: rate,
    error: record.error,
    sub_status_counts: record.subCounts,
    group_id: record.parts > 1 ? record.groupId : null,
    ...(interrupted && { interrupted }),
    ...(record.resolverDown && { resolver_down: true }),
    ...(record.reused > 0 && { reused_count: record.reused }),
  };
}

/** Rows per second in the current run; null before the first row. */
function rowsPerSecond(record: JobRecord, now: number): number | null {
  if (record.runStartedAt === null) return null;
  const seconds = ((record.finishedAt ?? now) - record.runStartedAt) / 1000;
  const rows = record.processed - record.runBase;
  return seconds > 0 && rows > 0 ? rows / seconds : null;
}

function etaSeconds({ state, total, processed }: JobRecord, rate: number | null): number | null {
  return state !== 'running' || rate === null ? null : Math.ceil((total - processed) / rate);
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
