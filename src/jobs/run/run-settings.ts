import { type Clock, systemClock } from '../../async/clock.js';
import type { Signal } from '../../async/signal.js';
import type { RowVerdict } from '../../model/job.js';
import { defaultGreylistWaitMs } from '../../net/probe/greylist-schedule.js';
import type { JobFiles } from '../store/files.js';
import type { JobRecord, JobStore } from '../store/store.js';
import type { VetAddress } from './retry-deferred.js';

/** How the rows of a job are asked for, until the signal says stop. */
type OpenAsk = (signal: AbortSignal, job: JobRecord) => Promise<VetAddress>;

/** How jobs are run; all that is not given is as usual. */
export interface RunnerOptions {
  store: JobStore;
  files: JobFiles;
  openAsk: OpenAsk;
  /** By the last looks at it, the resolver answers nobody, or denies everything. */
  isResolverDown?(): boolean;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** Stop: no new rows are taken, those in flight may finish for `drainMs`, and the job is given back. */
  signal?: AbortSignal;
  /** How many rows of a job may be under way; asked each time. */
  maxOpen?(): number;
  /** Results in one commit, at most about this many. */
  batchRows?: number;
  /** Results wait no longer than this to be committed. */
  flushMs?: number;
  /** A worker that is silent for so long has lost the job. */
  leaseMs?: number;
  /** A worker writes at least so often, and so notices that its job was canceled. */
  heartbeatMs?: number;
  drainMs?: number;
  /** How long to come back to greylisted rows, in all. */
  greylistWaitMs?: number;
  clock?: Clock;
  onProgress?(job: JobRecord): void;
  /** Told of each mailbox that is answered, but not of its repeats. */
  onVerdict?(job: JobRecord, email: string, verdict: RowVerdict): void;
  /** Told why rows of a run could not be asked, of the first such row: their verdict does not say it. */
  onError?(failure: unknown): void;
}

/** What nobody need say. */
export const defaultSettings = {
  isResolverDown: () => false,
  maxOpen: () => 500,
  batchRows: 4000,
  flushMs: 500,
  leaseMs: 30_000,
  heartbeatMs: 2000,
  // With what it takes to write the rest down, a process that is told to stop is gone within ten seconds.
  drainMs: 8_000,
  greylistWaitMs: defaultGreylistWaitMs,
  clock: systemClock,
};

/** Told of the job that a call runs. */
export interface RunObserver {
  onClaim?(job: JobRecord): void;
  /** True when nothing is left but to wait for mail servers that said "try later"; false when that is over. */
  onWaiting?(resting: boolean): void;
}

/** How the rows of a job are run. */
export type RunSettings = Omit<RunnerOptions, 'files'> &
  Required<Pick<RunnerOptions, keyof typeof defaultSettings>> &
  Pick<RunObserver, 'onWaiting'>;

/** What belongs to one run of one job. */
export interface JobRun {
  job: JobRecord;
  ask: VetAddress;
  /** Stops the rows under way. */
  abandoned: AbortController;
  /** A promise where it is time to let others have the thread. */
  maybeYield(): Promise<void> | null;
  /** Rings when there is something to commit, or to stop for. */
  signal: Signal;
}
