import type { Clock } from '../../async/clock.js';
import type { ValidationResult } from '../../model/result.js';
import type { JobRecord, JobStore } from '../store/store.js';

/** Looks at one address. */
export type Vet = (email: string, signal: AbortSignal, job: JobRecord) => Promise<ValidationResult>;

/** What a run works with. */
export interface RunSettings {
  store: JobStore;
  vet: Vet;
  signal?: AbortSignal;
  concurrency: number;
  batchRows: number;
  flushMs: number;
  leaseMs: number;
  heartbeatMs: number;
  drainMs: number;
  greylistWaitMs: number;
  clock: Clock;
  onProgress?(job: JobRecord): void;
}
