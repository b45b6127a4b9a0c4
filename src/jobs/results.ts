import { Failure } from '../model/failure.js';
import type { JobResults, RowVerdict } from '../model/job.js';
import type { JobRecord, JobStore } from './store/store.js';
import type { JobFiles } from './uploads/job-files.js';
import type { TableReader } from './uploads/uploads.js';

export interface ResultDependencies {
  store: JobStore;
  files: JobFiles;
  reader: TableReader;
}

/** The results of a job or, by a group's id, of all its jobs: every input row in order, also while it runs. Memory holds one job's verdicts at a time. */
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
    throw new Failure('not_found', 'There is no such job.', { hint: 'mailvet jobs list shows the jobs there are.' });
  }
  const source = await reader.open(files.uploadPath(first.uploadId), first.emailColumn, first.filename, signal);
  // Plain lines have no header of their own, and get one with the columns that are added.
  const layout = { hasHeader: source.hasHeader || source.format !== 'csv', delimiter: source.delimiter };
  return { columns: source.columns, layout, rows: withVerdicts(store, jobs, source.chunks) };
}

/** A job by its own id, or the jobs of a group by the group's. */
export async function jobsById(store: JobStore, owner: string, id: string): Promise<JobRecord[]> {
  const job = await store.getJob(owner, id);
  return job === null ? await store.jobsOfGroup(owner, id) : [job];
}

async function* withVerdicts(
  store: JobStore,
  jobs: readonly JobRecord[],
  chunks: AsyncIterable<{ cells: string[]; email: string }[]>,
): JobResults['rows'] {
  let next = 0;
  let current: { job: JobRecord; verdicts: (RowVerdict | undefined)[] } | null = null;
  let at = -1;
  for await (const chunk of chunks) {
    for (const { cells, email } of chunk) {
      at++;
      while (current === null || at >= current.job.firstRow + current.job.total) {
        const job = jobs[next++];
        if (job === undefined) return;
        current = { job, verdicts: await loadVerdicts(store, job) };
      }
      if (at < current.job.firstRow) continue;
      yield { cells, email, verdict: current.verdicts[at - current.job.firstRow] ?? null };
    }
  }
}

async function loadVerdicts(store: JobStore, job: JobRecord): Promise<(RowVerdict | undefined)[]> {
  const verdicts = new Array<RowVerdict | undefined>(job.total);
  for (const { row, verdict } of await store.loadResults(job.id)) verdicts[row] = verdict;
  return verdicts;
}
