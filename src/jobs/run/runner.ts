import { type Clock, systemClock } from '../../async/clock.js';
import { openSlices } from '../../async/cpu-slices.js';
import { newIdentity, retireIdentity } from '../../disk/process-identity.js';
import { asFailure, Failure } from '../../model/failure.js';
import type { RowVerdict } from '../../model/job.js';
import { usualGreylistWaitMs } from '../../net/probe/greylist-schedule.js';
import type { JobFiles } from '../store/files.js';
import { type JobFilter, type JobRecord, type JobStore, localOwner } from '../store/store.js';
import { openRowQueue, type RowQueue } from './row-queue.js';
import { runRows } from './run-rows.js';
import type { OpenAsk } from './run-settings.js';

/** `stopped`: given back, to be continued. `lost`: canceled, or taken over by another worker. */
type RunEnd = 'completed' | 'failed' | 'stopped' | 'lost';

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
}

/** Told of the job that a call runs. */
interface RunWatcher {
  onClaim?(job: JobRecord): void;
  /** True when nothing is left but to wait for mail servers that said "try later"; false when that is over. */
  onRest?(resting: boolean): void;
}

/** Runs jobs, one for each call; a job is never run by two at once. */
interface Runner {
  /** Takes the oldest open job that `only` allows, says so, and runs it to an end; null where none is open. */
  runNext(only?: JobFilter, watcher?: RunWatcher): Promise<{ job: JobRecord; end: RunEnd } | null>;
}

const defaults = {
  isResolverDown: () => false,
  maxOpen: () => 500,
  batchRows: 4000,
  flushMs: 500,
  leaseMs: 30_000,
  heartbeatMs: 2000,
  // With what it takes to write the rest down, a process that is told to stop is gone within ten seconds.
  drainMs: 8_000,
  greylistWaitMs: usualGreylistWaitMs,
};

/** A commit keeps everybody else waiting, in proportion to its rows. Who works for himself gains by large ones. */
const batchRowsOfCallers = 1_000;

/** A runner on a store; what it asks is handed in. */
export function createRunner(options: RunnerOptions): Runner {
  const settings = { ...defaults, clock: systemClock, ...options };
  const { store, files, clock } = settings;
  return {
    runNext: async (only, watcher = {}) => {
      const worker = newIdentity();
      const now = clock.now();
      let job: JobRecord | null | undefined;
      try {
        job = await store.claimJob(worker, now + settings.leaseMs, now, only);
        if (job === null) return null;
        const claimed = job;
        watcher.onClaim?.(claimed);
        return { job, end: await giveBackOnError(store, claimed, worker, () => run(claimed, worker, watcher)) };
      } finally {
        // Where giving the job back failed too, it is there to be taken again. A name that took none stands nowhere, and each is remembered.
        if (job !== null) retireIdentity(worker);
      }
    },
  };

  async function run(job: JobRecord, worker: string, { onRest }: RunWatcher): Promise<RunEnd> {
    const finish = async (state: 'completed' | 'failed', error?: string): Promise<RunEnd> =>
      (await store.finishJob(job.id, worker, state, clock.now(), error)) ? state : 'lost';
    let queue: RowQueue;
    try {
      const found = await files.readEmails(job.id);
      if (found.emails.length !== job.total) throw addressesMissing(found.emails.length, job.total);
      const slices = openSlices({ urgency: 'job', owner: job.owner, work: job.id });
      queue = await openRowQueue(found, await store.loadResults(job.id), settings.canonical, slices);
    } catch (error) {
      const { code, message } = asFailure(error);
      // What was lost or damaged stays so; anything else may pass.
      if (code !== 'storage') throw error;
      return await finish('failed', message);
    }
    const batchRows = job.owner === localOwner ? settings.batchRows : Math.min(settings.batchRows, batchRowsOfCallers);
    const end = await runRows({ ...settings, batchRows, ...(onRest && { onRest }) }, job, worker, queue);
    if (end === 'stopped') await store.releaseJob(job.id, worker);
    return end === 'completed' ? await finish(end) : end;
  }
}

function addressesMissing(found: number, wanted: number): Failure {
  return new Failure('storage', `The job has ${wanted} addresses, but only ${found} of them are in its file.`);
}

/** A full disk or a bug must not leave the job looking as if it ran. */
async function giveBackOnError<T>(store: JobStore, job: JobRecord, worker: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await store.releaseJob(job.id, worker).catch(() => {});
    throw error;
  }
}
