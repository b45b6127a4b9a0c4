import { isGone } from '../../../disk/process-identity.js';
import { readJobRow, type StoredRow } from '../records.js';
import type { JobRecord } from '../store.js';

/** A row of `jobs`. A killed worker cannot say that it stopped, but its machine can. */
export function readJob(row: StoredRow): JobRecord {
  const job = readJobRow(row);
  return { ...job, interrupted: job.state === 'running' && job.worker !== null && isGone(job.worker) };
}
