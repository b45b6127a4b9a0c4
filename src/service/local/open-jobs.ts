import type { Caller } from '../../async/caller.js';
import type { Clock } from '../../async/clock.js';
import type { VetAddress } from '../../jobs/run/retry-deferred.js';
import { type OpenedStore, openStore, type StoreLocation } from '../../jobs/store/open-store.js';
import type { JobRecord } from '../../jobs/store/store.js';
import { createUploads, type Uploads } from '../../jobs/uploads/uploads.js';
import { createListMailboxes } from '../dedupe/list-mailboxes.js';
import { csvReader } from './table-reader.js';

/** What jobs on this machine work with. */
export interface LocalJobsOptions extends StoreLocation {
  /** How the rows of one job are asked for, until the caller's signal says stop. */
  openVet(caller: Caller, job: Pick<JobRecord, 'id'>): Promise<VetAddress>;
  /** By the last looks at it, the resolver answers nobody, or denies everything. */
  isResolverDown?(): boolean;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** Verdicts are reused only from runs that looked as deep. */
  level: string;
  /** Rows that may be under way at a time, over all jobs. */
  maxOpenRows: number;
  greylistWaitMs?: number;
  /** How long rows under way may take when work stops. */
  drainMs?: number;
  /** How long jobs are kept after they ended; null keeps them until somebody prunes. */
  keepJobsMs?: number | null;
  clock?: Clock;
}

/** The files and the store of one data directory. */
export interface OpenedJobs extends OpenedStore {
  uploads: Uploads;
}

/** Of one list, by which they are told apart: at most 160 MB. */
const mostMailboxes = 20_000_000;

/** Opens the store, and clears what an earlier process left behind. */
export async function openJobs({ canonical, clock, ...place }: LocalJobsOptions): Promise<OpenedJobs> {
  const opened = await openStore(place);
  const { store, files } = opened;
  await files.removeLeftovers();
  return {
    ...opened,
    uploads: createUploads({
      store,
      files,
      reader: csvReader,
      canonical,
      createListMailboxes: () => createListMailboxes(mostMailboxes),
      ...(clock && { now: clock.now }),
    }),
  };
}
