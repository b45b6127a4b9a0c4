import { Failure } from '../../model/failure.js';
import type { JobResults } from '../../model/job.js';
import type { Layout, RowSource } from '../../rows/rows.js';
import { callerOfJob } from '../job-caller.js';
import type { JobRecord, JobStore } from '../store/store.js';
import type { TableReader } from '../uploads/preview-upload.js';
import type { AddressDependencies } from './addressed-rows.js';
import { isUnreadable, rowsWithVerdicts } from './rows-with-verdicts.js';

export type { MailboxVerdicts } from './addressed-rows.js';

interface ResultDependencies extends AddressDependencies {
  reader: TableReader;
}

/** The results of a job, or of all jobs of a group: every input row in order, also while it runs. All readers share the verdicts of a job. */
export async function jobResults(
  dependencies: ResultDependencies,
  owner: string,
  id: string,
  signal?: AbortSignal,
): Promise<JobResults> {
  const jobs = await jobsById(dependencies.store, owner, id);
  const [first] = jobs;
  if (first === undefined) {
    throw new Failure('not_found', 'There is no such job.', { hint: 'mailvet jobs list shows all jobs.' });
  }
  const source = await openList(dependencies, first, signal);
  const { hasHeader, delimiter, preamble = '', headerText, lineEnd = '\n' } = source;
  // Plain lines get a header with the added columns.
  const layout = {
    ...{ hasHeader: hasHeader || source.format !== 'csv', delimiter, preamble, lineEnd },
    ...(headerText !== undefined && { headerText }),
  };
  const { columns, emailColumns, close } = source;
  return { columns, emailColumns, layout, rows: rowsWithVerdicts(dependencies, jobs, source), close };
}

/** A job by its own id, or the jobs of a group by the group's. */
export async function jobsById(store: JobStore, owner: string, id: string): Promise<JobRecord[]> {
  const job = await store.getJob(owner, id);
  return job === null ? await store.jobsOfGroup(owner, id) : [job];
}

type StoredList = Layout & Pick<RowSource, 'format' | 'columns' | 'emailColumns' | 'chunks' | 'close'>;

/** The list of a job; an empty one where it cannot be read any more, since the job has its addresses. */
async function openList(
  { store, files, reader }: ResultDependencies,
  { owner, uploadId, emailColumn, filename, options }: JobRecord,
  signal: AbortSignal | undefined,
): Promise<StoredList> {
  const upload = await store.getUpload(owner, uploadId);
  const columns = options['columns'] as number[] | undefined;
  try {
    return await reader.open(await files.uploadPath(uploadId), emailColumn, filename, {
      ...upload?.reading,
      ...(columns && { columns }),
      ...(signal && { signal }),
      caller: callerOfJob(owner),
    });
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return emptyList();
  }
}

function emptyList(): StoredList {
  return {
    ...{ format: 'csv', hasHeader: true, delimiter: ',' },
    columns: ['email'],
    emailColumns: [0],
    chunks: (async function* () {})(),
    close: async () => {},
  };
}
