import { type Clock, systemClock } from '../../async/clock.js';
import type { Asker } from '../../lists/pipeline.js';
import type { RowVerdict } from '../../model/job.js';
import { defaultGreylistWaitMs } from '../../net/probe/greylist-schedule.js';
import type { JobFiles } from '../store/files.js';
import type { ClaimedJob, JobRecord } from '../store/job-record.js';
import type { JobStore } from '../store/store.js';

export interface RunnerOptions {
  store: JobStore;
  files: JobFiles;
  /** The back end for the rows of a job. */
  openAsker(job: JobRecord): Promise<Asker>;
  /** Whether the last checks found that the resolver does not answer, or denies everything. */
  isResolverDown?(): boolean;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** On abort no new rows are taken, those in flight may finish for `drainMs`, and the job is released. */
  signal?: AbortSignal | undefined;
  /** How many rows of a job may be in flight; called each time. */
  maxOpen?(): number;
  /** Approximate number of results per commit. */
  batchRows?: number;
  /** Results wait no longer than this to be committed. */
  flushMs?: number;
  /** A worker that does not write for a whole lease loses the job. */
  leaseMs?: number;
  /** The longest time between two writes, by which a worker notices that its job was canceled. */
  heartbeatMs?: number;
  drainMs?: number;
  /** How long to retry greylisted rows, in all. */
  greylistWaitMs?: number;
  clock?: Clock;
  onProgress?(job: JobRecord): void;
  /** The name of this worker, under which waiting rows are left to it. */
  name?: string;
  /** The names of the live workers, this one among them. */
  workers?(): readonly string[];
  /** Called for each vetted mailbox after its result is saved, but not for its duplicates. */
  onVerdict?: ((job: JobRecord, email: string, verdict: RowVerdict) => void) | undefined;
}

export const defaultSettings = {
  isResolverDown: () => false,
  maxOpen: () => 500,
  batchRows: 16_000,
  flushMs: 500,
  leaseMs: 30_000,
  heartbeatMs: 2000,
  // With the last commit included, a process stops within ten seconds.
  drainMs: 8_000,
  greylistWaitMs: defaultGreylistWaitMs,
  clock: systemClock,
};

/** Observes the job that a call runs. */
export interface RunObserver {
  onClaim?(job: ClaimedJob): void;
  /** True when all that is left is to wait for mail servers that said "try later"; false when that is over. */
  onWaiting?(isWaiting: boolean): void;
}

export type RunSettings = Omit<RunnerOptions, 'files'> &
  Required<Pick<RunnerOptions, keyof typeof defaultSettings>> &
  Pick<RunObserver, 'onWaiting'>;
