import { timeSlicesFor } from '../../async/time-slicer.js';
import { Failure } from '../../model/failure.js';
import { emptyVerdict, type JobResultRow, type RowVerdict } from '../../model/job.js';
import { isFirstPart, type Row } from '../../rows/rows.js';
import { addressRow } from '../../rows/table/address-row.js';
import type { JobFiles } from '../store/files.js';
import type { JobRecord, JobStore } from '../store/store.js';
import { EmailsLost, recordedEmail } from '../uploads/email-record.js';
import { acquireVerdictTable } from './verdict-table.js';

/** The mailboxes of jobs and their verdicts, in a few bytes each. */
export interface MailboxVerdicts {
  /** The entry of a mailbox, created if there is none; entries count from 0. */
  entryOf(key: string): number;
  /** True for the first call with an entry. */
  markSeen(entry: number): boolean;
  remember(entry: number, verdict: RowVerdict): void;
  /** Null if nothing was remembered. */
  recall(entry: number): RowVerdict | null;
}

export interface AddressDependencies {
  store: JobStore;
  files: JobFiles;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  createMailboxVerdicts(): MailboxVerdicts;
}

const rowsPerChunk = 500;

/** Pairs rows with the verdicts of jobs by address, if the list no longer has the rows that were recorded. */
export class AddressedRows {
  private readonly mailboxes: MailboxVerdicts;
  /** False if only some jobs of a list were requested: then only rows with their addresses belong to them. */
  private readonly isWholeList: boolean;
  /** Entries below it belong to recorded addresses. */
  private recordedEntries = 0;
  /** Recorded rows that no row of the list was paired with yet. */
  private rowsLeft = 0;
  private isRequestedRow = true;

  private constructor(
    private readonly dependencies: AddressDependencies,
    private readonly jobs: readonly JobRecord[],
  ) {
    this.mailboxes = dependencies.createMailboxVerdicts();
    this.isWholeList = jobs.length === jobs[0]?.parts;
  }

  /** Creates the pairing for a list whose rows differ from the recorded ones from `firstRow` on. */
  static async open(
    dependencies: AddressDependencies,
    jobs: readonly JobRecord[],
    firstRow: number,
  ): Promise<AddressedRows> {
    const rows = new AddressedRows(dependencies, jobs);
    for await (const { email, row, verdict } of recordedRows(dependencies, jobs)) {
      if (row >= firstRow) rows.rowsLeft++;
      if (email === '') continue;
      const entry = rows.entryOf(email);
      rows.recordedEntries = Math.max(rows.recordedEntries, entry + 1);
      if (verdict !== null) rows.mailboxes.remember(entry, verdict);
      if (row < firstRow) rows.mailboxes.markSeen(entry);
    }
    return rows;
  }

  /** The row at an index of a chunk with its verdict; null if it belongs to a job that was not requested. */
  pair(chunk: readonly Row[], index: number): JobResultRow | null {
    const row = chunk[index];
    if (row === undefined) return null;
    if (!this.isWholeList && isFirstPart(row)) {
      const parts = chunk.slice(index, index + (row.part?.of ?? 1));
      this.isRequestedRow = this.rowsLeft > 0 && parts.some(({ email }) => email !== '' && this.isRecorded(email));
    }
    if (!this.isRequestedRow) return null;
    this.rowsLeft--;
    if (row.email === '') return Object.assign(row, { verdict: emptyVerdict });
    const entry = this.entryOf(row.email);
    this.mailboxes.markSeen(entry);
    if (entry < this.recordedEntries) return Object.assign(row, { verdict: this.mailboxes.recall(entry) });
    return Object.assign(row, { verdict: null, unpaired: 'not_vetted' as const });
  }

  /** Called after the last row: the vetted addresses that no row of the list has. */
  async *unlistedRows(layout: {
    columns: readonly string[];
    emailColumns: readonly number[];
  }): AsyncGenerator<JobResultRow[]> {
    let rows: JobResultRow[] = [];
    for await (const { email } of recordedRows(this.dependencies, this.jobs)) {
      const entry = email === '' ? null : this.entryOf(email);
      const verdict = entry !== null && this.mailboxes.markSeen(entry) ? this.mailboxes.recall(entry) : null;
      if (verdict === null) continue;
      rows.push(...addressRow(email, layout).map((row) => unlistedRow(row, verdict)));
      if (rows.length < rowsPerChunk) continue;
      yield rows;
      rows = [];
    }
    if (rows.length > 0) yield rows;
  }

  private isRecorded(email: string): boolean {
    return this.entryOf(email) < this.recordedEntries;
  }

  private entryOf(email: string): number {
    return this.mailboxes.entryOf(this.dependencies.canonical(recordedEmail(email)));
  }
}

function unlistedRow(row: Row, verdict: RowVerdict): JobResultRow {
  return row.email === '' ? { ...row, verdict: emptyVerdict } : { ...row, verdict, unpaired: 'not_in_list' };
}

/** Each recorded row of the jobs, with its number in the list. */
async function* recordedRows(
  { store, files }: AddressDependencies,
  jobs: readonly JobRecord[],
): AsyncGenerator<{ email: string; row: number; verdict: RowVerdict | null }> {
  for (const job of jobs) {
    const { maybeYield } = timeSlicesFor({ priority: 'job', owner: job.owner, taskId: job.id });
    const { verdicts, release } = await acquireVerdictTable(store, job);
    let row = 0;
    try {
      for await (const emails of files.emailLists(job.id)) {
        for (const email of emails) {
          const pause = maybeYield();
          if (pause !== null) await pause;
          yield { email, row: job.firstRow + row, verdict: verdicts[row] ?? null };
          row++;
        }
      }
      if (row < job.total) throw new EmailsLost(null);
    } catch (error) {
      throw error instanceof EmailsLost ? recordLostFailure(error) : error;
    } finally {
      release();
    }
  }
}

function recordLostFailure(cause: Failure): Failure {
  return new Failure(
    'storage',
    'The list does not give the rows that it gave when the job was created, and the record of its addresses is lost.',
    { hint: 'The data directory was changed by hand; upload the file again.', cause },
  );
}
