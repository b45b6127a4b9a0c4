import { Failure } from '../../model/failure.js';
import { emptyVerdict, type RowVerdict } from '../../model/job.js';
import type { JobFiles } from '../store/files.js';
import type { JobRecord } from '../store/job-record.js';
import { sameAsEarlierRow } from '../store/results.js';
import type { JobStore } from '../store/store.js';
import { deletedRow, EmailsLost, recordedEmail } from '../uploads/email-record.js';

/** The verdict of each row of a job; null while there is none. Rows with equal verdicts share one object. */
type VerdictTable = readonly (RowVerdict | null)[];

interface SharedTable {
  loading: Promise<VerdictTable>;
  readers: number;
  rows: number;
  /** The change token of the store before the table was loaded; null: the table is not kept without readers. */
  changeToken: string | null;
  unusedSince: number;
}

/** Limits for tables without readers, which are kept for the next page or download: their rows (8 bytes each), and the time. */
const maxUnusedRows = 1_000_000;
const keepMs = 10_000;

interface RowStores {
  store: JobStore;
  files: JobFiles;
}

/** The verdict tables of one store. */
class VerdictTables {
  /** Unused tables are in the order of their last use. */
  private readonly tables = new Map<string, SharedTable>();
  private unusedRows = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly stores: RowStores) {}

  acquire(job: JobRecord): SharedTable {
    const name = nameOf(job);
    const existing = this.tables.get(name);
    if (existing !== undefined && (existing.readers > 0 || this.reuse(name, existing))) {
      existing.readers++;
      return existing;
    }
    // The verdicts of a job that has not ended change without a notification.
    const changeToken = job.finishedAt === null ? null : this.stores.store.changeToken();
    const loading = loadVerdicts(this.stores, job);
    const created = { loading, readers: 1, rows: job.total, changeToken, unusedSince: 0 };
    this.tables.set(name, created);
    return created;
  }

  release(job: JobRecord, table: SharedTable, hasFailed = false): void {
    if (--table.readers > 0) return;
    const name = nameOf(job);
    this.tables.delete(name);
    if (hasFailed || table.changeToken === null) return;
    table.unusedSince = performance.now();
    this.tables.set(name, table);
    this.unusedRows += table.rows;
    this.evict();
  }

  /** Whether an unused table is still up to date; otherwise it is removed. */
  private reuse(name: string, table: SharedTable): boolean {
    this.unusedRows -= table.rows;
    const isFresh = performance.now() - table.unusedSince < keepMs;
    if (isFresh && table.changeToken === this.stores.store.changeToken()) return true;
    this.tables.delete(name);
    return false;
  }

  private evict(): void {
    const oldest = performance.now() - keepMs;
    for (const [name, table] of this.tables) {
      if (table.readers > 0) continue;
      if (table.unusedSince > oldest && this.unusedRows <= maxUnusedRows) break;
      this.tables.delete(name);
      this.unusedRows -= table.rows;
    }
    if (this.unusedRows === 0 || this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.evict();
    }, keepMs).unref();
  }
}

function nameOf({ id, processed, finishedAt }: JobRecord): string {
  return `${id} ${processed} ${finishedAt}`;
}

const tablesOfStores = new WeakMap<JobStore, VerdictTables>();

/** The verdicts of a job, shared by all concurrent readers of its current state, and kept for a moment after the last one. */
async function acquireVerdictTable(
  stores: RowStores,
  job: JobRecord,
): Promise<{ verdicts: VerdictTable; release(): void }> {
  const tables = tablesOfStores.get(stores.store) ?? new VerdictTables(stores);
  tablesOfStores.set(stores.store, tables);
  const shared = tables.acquire(job);
  try {
    return { verdicts: await shared.loading, release: () => tables.release(job, shared) };
  } catch (error) {
    tables.release(job, shared, true);
    throw error;
  }
}

/** Loads page by page, so that other work can run in between. */
async function loadVerdicts({ store, files }: RowStores, job: JobRecord): Promise<VerdictTable> {
  const verdicts = new Array<RowVerdict | null>(job.total).fill(null);
  let cursor = 0;
  let rowsRead = 0;
  for (;;) {
    const page = await store.readVerdicts(job.id, cursor);
    rowsRead += page.rows.length;
    for (const [index, row] of page.rows.entries()) if (row < job.total) verdicts[row] = page.verdicts[index] ?? null;
    if (page.next === null) break;
    cursor = page.next;
  }
  if (verdicts.some(isDuplicate)) {
    const { duplicates } = await files.readEmails(job.id);
    for (const [row, verdict] of verdicts.entries())
      if (isDuplicate(verdict)) verdicts[row] = verdicts[duplicates.get(row) ?? -1] ?? null;
  }
  // The rows of a deleted job would appear pending.
  if (rowsRead < job.processed && (await store.getJob(job.owner, job.id)) === null)
    throw new Failure('not_found', 'The job was deleted while its results were read.', {
      hint: 'Upload the list again to vet it.',
    });
  return verdicts;
}

function isDuplicate(verdict: RowVerdict | null): boolean {
  return verdict?.status === sameAsEarlierRow.status;
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
  /** Recorded addresses of the rows `firstRow` to `endRow - 1`. */
  private emails: readonly string[] = [];
  private firstRow = 0;
  private endRow = 0;

  constructor(
    private readonly dependencies: RowStores,
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

  /** True for a loaded row that was deleted from the list. */
  isDeleted(row: number): boolean {
    return this.emails[row - this.firstRow] === deletedRow;
  }

  /** The verdict on a loaded row, null while there is none; a string if the row had another address. */
  verdictOn(row: number, email: string): RowVerdict | null | 'another address' {
    if (this.job === null) return null;
    if (this.emails[row - this.firstRow] !== recordedEmail(email)) return 'another address';
    const verdict = this.job.verdicts[row - this.job.firstRow] ?? null;
    // A deleted address is recorded as empty, but its verdict stays.
    return email === '' && verdict !== null ? emptyVerdict : verdict;
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
    const table = await acquireVerdictTable(this.dependencies, job);
    return { firstRow, end: firstRow + total, ...table, record: this.dependencies.files.emailLists(id) };
  }

  private async readEmails({ record }: OpenJob): Promise<void> {
    const { value, done } = await record.next();
    if (done === true) throw new EmailsLost(null);
    this.emails = value;
    this.firstRow = this.endRow;
    this.endRow = this.firstRow + value.length;
  }
}
