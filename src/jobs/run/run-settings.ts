import type { Clock } from '../../async/clock.js';
import type { Alarm } from '../../async/wake-up.js';
import type { RowVerdict } from '../../model/job.js';
import type { JobRecord, JobStore } from '../store/store.js';
import type { Ask } from './ask-patiently.js';

/** How the rows of a job are asked for, until the signal says stop. */
export type OpenAsk = (signal: AbortSignal, job: JobRecord) => Promise<Ask>;

/** How the rows of a job are run. */
export interface RunSettings {
  store: JobStore;
  openAsk: OpenAsk;
  isResolverDown(): boolean;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  signal?: AbortSignal;
  /** How many rows may be under way; asked each time, since others may have begun or ended. */
  maxOpen(): number;
  batchRows: number;
  flushMs: number;
  leaseMs: number;
  heartbeatMs: number;
  drainMs: number;
  greylistWaitMs: number;
  clock: Clock;
  onProgress?(job: JobRecord): void;
  /** Told of each mailbox that is answered, but not of its repeats. */
  onVerdict?(job: JobRecord, email: string, verdict: RowVerdict): void;
  /** Told when nothing is left but to wait for mail servers, and when that is over. */
  onRest?(resting: boolean): void;
}

/** What belongs to one run of one job. */
export interface JobRun {
  job: JobRecord;
  ask: Ask;
  /** Stops the rows under way. */
  abandoned: AbortController;
  /** A promise where it is time to let others have the thread. */
  pause(): Promise<void> | null;
  /** Rings when there is something to commit, or to stop for. */
  alarm: Alarm;
}
