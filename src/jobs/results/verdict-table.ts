import { Failure } from '../../model/failure.js';
import type { RowVerdict } from '../../model/job.js';
import type { JobRecord, JobStore } from '../store/store.js';

/** The verdict of each row of a job; null while there is none. Rows with equal verdicts share one object. */
export type VerdictTable = readonly (RowVerdict | null)[];

interface SharedTable {
  loading: Promise<VerdictTable>;
  readers: number;
}

const tables = new WeakMap<JobStore, Map<string, SharedTable>>();

/** The verdicts of a job, shared by all concurrent readers of its current state, and freed by the last one. */
export async function acquireVerdictTable(
  store: JobStore,
  job: JobRecord,
): Promise<{ verdicts: VerdictTable; leave(): void }> {
  const open = tables.get(store) ?? new Map<string, SharedTable>();
  tables.set(store, open);
  const name = `${job.id} ${job.processed} ${job.finishedAt}`;
  const shared = open.get(name) ?? { loading: loadVerdicts(store, job), readers: 0 };
  open.set(name, shared);
  shared.readers++;
  const leave = (): void => {
    if (--shared.readers === 0) open.delete(name);
  };
  try {
    return { verdicts: await shared.loading, leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Loads page by page, so that other work can run in between. */
async function loadVerdicts(store: JobStore, job: JobRecord): Promise<VerdictTable> {
  const verdicts = new Array<RowVerdict | null>(job.total).fill(null);
  let from = 0;
  let read = 0;
  for (;;) {
    const page = await store.readVerdicts(job.id, from);
    read += page.rows.length;
    for (const [at, row] of page.rows.entries()) if (row < job.total) verdicts[row] = page.verdicts[at] ?? null;
    if (page.next === null) break;
    from = page.next;
  }
  // A deleted job has lost its verdicts, and its rows would look pending.
  if (read < job.processed && (await store.getJob(job.owner, job.id)) === null)
    throw new Failure('not_found', 'The job was deleted while its results were read.', {
      hint: 'Upload the list again to vet it.',
    });
  return verdicts;
}
