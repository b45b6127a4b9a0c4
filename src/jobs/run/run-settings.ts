import type { Caller } from '../../async/caller.js';
import { type Clock, systemClock } from '../../async/clock.js';
import type { Signal } from '../../async/signal.js';
import type { RowVerdict } from '../../model/job.js';
import { defaultGreylistWaitMs } from '../../net/probe/greylist-schedule.js';
import type { JobFiles } from '../store/files.js';
import type { JobRecord, JobStore } from '../store/store.js';
import type { VetAddress } from './retry-deferred.js';

/** Returns the function that vets the rows of a job until the caller's signal aborts. */
type OpenVet = (caller: Caller, job: JobRecord) => Promise<VetAddress>;

export interface RunnerOptions {
  store: JobStore;
  files: JobFiles;
  openVet: OpenVet;
  /** Whether the last checks found that the resolver does not answer, or denies everything. */
  isResolverDown?(): boolean;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** On abort no new rows are taken, those in flight may finish for `drainMs`, and the job is released. */
  signal?: AbortSignal;
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
  /** Called for each vetted mailbox after its result is saved, but not for its duplicates. */
  onVerdict?(job: JobRecord, email: string, verdict: RowVerdict): void;
  /** Called with the first exception of a run: the verdicts do not show it. */
  onError?(failure: unknown): void;
}

export const defaultSettings = {
  isResolverDown: () => false,
  maxOpen: () => 500,
  batchRows: 4000,
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
  onClaim?(job: JobRecord): void;
  /** True when all that is left is to wait for mail servers that said "try later"; false when that is over. */
  onWaiting?(isWaiting: boolean): void;
}

export type RunSettings = Omit<RunnerOptions, 'files'> &
  Required<Pick<RunnerOptions, keyof typeof defaultSettings>> &
  Pick<RunObserver, 'onWaiting'>;

export interface JobRun {
  job: JobRecord;
  vet: VetAddress;
  /** Stops the rows in flight. */
  rowsAbort: AbortController;
  /** A promise if it is time to yield the thread. */
  maybeYield(): Promise<void> | null;
  /** Notified when there is something to commit, or to stop for. */
  commitSignal: Signal;
}
