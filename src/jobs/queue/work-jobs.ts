import { sleep, systemClock } from '../../async/clock.js';
import { createSignal } from '../../async/signal.js';
import { newIdentity, retireIdentity } from '../../disk/process-identity.js';
import { createRunner, type RunnerOptions } from '../run/runner.js';
import type { ClaimedJob, JobFilter, JobRecord, SliceRef } from '../store/job-record.js';
import type { OpenedStore } from '../store/open-store.js';
import type { Member } from './member.js';
import { workSlices } from './work-slices.js';

export type OnVerdict = NonNullable<RunnerOptions['onVerdict']>;

interface WorkOptions extends Omit<RunnerOptions, 'store' | 'files' | 'maxOpen'> {
  opened: Pick<OpenedStore, 'store' | 'files'>;
  /** Rows in flight, over all jobs. */
  maxOpenRows: number;
  /** This process among those that share the store; absent if it is on this machine only. */
  member?: Member | undefined;
  filter?: JobFilter;
  signal?: AbortSignal | undefined;
  /** The job to finish; without it, work continues until the signal aborts. */
  readJob?(): Promise<JobRecord>;
  onJob?: ((job: JobRecord) => void) | undefined;
  /** Receives failures; without it, the first one ends the work. */
  onError?(failure: unknown): void;
  onVerdict?: OnVerdict | undefined;
  /** Resolves after that time, or when the signal aborts. */
  sleep?(ms: number): Promise<void>;
}

const pollMs = 500;
const maxPollMs = 5_000;
const forcedCheckMs = 5_000;
const firstBackoffMs = 1_000;
const maxBackoffMs = 60_000;
/** Jobs start while fewer rows are active; a long one counts as this many, so that it does not stop others. */
const maxActiveRows = 1_000_000;
const maxRowsOfJob = 100_000;
const maxActiveJobs = 64;
/** Jobs that this process has started, active or waiting for mail servers. */
const maxJobs = 1_000;
/** Enough rows for a session or two, however many jobs run. */
const minOpenRows = 100;

/** A command leaves its jobs to workers for this long. */
const unclaimedMs = 5_000;

/** Runs jobs concurrently until that of `readJob` has ended, in any process, or the signal aborts. */
export async function workJobs(options: WorkOptions): Promise<void> {
  const { member, signal, filter = {}, onError } = options;
  try {
    if (member === undefined || member.queue === null || signal === undefined || onError === undefined)
      await new JobWorker(options).work();
    else {
      let active = 0;
      const runner = createJobRunner(options, () => active);
      const run = async (slice: SliceRef): Promise<void> => {
        active++;
        await runner.runNext({ ...filter, slice }).finally(() => active--);
      };
      await workSlices({ member, run, signal, onError });
    }
  } finally {
    await member?.rest();
  }
}

function createJobRunner(options: WorkOptions, active: () => number) {
  const { opened, member, maxOpenRows } = options;
  return createRunner({
    ...options,
    ...opened,
    maxOpen: () => Math.max(minOpenRows, Math.floor(maxOpenRows / Math.max(1, active()))),
    ...(member && { name: member.name, workers: member.workers }),
  });
}

class JobWorker {
  private readonly running = new Set<Promise<unknown>>();
  /** The rows of jobs that do more than wait for mail servers. */
  private readonly active = new Map<Promise<unknown>, number>();
  /** Notified when a job has ended. */
  private readonly ended = createSignal(systemClock);
  private readonly failures: FailureBackoff;
  private readonly startedAt = performance.now();
  private wasUnclaimed = false;
  private readonly runner;

  constructor(private readonly options: WorkOptions) {
    this.failures = new FailureBackoff(options);
    this.runner = createJobRunner(options, () => this.active.size);
  }

  async work(): Promise<void> {
    const { signal, opened, readJob, filter = {} } = this.options;
    const mayHaveWork = watchStore(opened.store);
    // Another process may work first, for long.
    const waitingAs = readJob === undefined ? null : newIdentity();
    signal?.addEventListener('abort', this.ended.notify);
    try {
      if (waitingAs !== null) await opened.store.announceWorker(waitingAs, filter);
      while (!signal?.aborted) {
        const { job, delayMs } = await this.poll();
        if (this.failures.fatal !== null) break;
        // Another process that was to run them may have ended.
        if (waitingAs !== null && job !== null && isQueuedWithoutWorker(job))
          await opened.store.announceWorker(waitingAs, filter);
        await this.failures.backOff();
        if (this.running.size === 0 && job !== null && hasEnded(job)) return;
        const mayWork = this.options.member?.mayWork(this.isUnclaimed(job)) ?? true;
        if (mayWork && mayHaveWork()) await this.startJobs();
        await this.ended.wait(delayMs);
      }
      await Promise.all(this.running);
      if (this.failures.fatal !== null) throw this.failures.fatal.failure;
    } finally {
      signal?.removeEventListener('abort', this.ended.notify);
      if (waitingAs !== null) retireIdentity(waitingAs);
    }
  }

