import { addSubCounts } from './job-sums.js';
import type { KeyRecord } from './keys.js';
import type { Batch, JobRecord, NewJob, UploadRecord } from './store.js';

type Value = string | number | null;

/** The columns of a job that is made, in the order of `jobValues`. */
export const newJobColumns =
  'id, group_id, part, parts, owner, upload_id, filename, email_column, options, first_row, total, unique_total, reserved, created_at';

/** A job as it is written down first; `reserved` are the credits kept for it, or null where it costs none. */
export function jobValues(job: NewJob, reserved: number | null): Value[] {
  const { id, groupId, part, parts, owner, uploadId, filename, emailColumn, firstRow, total, uniqueTotal } = job;
  const place = [id, groupId, part, parts, owner, uploadId, filename, emailColumn];
  return [...place, JSON.stringify(job.options), firstRow, total, uniqueTotal, reserved, job.createdAt];
}

/** An upload in the order of its table, but for the group, which nobody knows before it is confirmed. */
export function uploadValues(upload: UploadRecord): Value[] {
  const { id, owner, filename, source, sourceSize, sourceChanged, columns, rowCount, rowCountExact } = upload;
  const file = [id, owner, filename, source, sourceSize, sourceChanged, JSON.stringify(columns)];
  return [...file, rowCount, rowCountExact ? 1 : 0, upload.createdAt, JSON.stringify(upload.reading)];
}

/** A key as it is written down first, in the order of `newKeyColumns`. */
export function keyValues(key: KeyRecord, hash: string): Value[] {
  const { id, name, prefix, plan, credits, granted, createdAt, expiresAt } = key;
  return [id, name, prefix, hash, plan, credits, granted, createdAt, expiresAt];
}

export const newKeyColumns = 'id, name, prefix, hash, plan, credits, granted, created_at, expires_at';

/** What a batch adds to a job: the six counts, the counts by reason, whether the resolver was down, and what was reused. */
export function batchValues({ subCounts }: Pick<JobRecord, 'subCounts'>, batch: Batch): Value[] {
  const { processed, valid, invalid, risky, unknown, duplicate } = batch.counts;
  const sums = JSON.stringify(addSubCounts(subCounts, batch.subCounts));
  const counts = [processed, valid, invalid, risky, unknown, duplicate];
  return [...counts, sums, Number(batch.resolverDown ?? false), batch.reused ?? 0];
}

/** Rows that wait after a batch, and when the next of them is due. */
export function waitValues({ waits }: Batch): Value[] {
  return [waits?.rows ?? 0, waits?.nextAt ?? null];
}
