import { LruMap } from '../../async/lru-map.js';
import { Failure } from '../../model/failure.js';
import { emptyVerdict, type RowVerdict } from '../../model/job.js';
import type { JobFiles } from '../store/files.js';
import type { JobRecord } from '../store/job-record.js';
import { sameAsEarlierRow } from '../store/results.js';
import type { JobStore } from '../store/store.js';
import { deletedRow, EmailsLost, recordedEmail } from '../uploads/email-record.js';

/** The verdict of each row of a job; null while there is none. Rows with equal verdicts share one object. */
type VerdictTable = readonly (RowVerdict | null)[];

export interface RowStores {
  store: JobStore;
  files: JobFiles;
}

/** Bounds of the tables that are kept for the next page or download: their rows (8 bytes each), and the time. */
const maxKept = { maxEntries: 1_000, maxWeight: 1_000_000, ttlMs: 10_000 };

const tablesOfStores = new WeakMap<JobStore, LruMap<Promise<VerdictTable>>>();

/** The verdicts of a job, shared by all readers of its current state. */
function verdictsOf(stores: RowStores, job: JobRecord): Promise<VerdictTable> {
  const { id, processed, finishedAt, total } = job;
  const tables = tablesOfStores.get(stores.store) ?? new LruMap(maxKept);
  tablesOfStores.set(stores.store, tables);
  // The verdicts of a job that has not ended change without a notification.
  const changeToken = finishedAt === null ? null : stores.store.changeToken();
  const key = `${id} ${processed} ${finishedAt} ${changeToken}`;
  const known = tables.get(key);
  if (known !== undefined) return known;
  const loading = loadVerdicts(stores, job);
  tables.set(key, loading);
  tables.setWeight(key, total);
  const forget = (): void => tables.delete(key);
  loading.then(changeToken === null ? forget : () => {}, forget);
  return loading;
}

async function loadVerdicts({ store, files }: RowStores, job: JobRecord): Promise<VerdictTable> {
  const verdicts = new Array<RowVerdict | null>(job.total).fill(null);
  let rowsRead = 0;
  for await (const results of store.readResults(job.id)) {
    rowsRead += results.length;
    for (const { row, verdict, retryAt } of results)
      if (row < job.total) verdicts[row] = retryAt === null ? verdict : null;
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
    await job?.record.return(undefined);
  }

  private async open(job: JobRecord): Promise<OpenJob> {
    const { firstRow, total, id } = job;
    this.emails = [];
    this.endRow = firstRow;
    const verdicts = await verdictsOf(this.dependencies, job);
    return { firstRow, end: firstRow + total, verdicts, record: this.dependencies.files.emailLists(id) };
  }

  private async readEmails({ record }: OpenJob): Promise<void> {
    const { value, done } = await record.next();
    if (done === true) throw new EmailsLost(null);
    this.emails = value;
    this.firstRow = this.endRow;
    this.endRow = this.firstRow + value.length;
  }
}