  /** Whether no other process takes the job. */
  private isUnclaimed(job: JobRecord | null): boolean {
    const isLate = performance.now() - this.startedAt >= unclaimedMs;
    this.wasUnclaimed ||= isLate && job?.state === 'queued';
    return this.wasUnclaimed;
  }

  /** The job to finish, and the delay until the next poll, which grows with the load of the store. */
  private async poll(): Promise<{ job: JobRecord | null; delayMs: number }> {
    const startedAt = performance.now();
    const job = (await this.options.readJob?.()) ?? null;
    const delayMs = Math.max(pollMs, Math.min(2 * (performance.now() - startedAt), maxPollMs));
    if (job !== null) this.options.onJob?.(job);
    return { job, delayMs };
  }

  private async startJobs(): Promise<void> {
    while (this.hasCapacity()) {
      const isStarted = await this.startNext();
      if (!isStarted || this.failures.hasNew) return;
    }
  }

  private hasCapacity(): boolean {
    if (this.running.size >= maxJobs || this.active.size >= maxActiveJobs) return false;
    return [...this.active.values()].reduce((sum, rows) => sum + rows, 0) < maxActiveRows;
  }

  /** Resolves once the runner has claimed a job, or ended without one: whether there was a job. */
  private startNext(): Promise<boolean> {
    return new Promise((resolve) => {
      let rows = 0;
      const onClaim = ({ total, slice }: ClaimedJob): void => {
        rows = Math.min(slice?.rows ?? total, maxRowsOfJob);
        this.active.set(run, rows);
        resolve(true);
      };
      const onWaiting = (isWaiting: boolean): void => {
        if (isWaiting) this.active.delete(run);
        else this.active.set(run, rows);
      };
      const run = this.runner.runNext(this.options.filter, { onClaim, onWaiting }).then(
        (ran) => {
          if (ran !== null) this.failures.consecutive = 0;
          resolve(ran !== null);
          return ran !== null;
        },
        (failure: unknown) => {
          this.failures.add(failure);
          resolve(false);
          return true;
        },
      );
      this.running.add(run);
      void run.then((hadJob) => {
        this.running.delete(run);
        this.active.delete(run);
        // If there was no job, an immediate second attempt would find none either.
        if (hadJob) this.ended.notify();
      });
    });
  }
}

/** Delays the next job after failures: one that fails on a full disk is released, and would start again at once. */
class FailureBackoff {
  /** The first failure, if no handler receives them. */
  fatal: { failure: unknown } | null = null;
  /** Failures since a job succeeded. */
  consecutive = 0;
  hasNew = false;

  constructor(private readonly options: Pick<WorkOptions, 'onError' | 'signal' | 'sleep'>) {}

  add(failure: unknown): void {
    this.consecutive++;
    this.hasNew = true;
    if (this.options.onError === undefined) this.fatal ??= { failure };
    else this.options.onError(failure);
  }

  async backOff(): Promise<void> {
    if (!this.hasNew) return;
    this.hasNew = false;
    const { signal } = this.options;
    // Jitter: the processes of a cluster fail together.
    const sleepWithJitter = (ms: number) => sleep(systemClock, ms * (0.5 + Math.random() / 2), signal).catch(() => {});
    const wait = this.options.sleep ?? sleepWithJitter;
    await wait(Math.min(firstBackoffMs * 2 ** (this.consecutive - 1), maxBackoffMs));
  }
}

/** Whether the store changed since the last call. Also true from time to time: a process that dies changes nothing, and rows fall due. */
function watchStore(store: OpenedStore['store']): () => boolean {
  let lastToken: string | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const token = store.changeToken();
    const now = performance.now();
    if (token !== null && token === lastToken && now - checkedAt < forcedCheckMs) return false;
    lastToken = token;
    checkedAt = now;
    return true;
  };
}

function hasEnded({ state }: JobRecord): boolean {
  return state === 'completed' || state === 'failed' || state === 'canceled';
}

function isQueuedWithoutWorker({ state, interrupted }: JobRecord): boolean {
  return state === 'queued' && interrupted;
}
