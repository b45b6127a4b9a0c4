import type { NewJob, UploadRecord } from './store.js';

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
