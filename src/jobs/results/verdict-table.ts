import { Failure } from '../../model/failure.js';
import type { RowVerdict } from '../../model/job.js';
import type { JobFiles } from '../store/files.js';
import type { JobRecord, JobStore } from '../store/store.js';
import { EmailsLost, recordedEmail } from '../uploads/email-record.js';

/** The verdict of each row of a job; null while there is none. Rows with equal verdicts share one object. */
type VerdictTable = readonly (RowVerdict | null)[];

interface SharedTable {
  loading: Promise<VerdictTable>;
  readers: number;
}

const tables = new WeakMap<JobStore, Map<string, SharedTable>>();

/** The verdicts of a job, shared by all concurrent readers of its current state, and freed by the last one. */
export async function acquireVerdictTable(
  store: JobStore,
  job: JobRecord,
): Promise<{ verdicts: VerdictTable; release(): void }> {
  const sharedTables = tables.get(store) ?? new Map<string, SharedTable>();
  tables.set(store, sharedTables);
  const name = `${job.id} ${job.processed} ${job.finishedAt}`;
  const shared = sharedTables.get(name) ?? { loading: loadVerdicts(store, job), readers: 0 };
  sharedTables.set(name, shared);
  shared.readers++;
  const leave = (): void => {
    if (--shared.readers === 0) sharedTables.delete(name);
  };
  try {
    return { verdicts: await shared.loading, release: leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Loads page by page, so that other work can run in between. */
async function loadVerdicts(store: JobStore, job: JobRecord): Promise<VerdictTable> {
  const verdicts = new Array<RowVerdict | null>(job.total).fill(null);
  let cursor = 0;
  let rowsRead = 0;
  for (;;) {
    const page = await store.readVerdicts(job.id, cursor);
    rowsRead += page.rows.length;
    for (const [at, row] of page.rows.entries()) if (row < job.total) verdicts[row] = page.verdicts[at] ?? null;
    if (page.next === null) break;
    cursor = page.next;
  }
  // The rows of a deleted job would appear pending.
  if (rowsRead < job.processed && (await store.getJob(job.owner, job.id)) === null)
    throw new Failure('not_found', 'The job was deleted while its results were read.', {
      hint: 'Upload the list again to vet it.',
    });
  return verdicts;
}

/** A job whose rows are being read. */
interface OpenJob {
  firstRow: number;
  end: number;
  verdicts: VerdictTable;
  release(): void;
  record: AsyncGenerator<string[]>;
}

/**
 * The verdicts of jobs by the row numbers of the list, read in order. Memory holds the verdicts of one job, which all readers share,
 * and some of its addresses.
 */
export class NumberedRows {
  private nextJob = 0;
  private job: OpenJob | null = null;
  /** Recorded addresses of the rows `firstRow` to `endRow - 1`; null if the record is lost, so that only numbers are compared. */
  private emails: readonly string[] | null = [];
  private firstRow = 0;
  private endRow = 0;

  constructor(
    private readonly dependencies: { store: JobStore; files: JobFiles },
    private readonly jobs: readonly JobRecord[],
  ) {}

  /** False if `load` must be called first. */
  isLoaded(row: number): boolean {
    return this.job !== null && row < this.endRow && row < this.job.end;
  }

  /** Loads a row; false after the last one of the jobs. */
  async load(row: number): Promise<boolean> {
    while (this.job === null || row >= this.job.end) {
      await this.close();
      const job = this.jobs[this.nextJob++];
      if (job === undefined) return false;
      this.job = await this.open(job);
    }
    while (row >= this.endRow) await this.readEmails(this.job);
    return true;
  }

  /** The verdict on a loaded row, null while there is none; a text if the row belongs to another job or had another address. */
  verdictOn(row: number, email: string): RowVerdict | null | 'another job' | 'another address' {
    if (this.job === null || row < this.job.firstRow) return 'another job';
    if (this.emails !== null && this.emails[row - this.firstRow] !== recordedEmail(email)) return 'another address';
    return this.job.verdicts[row - this.job.firstRow] ?? null;
  }

  async close(): Promise<void> {
    const job = this.job;
    this.job = null;
    job?.release();
    await job?.record.return(undefined);
  }

  private async open(job: JobRecord): Promise<OpenJob> {
    const { firstRow, total, id } = job;
    this.emails = [];
    this.endRow = firstRow;
    const table = await acquireVerdictTable(this.dependencies.store, job);
    return { firstRow, end: firstRow + total, ...table, record: this.dependencies.files.emailLists(id) };
  }

  private async readEmails({ record, end }: OpenJob): Promise<void> {
    this.emails = await nextEmails(record);
    this.firstRow = this.endRow;
    this.endRow = this.emails === null ? end : this.firstRow + this.emails.length;
  }
}

/** Null if the record is lost, or ends before its job does. */
async function nextEmails(record: AsyncGenerator<string[]>): Promise<string[] | null> {
  try {
    const { value, done } = await record.next();
    return done === true ? null : value;
  } catch (error) {
    if (error instanceof EmailsLost) return null;
    throw error;
  }
}
