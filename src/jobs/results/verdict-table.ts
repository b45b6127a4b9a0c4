import { LruMap } from '../../async/lru-map.js';
import { Failure } from '../../model/failure.js';
import { emptyVerdict, type RowVerdict } from '../../model/job.js';
import type { JobFiles, ListedEmail } from '../store/files.js';
import type { JobRecord } from '../store/job-record.js';
import { sameAsEarlierRow } from '../store/results.js';
import type { JobStore } from '../store/store.js';
import { addressOf, deletedRow, EmailsLost, recordedEmail } from '../uploads/email-record.js';

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

async function loadVerdicts({ store }: RowStores, job: JobRecord): Promise<VerdictTable> {
  const verdicts = new Array<RowVerdict | null>(job.total).fill(null);
  let rowsRead = 0;
  for await (const results of store.readResults(job.id)) {
    rowsRead += results.length;
    for (const { row, verdict, retryAt } of results)
      if (row < job.total) verdicts[row] = retryAt === null ? verdict : null;
  }
  // The rows of a deleted job would appear pending.
  if (rowsRead < job.processed && (await store.getJob(job.owner, job.id)) === null)
    throw new Failure('not_found', 'The job was deleted while its results were read.', {
      hint: 'Upload the list again to vet it.',
    });
  return verdicts;
}

/** The verdicts of a job by row, read in order. Memory holds the verdicts, which all readers share, and some addresses. */
export class NumberedRows {
  private verdicts: VerdictTable | null = null;
  private readonly record: AsyncGenerator<ListedEmail[]>;
  /** Recorded addresses of the rows `firstRow` to `endRow - 1`. */
  private emails: readonly ListedEmail[] = [];
  private firstRow = 0;
  private endRow = 0;

  constructor(
    private readonly dependencies: RowStores,
    private readonly job: JobRecord,
  ) {
    this.record = dependencies.files.readEmails(job.id);
  }

  /** False if `load` must be called first. */
  isLoaded(row: number): boolean {
    return row < this.endRow;
  }

  /** Loads a row of the job. */
  async load(row: number): Promise<void> {
    this.verdicts ??= await verdictsOf(this.dependencies, this.job);
    while (row >= this.endRow) {
      const { value, done } = await this.record.next();
      if (done === true) throw new EmailsLost(null);
      this.emails = value;
      this.firstRow = this.endRow;
      this.endRow += value.length;
    }
  }

  /** True for a loaded row that was deleted from the list. */
  isDeleted(row: number): boolean {
    return this.emails[row - this.firstRow] === deletedRow;
  }

  /** The verdict on a loaded row, null while there is none; a string if the row had another address. */
  verdictOn(row: number, email: string): RowVerdict | null | 'another address' {
    const listed = this.emails[row - this.firstRow];
    if (listed === undefined || addressOf(listed) !== recordedEmail(email)) return 'another address';
    const own = this.verdicts?.[row] ?? null;
    const isSame = typeof listed !== 'string' && own?.status === sameAsEarlierRow.status;
    const verdict = isSame ? (this.verdicts?.[listed[1] ?? row] ?? null) : own;
    // A deleted address is recorded as empty, but its verdict stays.
    return email === '' && verdict !== null ? emptyVerdict : verdict;
  }

  async close(): Promise<void> {
    await this.record.return(undefined);
  }
}
