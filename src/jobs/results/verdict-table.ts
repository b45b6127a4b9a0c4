import { LruMap } from '../../async/lru-map.js';
import { Failure } from '../../model/failure.js';
import type { RowVerdict } from '../../model/job.js';
import type { JobRecord } from '../store/job-record.js';
import type { JobStore } from '../store/store.js';

/** The verdict of each row of a job; null while there is none. Rows with equal verdicts share one object. */
export type VerdictTable = readonly (RowVerdict | null)[];

/** Bounds of the tables that are kept for the next page or download: their rows (8 bytes each), and the time. */
const maxKept = { maxEntries: 1_000, maxWeight: 1_000_000, ttlMs: 10_000 };

const tablesOfStores = new WeakMap<JobStore, LruMap<Promise<VerdictTable>>>();

/** The verdicts of a job, shared by all readers of its current state. */
export function verdictsOf(store: JobStore, job: JobRecord): Promise<VerdictTable> {
  const { id, processed, finishedAt, total } = job;
  const tables = tablesOfStores.get(store) ?? new LruMap(maxKept);
  tablesOfStores.set(store, tables);
  // The verdicts of a job that has not ended change without a notification.
  const changeToken = finishedAt === null ? null : store.changeToken();
  const key = `${id} ${processed} ${finishedAt} ${changeToken}`;
  const known = tables.get(key);
  if (known !== undefined) return known;
  const loading = loadVerdicts(store, job);
  tables.set(key, loading);
  tables.setWeight(key, total);
  const forget = (): void => tables.delete(key);
  loading.then(changeToken === null ? forget : () => {}, forget);
  return loading;
}

async function loadVerdicts(store: JobStore, job: JobRecord): Promise<VerdictTable> {
  const verdicts = new Array<RowVerdict | null>(job.total).fill(null);
  let rowsRead = 0;
  for await (const results of store.readResults(job.id)) {
    rowsRead += results.length;
    for (const { row, verdict, retryAt } of results)
      if (row < job.total) verdicts[row] = retryAt === null ? verdict : null;
  }
  // The rows of a deleted job would appear pending.
  if (rowsRead < job.processed && (await store.getJob(job.owner, job.id)) === null)
    throw new Failure('not_found', 'The job was deleted while its results were read.', {
      hint: 'Upload the list again to vet it.',
    });
  return verdicts;
}
