import type { RowVerdict } from '../../model/job.js';
import type { JobFiles } from '../store/files.js';
import type { JobRecord, JobStore } from '../store/store.js';
import { EmailsLost, recordedEmail } from '../uploads/email-record.js';
import { acquireVerdictTable, type VerdictTable } from './verdict-table.js';

/** A job whose rows are being read. */
interface OpenJob {
  firstRow: number;
  end: number;
  verdicts: VerdictTable;
  leave(): void;
  record: AsyncGenerator<string[]>;
}

/**
 * The verdicts of jobs by the row numbers of the list, read in order. Memory holds the verdicts of one job, which all readers share,
 * and some of its addresses.
 */
export class NumberedRows {
  readonly #store: JobStore;
  readonly #files: JobFiles;
  readonly #jobs: readonly JobRecord[];
  #nextJob = 0;
  #job: OpenJob | null = null;
  /** Recorded addresses of the rows `#firstRow` to `#endRow - 1`; null where the record is lost, so that numbers must do. */
  #emails: readonly string[] | null = [];
  #firstRow = 0;
  #endRow = 0;

  constructor({ store, files }: { store: JobStore; files: JobFiles }, jobs: readonly JobRecord[]) {
    this.#store = store;
    this.#files = files;
    this.#jobs = jobs;
  }

  /** False where `load` must be called first. */
  isLoaded(row: number): boolean {
    return this.#job !== null && row < this.#endRow && row < this.#job.end;
  }

  /** Loads a row; false after the last one of the jobs. */
  async load(row: number): Promise<boolean> {
    while (this.#job === null || row >= this.#job.end) {
      await this.close();
      const job = this.#jobs[this.#nextJob++];
      if (job === undefined) return false;
      this.#job = await this.#open(job);
    }
    while (row >= this.#endRow) await this.#readEmails(this.#job);
    return true;
  }

  /** The verdict on a loaded row, null while there is none; a text where the row belongs to another job or had another address. */
  verdictOn(row: number, email: string): RowVerdict | null | 'another job' | 'another address' {
    if (this.#job === null || row < this.#job.firstRow) return 'another job';
    if (this.#emails !== null && this.#emails[row - this.#firstRow] !== recordedEmail(email)) return 'another address';
    return this.#job.verdicts[row - this.#job.firstRow] ?? null;
  }

  async close(): Promise<void> {
    const job = this.#job;
    this.#job = null;
    job?.leave();
    await job?.record.return(undefined);
  }

  async #open(job: JobRecord): Promise<OpenJob> {
    const { firstRow, total, id } = job;
    this.#emails = [];
    this.#endRow = firstRow;
    const table = await acquireVerdictTable(this.#store, job);
    return { firstRow, end: firstRow + total, ...table, record: this.#files.emailLists(id) };
  }

  async #readEmails({ record, end }: OpenJob): Promise<void> {
    this.#emails = await nextEmails(record);
    this.#firstRow = this.#endRow;
    this.#endRow = this.#emails === null ? end : this.#firstRow + this.#emails.length;
  }
}

/** Null where the record is lost, or ends before its job does. */
async function nextEmails(record: AsyncGenerator<string[]>): Promise<string[] | null> {
  try {
    const { value, done } = await record.next();
    return done === true ? null : value;
  } catch (error) {
    if (error instanceof EmailsLost) return null;
    throw error;
  }
}
