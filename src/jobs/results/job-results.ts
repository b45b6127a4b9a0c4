import { Failure } from '../../model/failure.js';
import { emptyVerdict, type JobResultRow, type JobResults, type RowVerdict } from '../../model/job.js';
import type { Layout, Row, RowSource } from '../../rows/rows.js';
import type { ListedEmail } from '../store/files.js';
import type { JobRecord } from '../store/job-record.js';
import { sameAsEarlierRow } from '../store/results.js';
import { addressOf, deletedRow, EmailsLost, recordedEmail } from '../uploads/email-record.js';
import type { PreviewDependencies } from '../uploads/preview-upload.js';
import { openStoredList } from '../uploads/stored-list.js';
import { type VerdictTable, verdictsOf } from './verdict-table.js';

/** The results of a job: every input row in order, also while it runs. All readers share the verdicts of a job. */
export async function jobResults(
  dependencies: PreviewDependencies,
  owner: string,
  id: string,
  signal?: AbortSignal,
): Promise<JobResults> {
  const job = await dependencies.store.getJob(owner, id);
  if (job === null) {
    throw new Failure('not_found', 'There is no such job.', { hint: 'mailvet jobs list shows all jobs.' });
  }
  const source: StoredList = (await openStoredList(dependencies, job, signal)) ?? addressesOf(dependencies, job);
  const { columns, emailColumns, format, chunks, close, ...listLayout } = source;
  const { hasHeader } = listLayout;
  // Plain lines get a header with the added columns.
  const layout = { ...listLayout, hasHeader: hasHeader || format !== 'csv' };
  const rows = rowsWithVerdicts(dependencies, job, { chunks });
  const isPart = (await dependencies.store.getUpload(owner, job.uploadId))?.reading.limit !== undefined;
  return { columns, emailColumns, layout, rows, firstRowNumber: hasHeader ? 2 : 1, isPart, close };
}

type StoredList = Layout & Pick<RowSource, 'format' | 'columns' | 'emailColumns' | 'chunks' | 'close'>;

/** Replaces a list that is gone: the recorded addresses of its job. */
function addressesOf({ files }: PreviewDependencies, { id }: JobRecord): StoredList {
  async function* chunks(): AsyncGenerator<Row[]> {
    for await (const emails of files.readEmails(id))
      yield emails
        .filter((listed) => listed !== deletedRow)
        .map(addressOf)
        .map((email) => ({ cells: [email], email }));
  }
  return {
    ...{ format: 'csv', hasHeader: true, delimiter: ',', columns: ['email'], emailColumns: [0] },
    chunks: chunks(),
    close: async () => {},
  };
}

/** The rows of a list with the verdicts of its job, by their numbers. Throws if a row has another address than was recorded. */
export async function* rowsWithVerdicts(
  { store, files }: Pick<PreviewDependencies, 'store' | 'files'>,
  job: JobRecord,
  list: Pick<RowSource, 'chunks'>,
): JobResults['rows'] {
  const record = files.readEmails(job.id);
  let verdicts: VerdictTable = [];
  /** Recorded addresses, the number of the first row of them, and the place of the next one. */
  let [listed, firstRow, next]: [ListedEmail[], number, number] = [[], 0, 0];
  /** Goes to the next row that was not deleted from the list; false after the last one. */
  const toNextRow = async (): Promise<boolean> => {
    for (;;) {
      while (listed[next] === deletedRow) next++;
      if (next < listed.length) return true;
      firstRow += listed.length;
      if (firstRow >= job.total) return false;
      if (firstRow === 0) verdicts = await verdictsOf(store, job);
      const { value, done } = await record.next();
      if (done === true) throw new EmailsLost(null);
      [listed, next] = [value, 0];
    }
  };
  /** The verdict on the next row, null while there is none. */
  const takeVerdict = (email: string): RowVerdict | null => {
    const recorded = listed[next] ?? '';
    if (addressOf(recorded) !== recordedEmail(email)) throw changedList();
    const own = verdicts[firstRow + next++] ?? null;
    const isSame = typeof recorded !== 'string' && own?.status === sameAsEarlierRow.status;
    const verdict = isSame ? (verdicts[recorded[1] ?? -1] ?? null) : own;
    // A deleted address is recorded as empty, but its verdict stays.
    return email === '' && verdict !== null ? emptyVerdict : verdict;
  };
  try {
    for await (const chunk of list.chunks) {
      // The chunk is reused, so that a reader that empties it frees its rows.
      const rows = chunk as JobResultRow[];
      for (const row of rows) {
        // Mostly the next row is known, and an await for each would take longer than all else.
        const isKnown = next < listed.length && listed[next] !== deletedRow;
        if (!isKnown && !(await toNextRow())) throw changedList();
        row.verdict = takeVerdict(row.email);
      }
      if (rows.length > 0) yield rows;
    }
    if (await toNextRow()) throw changedList();
  } finally {
    await record.return(undefined);
  }
}

function changedList(): Failure {
  return new Failure('storage', 'The stored list does not give the rows that it gave when the job was created.', {
    hint: 'Another version of mailvet reads it differently, or it was changed by hand. Upload the list again; --max-age 30d reuses the verdicts.',
  });
}
