import { readJobRow, type StoredRow } from '../records.js';
import type { JobRecord } from '../store.js';
import { isDead } from './heartbeat.js';

/** True of a job whose worker is dead, or has not written for a whole lease, by the database's clock. */
export const isAbandoned = `(jobs.state = 'running' AND (jobs.lease_until < mailvet.now_ms() OR ${isDead('jobs.node')}))`;

/** What `readJob` needs of a job. */
export const jobColumns = `jobs.*, ${isAbandoned} AS interrupted`;

/** A row of `jobs`, selected by `jobColumns`. */
export function readJob(row: StoredRow): JobRecord {
  return { ...readJobRow(row), interrupted: row['interrupted'] === true };
}
