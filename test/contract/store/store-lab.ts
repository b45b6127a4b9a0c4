import type { JobFiles, ListedEmail } from '../../../src/jobs/store/files.js';
import type { Batch, NewJob, RowResult, UploadRecord } from '../../../src/jobs/store/job-record.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import type { Uploads } from '../../../src/jobs/uploads/uploads.js';

/** A separate store for one test, and other processes that have it open. */
export interface StoreLab {
  home: string;
  store: JobStore;
  files: JobFiles;
  uploads: Uploads;
  /** The address by which a child process opens the same store. */
  address: string;
  /** The same store, opened again as another process would; closed with the lab. */
  openAnother(): Promise<JobStore>;
  /** The same store opened by a process that was killed, and the name of its worker. */
  openDead(): Promise<{ store: JobStore; worker: string }>;
  /** Writes a table and returns its path. */
  write(text: string, name?: string): string;
  close(): Promise<void>;
}

export type OpenStoreLab = () => Promise<StoreLab>;

/** An id that ends in a digit. */
export const uuid = (digit: number): string => `00000000-0000-4000-8000-00000000000${digit}`;

export const upload = (id: string, owner: string, createdAt = 0): UploadRecord => ({
  ...{ id, owner, filename: 'list.csv', source: null, sourceSize: null, sourceChanged: null },
  ...{ columns: ['email'], rowCount: 1, rowCountExact: true, createdAt, jobId: null, reading: {} },
});

export const job = (id: string, uploadId: string, owner: string, uniqueTotal = 10): NewJob => ({
  ...{ id, owner, uploadId, filename: 'list.csv', emailColumn: 'email' },
  ...{ options: { cacheScope: 'dns' }, total: uniqueTotal, uniqueTotal, createdAt: 1 },
});

export const verdict = { status: 'valid', sub_status: '', confidence: 1, safe_to_send: true, did_you_mean: null };
export const counts = {
  ...{ processed: 0, valid: 0, invalid: 0, risky: 0, unknown: 0, duplicate: 0, reused: 0, resolverDown: 0 },
};
export const leaseMs = 30_000;

export const result = (row: number, change: Partial<RowResult> = {}): RowResult => ({
  ...{ row, verdict, duplicate: false, retryAt: null, refusedAt: null },
  ...change,
});

/** The recorded addresses of a job. */
export async function listedEmails(files: JobFiles, jobId: string, slice?: number): Promise<ListedEmail[]> {
  const listed: ListedEmail[] = [];
  for await (const some of files.readEmails(jobId, slice)) listed.push(...some);
  return listed;
}

/** A commit of final results, all valid. */
export const batch = (jobId: string, worker: string, results: readonly RowResult[]): Batch => ({
  ...{ jobId, worker, results, counts: { ...counts, processed: results.length, valid: results.length } },
  ...{
    subCounts: { '': results.length },
    answers: { scope: '', entries: [] },
    waits: { rows: 0, nextAt: null },
  },
  ...{ now: Date.now(), leaseUntil: Date.now() + leaseMs },
});

/** The last result of each row. */
export async function lastResults(store: JobStore, id: string): Promise<RowResult[]> {
  const results = new Map<number, RowResult>();
  for await (const some of store.readResults(id)) for (const each of some) results.set(each.row, each);
  return [...results.values()];
}

/** A job that waits. */
export async function queueJob(
  store: JobStore,
  digit: number,
  owner = 'local',
  filename = 'list.csv',
): Promise<string> {
  const id = uuid(digit);
  const uploadId = id.replace('8000', '9000');
  await store.addUpload(upload(uploadId, owner));
  await store.confirmUpload({ ...job(id, uploadId, owner), filename }, false);
  return id;
}

/** Reserves credits as a request does. Returns the reservation, or the Failure that was thrown. */
export async function reserve(store: JobStore, keyId: string, amount: number): Promise<string> {
  const { reserved } = await store.moveCredits({ reserve: [{ keyId, amount }], settle: [] }, 1);
  const [outcome = ''] = reserved;
  if (typeof outcome !== 'string') throw outcome;
  return outcome;
}

/** Charges `used` of a reservation of `amount`. */
export async function settle(store: JobStore, reservationId: string, amount: number, used: number): Promise<void> {
  await store.moveCredits({ reserve: [], settle: [{ reservationId, amount, used }] }, 1);
}

/** Claims the oldest job. */
export const claim = (store: JobStore, worker: string, only = {}) =>
  store.claimJob(worker, Date.now() + leaseMs, Date.now(), only);

/** Creates this many jobs of an owner, numbered from `first`. */
export async function queueJobs(store: JobStore, owner: string, first: number, count: number): Promise<void> {
  for (let n = first; n < first + count; n++) {
    const uploadId = uuid(n).replace('8000', '9000');
    await store.addUpload(upload(uploadId, owner));
    await store.confirmUpload(job(uuid(n), uploadId, owner), false);
  }
}
