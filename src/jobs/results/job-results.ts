import { Failure } from '../../model/failure.js';
import type { JobResultRow, JobResults, RowVerdict } from '../../model/job.js';
import type { Row } from '../../rows/rows.js';
import type { JobFiles } from '../store/files.js';
import type { JobRecord, JobStore } from '../store/store.js';
import type { TableReader } from '../uploads/upload-dependencies.js';

interface ResultDependencies {
  store: JobStore;
  files: JobFiles;
  reader: TableReader;
}

/** The results of a job or, by a group's id, of all its jobs: every input row in order, also while it runs. Memory holds one job's verdicts at a time, a few bytes a row, whatever number of readers there are. */
export async function jobResults(
  dependencies: ResultDependencies,
  owner: string,
  id: string,
  signal?: AbortSignal,
): Promise<JobResults> {
  const { store, files, reader } = dependencies;
  const jobs = await jobsById(store, owner, id);
  const [first] = jobs;
  if (first === undefined) {
    throw new Failure('not_found', 'There is no such job.', { hint: 'mailvet jobs list shows all jobs.' });
  }
  const upload = await store.getUpload(owner, first.uploadId);
  const columns = first.options['columns'] as number[] | undefined;
  const source = await reader.open(await files.uploadPath(first.uploadId), first.emailColumn, first.filename, {
    ...upload?.reading,
    ...(columns && { columns }),
    ...(signal && { signal }),
  });
  const { hasHeader, delimiter, opening = '', headerText, lineEnd = '\n' } = source;
  // Plain lines have no header of their own, and get one with the columns that are added.
  const layout = {
    ...{ hasHeader: hasHeader || source.format !== 'csv', delimiter, opening, lineEnd },
    ...(headerText !== undefined && { headerText }),
  };
  const { columns: names, emailColumns, close } = source;
  return { columns: names, emailColumns, layout, rows: withVerdicts(store, jobs, source.chunks), close };
}

/** A job by its own id, or the jobs of a group by the group's. */
export async function jobsById(store: JobStore, owner: string, id: string): Promise<JobRecord[]> {
  const job = await store.getJob(owner, id);
  return job === null ? await store.jobsOfGroup(owner, id) : [job];
}

async function* withVerdicts(
  store: JobStore,
  jobs: readonly JobRecord[],
  chunks: AsyncIterable<Row[]>,
): JobResults['rows'] {
  let next = 0;
  let current: { job: JobRecord; verdicts: VerdictTable; leave(): void } | null = null;
  let at = -1;
  try {
    for await (const chunk of chunks) {
      // In its place: whoever takes the rows and empties the list of them leaves none to anybody.
      const rows = chunk as JobResultRow[];
      let kept = 0;
      for (const row of chunk) {
        at++;
        while (current === null || at >= current.job.firstRow + current.job.total) {
          const job = jobs[next++];
          if (job === undefined) {
            if (coversTheEnd(jobs)) throw readOtherwise();
            rows.length = kept;
            if (kept > 0) yield rows;
            return;
          }
          current?.leave();
          current = { job, ...(await sharedTable(store, job)) };
        }
        if (at < current.job.firstRow) continue;
        rows[kept++] = Object.assign(row, { verdict: current.verdicts[at - current.job.firstRow] ?? null });
      }
      rows.length = kept;
      if (kept > 0) yield rows;
    }
    if (at + 1 < endOf(jobs)) throw readOtherwise();
  } finally {
    current?.leave();
  }
}

/** The row after the last one of the jobs. */
function endOf(jobs: readonly JobRecord[]): number {
  const last = jobs.at(-1);
  return last === undefined ? 0 : last.firstRow + last.total;
}

/** After the last of these jobs the list has no more rows. */
function coversTheEnd(jobs: readonly JobRecord[]): boolean {
  const last = jobs.at(-1);
  return last !== undefined && last.part === last.parts - 1;
}

/** Verdicts belong to rows by their number, so a list that gives other rows than it gave to the job would get those of its neighbours. */
function readOtherwise(): Failure {
  return new Failure('storage', 'The list does not give the rows that it gave when the job was made.', {
    hint: 'This version of mailvet reads it otherwise, or the data directory was changed. Upload the file again.',
  });
}

/** The verdict on each row of a job; null while there is none. Rows with the same one share it. */
type VerdictTable = readonly (RowVerdict | null)[];

interface SharedTable {
  loading: Promise<VerdictTable>;
  readers: number;
}

const tables = new WeakMap<JobStore, Map<string, SharedTable>>();

/** All who read the same state of a job at the same time share its verdicts; the last one to leave takes them along. */
async function sharedTable(store: JobStore, job: JobRecord): Promise<{ verdicts: VerdictTable; leave(): void }> {
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

/** A few commits at a time, so that others get their turn between them. */
async function loadVerdicts(store: JobStore, job: JobRecord): Promise<VerdictTable> {
  const verdicts = new Array<RowVerdict | null>(job.total).fill(null);
  let from = 0;
  for (;;) {
    const page = await store.readVerdicts(job.id, from);
    for (const [at, row] of page.rows.entries()) if (row < job.total) verdicts[row] = page.verdicts[at] ?? null;
    if (page.next === null) return verdicts;
    from = page.next;
  }
}
