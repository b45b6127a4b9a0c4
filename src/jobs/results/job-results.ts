import { Failure } from '../../model/failure.js';
import type { JobResultRow, JobResults } from '../../model/job.js';
import type { Layout, Row, RowSource } from '../../rows/rows.js';
import type { JobRecord } from '../store/store.js';
import type { TableReader } from '../uploads/preview-upload.js';
import { isUnreadable, openStoredList } from '../uploads/stored-list.js';
import { type AddressDependencies, AddressedRows } from './addressed-rows.js';
import { NumberedRows } from './verdict-table.js';

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
  const jobs = await dependencies.store.jobsOfGroup(owner, id);
  const [first] = jobs;
  if (first === undefined) {
    throw new Failure('not_found', 'There is no such job.', { hint: 'mailvet jobs list shows all jobs.' });
  }
  const source: StoredList = (await openStoredList(dependencies, first, signal)) ?? emptyList();
  const { hasHeader, delimiter, preamble = '', headerText, lineEnd = '\n', charset, tail } = source;
  // Plain lines get a header with the added columns.
  const layout = {
    hasHeader: hasHeader || source.format !== 'csv',
    delimiter,
    preamble,
    lineEnd,
    ...(headerText !== undefined && { headerText }),
    ...(charset && { charset }),
    ...(tail && { tail }),
  };
  const { columns, emailColumns, close } = source;
  const rows = rowsWithVerdicts(dependencies, jobs, source);
  const { limit } = (await dependencies.store.getUpload(owner, first.uploadId))?.reading ?? {};
  const isPart = limit !== undefined;
  return { columns, emailColumns, layout, rows, firstRowNumber: hasHeader ? 2 : 1, isPart, close };
}

type StoredList = Layout & Pick<RowSource, 'format' | 'columns' | 'emailColumns' | 'chunks' | 'close'>;

/** Replaces a list that cannot be read any more: the rows then come from the addresses of the job. */
function emptyList(): StoredList {
  return {
    format: 'csv',
    hasHeader: true,
    delimiter: ',',
    columns: ['email'],
    emailColumns: [0],
    chunks: (async function* () {})(),
    close: async () => {},
  };
}

/**
 * The rows of a list with the verdicts of its jobs: by row number while each row has the recorded address, and by address from the
 * first row on that has another. No verdict is given to another address, and none is lost.
 */
export async function* rowsWithVerdicts(
  dependencies: AddressDependencies,
  jobs: readonly JobRecord[],
  list: Pick<RowSource, 'chunks' | 'columns' | 'emailColumns'>,
): JobResults['rows'] {
  const numberedRows = new NumberedRows(dependencies, jobs);
  let addressedRows: AddressedRows | null = null;
  let number = -1;
  try {
    for await (const chunk of readableChunks(list.chunks)) {
      // The chunk is reused, so that a reader that empties it frees its rows.
      const rows = chunk as JobResultRow[];
      let resultCount = 0;
      for (let index = 0; index < chunk.length; index++) {
        const row = chunk[index] as Row;
        number++;
        if (addressedRows === null) {
          const isRecorded = numberedRows.isLoaded(number) || (await numberedRows.load(number));
          if (!isRecorded && !includesLastPart(jobs)) {
            rows.length = resultCount;
            if (resultCount > 0) yield rows;
            return;
          }
          const verdict = isRecorded ? numberedRows.verdictOn(number, row.email) : 'another address';
          if (verdict === 'another job') continue;
          if (verdict !== 'another address') {
            rows[resultCount++] = Object.assign(row, { verdict });
            continue;
          }
          await numberedRows.close();
          addressedRows = await AddressedRows.open(dependencies, jobs, number);
        }
        const pairedRow = addressedRows.pair(chunk, index);
        if (pairedRow !== null) rows[resultCount++] = pairedRow;
      }
      rows.length = resultCount;
      if (resultCount > 0) yield rows;
    }
    if (addressedRows === null && number + 1 < endOf(jobs)) {
      addressedRows = await AddressedRows.open(dependencies, jobs, number + 1);
    }
    if (addressedRows !== null) yield* addressedRows.unlistedRows(list);
  } finally {
    await numberedRows.close();
  }
}

/** The row after the last one of the jobs. */
function endOf(jobs: readonly JobRecord[]): number {
  const last = jobs.at(-1);
  return last === undefined ? 0 : last.firstRow + last.total;
}

/** True if no rows of the list follow the last of these jobs. */
function includesLastPart(jobs: readonly JobRecord[]): boolean {
  const last = jobs.at(-1);
  return last !== undefined && last.part === last.parts - 1;
}

async function* readableChunks(chunks: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
  try {
    yield* chunks;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
}
