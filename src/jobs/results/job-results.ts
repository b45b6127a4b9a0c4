import { Failure } from '../../model/failure.js';
import type { JobResultRow, JobResults } from '../../model/job.js';
import type { Layout, Row, RowSource } from '../../rows/rows.js';
import type { JobRecord } from '../store/job-record.js';
import type { PreviewDependencies } from '../uploads/preview-upload.js';
import { openStoredList } from '../uploads/stored-list.js';
import { NumberedRows, type RowStores } from './verdict-table.js';

/** The results of a job, or of all jobs of a group: every input row in order, also while it runs. All readers share the verdicts of a job. */
export async function jobResults(
  dependencies: PreviewDependencies,
  owner: string,
  id: string,
  signal?: AbortSignal,
): Promise<JobResults> {
  const jobs = await dependencies.store.jobsOfGroup(owner, id);
  const [first] = jobs;
  if (first === undefined) {
    throw new Failure('not_found', 'There is no such job.', { hint: 'mailvet jobs list shows all jobs.' });
  }
  const parts = await dependencies.store.jobsOfGroup(owner, first.groupId);
  const stored = await openStoredList(dependencies, first, signal);
  const source: StoredList = stored ?? addressesOf(dependencies, jobs);
  const { hasHeader, delimiter, preamble = '', headerText, lineEnd = '\n', charset, tail } = source;
  // Plain lines get a header with the added columns.
  const layout = {
    ...{ hasHeader: hasHeader || source.format !== 'csv', delimiter, preamble, lineEnd },
    ...(headerText !== undefined && { headerText }),
    ...(charset && { charset }),
    ...(tail && { tail }),
  };
  const { columns, emailColumns, close } = source;
  const rows = rowsWithVerdicts(dependencies, stored === null ? jobs : parts, source, jobs);
  const { limit } = (await dependencies.store.getUpload(owner, first.uploadId))?.reading ?? {};
  const isPart = limit !== undefined;
  return { columns, emailColumns, layout, rows, firstRowNumber: hasHeader ? 2 : 1, isPart, close };
}

type StoredList = Layout & Pick<RowSource, 'format' | 'columns' | 'emailColumns' | 'chunks' | 'close'>;

/** Replaces a list that is gone: the recorded addresses of its jobs. */
function addressesOf({ files }: RowStores, jobs: readonly JobRecord[]): StoredList {
  async function* chunks(): AsyncGenerator<Row[]> {
    for (const { id } of jobs)
      for await (const emails of files.emailLists(id)) yield emails.map((email) => ({ cells: [email], email }));
  }
  return {
    ...{ format: 'csv', hasHeader: true, delimiter: ',', columns: ['email'], emailColumns: [0] },
    chunks: chunks(),
    close: async () => {},
  };
}

/**
 * The rows of a list with the verdicts of its jobs, by their numbers; only those of the `wanted` jobs. Throws if a row has another
 * address than was recorded.
 */
export async function* rowsWithVerdicts(
  dependencies: RowStores,
  jobs: readonly JobRecord[],
  list: Pick<RowSource, 'chunks'>,
  wanted: readonly JobRecord[] = jobs,
): JobResults['rows'] {
  const numberedRows = new NumberedRows(dependencies, jobs);
  const [from, to] = [wanted[0]?.firstRow ?? 0, endOf(wanted)];
  let number = jobs[0]?.firstRow ?? 0;
  /** Goes to the next row that was not deleted from the list; false after the last one. */
  const toNextRow = async (): Promise<boolean> => {
    for (; number < endOf(jobs); number++) {
      if (!numberedRows.isLoaded(number)) await numberedRows.load(number);
      if (!numberedRows.isDeleted(number)) return true;
    }
    return false;
  };
  try {
    for await (const chunk of list.chunks) {
      // The chunk is reused, so that a reader that empties it frees its rows.
      const rows = chunk as JobResultRow[];
      let resultCount = 0;
      for (const row of chunk) {
        // Mostly it is, and an await for each row would take longer than all else.
        const isNext = numberedRows.isLoaded(number) && !numberedRows.isDeleted(number);
        const verdict = isNext || (await toNextRow()) ? numberedRows.verdictOn(number, row.email) : 'another address';
        if (verdict === 'another address') throw changedList();
        if (number >= from && number < to) rows[resultCount++] = Object.assign(row, { verdict });
        number++;
      }
      rows.length = resultCount;
      if (resultCount > 0) yield rows;
      if (number >= to && to < endOf(jobs)) return;
    }
    if (await toNextRow()) throw changedList();
  } finally {
    await numberedRows.close();
  }
}

/** The row after the last one of the jobs. */
function endOf(jobs: readonly JobRecord[]): number {
  const last = jobs.at(-1);
  return last === undefined ? 0 : last.firstRow + last.total;
}

function changedList(): Failure {
  return new Failure('storage', 'The stored list does not give the rows that it gave when the job was created.', {
    hint: 'Another version of mailvet reads it differently, or it was changed by hand. Upload the list again; --max-age 30d reuses the verdicts.',
  });
}
