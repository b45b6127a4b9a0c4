import type { Clock } from '../../async/clock.js';
import { lazy } from '../../async/lazy.js';
import type { Member } from '../../jobs/queue/member.js';
import type { JobRecord } from '../../jobs/store/job-record.js';
import { type OpenedStore, openStore, type StoreLocation } from '../../jobs/store/open-store.js';
import type { Cluster } from '../../jobs/store/postgres/postgres-store.js';
import type { TableReader } from '../../jobs/uploads/preview-upload.js';
import { createUploads, type Uploads } from '../../jobs/uploads/uploads.js';
import type { Asker } from '../../lists/pipeline.js';

export interface LocalJobsOptions extends StoreLocation {
  /** The back end for the rows of a job. */
  openAsker(job: Pick<JobRecord, 'id' | 'options'>): Promise<Asker>;
  /** Whether the last checks found that the resolver does not answer, or denies everything. */
  isResolverDown?(): boolean;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** Verdicts are reused only within one level. */
  level: string;
  /** Rows in flight, over all jobs. */
  maxOpenRows: number;
  greylistWaitMs?: number;
  /** The grace period of rows in flight when work stops. */
  drainMs?: number;
  /** How long ended jobs are kept; null keeps them until they are deleted. */
  keepJobsMs?: number | null;
  clock?: Clock;
  /** Joins the processes that share a store; called once. */
  openMember?(cluster: Cluster): Promise<Member>;
}

/** The store and the files of one data directory. */
export interface OpenedJobs extends OpenedStore {
  uploads: Uploads;
  /** Joins the processes that share the store, once, and leaves them; absent if the store is on this machine only. */
  membership?: { join(): Promise<Member>; leave(): Promise<void> };
}

/** Opens the store, and removes what an earlier process left behind. */
export async function openJobs({ canonical, clock, openMember, ...location }: LocalJobsOptions): Promise<OpenedJobs> {
  const opened = await openStore(location);
  const { store, files } = opened;
  await files.removeLeftovers();
  const uploads = createUploads({
    store,
    files,
    reader: csvReader,
    canonical,
    now: clock?.now,
  });
  const { cluster } = opened;
  if (cluster === undefined || openMember === undefined) return { ...opened, uploads };
  const member = lazy(() => openMember(cluster));
  const leave = async (): Promise<void> => (await member.opened())?.close();
  return { ...opened, uploads, membership: { join: member.get, leave } };
}

/** The store, and this process among those that share it. */
export async function asMember(opened: OpenedJobs): Promise<{ opened: OpenedJobs; member: Member | undefined }> {
  return { opened, member: await opened.membership?.join() };
}

/** Reads tables. The reader is loaded on demand. */
export const csvReader: TableReader = {
  preview: async (path, filename, reading) => {
    const { previewCsv } = await import('../../rows/preview.js');
    const preview = await previewCsv(path, { filename, ...reading });
    return {
      columns: preview.columns,
      suggested_email_column: preview.suggestedEmailColumn ?? '',
      ...(preview.suggestedIndex !== null && { suggested_email_column_number: preview.suggestedIndex + 1 }),
      sample_rows: preview.sampleRows,
      row_count: preview.rowCount,
      row_count_exact: preview.rowCountExact,
    };
  },
  open: async (path, column, filename, reading) => {
    const { openRows } = await import('../../rows/open-rows.js');
    return openRows({ path, name: filename }, { column, filename, ...reading });
  },
};

/** The longest life of an answer, whatever age a user allows. */
const verdictLifeMs = 180 * 24 * 60 * 60_000;

/** Deletes jobs that are older than the setting `keep_jobs`, expired answers, and files that are no longer needed. */
export async function evictExpired(
  { store, files }: Pick<OpenedJobs, 'store' | 'files'>,
  owner: string | null,
  keepMs: number | null,
  now: number,
  exceptOwner?: string,
): Promise<void> {
  await files.removeLeftovers();
  await store.pruneAnswers(now - verdictLifeMs);
  if (keepMs === null) return;
  const pruned = await store.pruneJobs(owner, now - keepMs, exceptOwner);
  for (const job of pruned) {
    await files.removeJob(job.id);
    await files.removeUpload(job.uploadId);
  }
  // A server reuses the space, and its requests would wait while the file is rewritten.
  if (pruned.length > 0 && owner !== null) await store.compact();
}
