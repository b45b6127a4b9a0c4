import { sleep, systemClock } from '../../async/clock.js';
import { onAbort } from '../../async/on-abort.js';
import { createSignal } from '../../async/signal.js';
import type { ClaimedJob } from '../store/job-record.js';
import type { JobStore } from '../store/store.js';
import type { Queue, QueueWorker } from './queue.js';

const pollMs = 500;
const forcedCheckMs = 5_000;
const firstBackoffMs = 1_000;
const maxBackoffMs = 60_000;
/** Jobs start while fewer rows are active; a long one counts as this many, so that it does not stop others. */
const maxActiveRows = 1_000_000;
const maxRowsOfJob = 100_000;
const maxActiveJobs = 64;
/** Jobs that this process has started, active or waiting for mail servers. */
const maxJobs = 1_000;

/** The queue of a process that works alone: the jobs of its store. */
export class StoreQueue implements Queue {
  private readonly running = new Set<Promise<unknown>>();
  /** The rows of jobs that do more than wait for mail servers. */
  private readonly active = new Map<Promise<unknown>, number>();
  /** Notified when a job has ended. */
  private readonly ended = createSignal(systemClock);
  /** Failures since a job succeeded. */
  private failures = 0;
  private hasNewFailure = false;

  /** `pause` replaces the pauses after failures. */
  constructor(
    private readonly store: Pick<JobStore, 'changeToken'>,
    private readonly pause: ((ms: number) => Promise<void>) | undefined,
  ) {}

  async work(worker: QueueWorker): Promise<void> {
    const { signal } = worker;
    const mayHaveWork = watchStore(this.store);
    const removeListener = onAbort(signal, this.ended.notify);
    while (!signal.aborted) {
      await this.backOff(signal);
      if (worker.mayWork() && mayHaveWork()) await this.startJobs(worker);
      if (!signal.aborted) await this.ended.wait(pollMs);
    }
    removeListener();
    await Promise.all(this.running);
  }

  private async startJobs(worker: QueueWorker): Promise<void> {
    while (this.hasCapacity()) {
      const isStarted = await this.startNext(worker);
      if (!isStarted || this.hasNewFailure) return;
    }
  }

  private hasCapacity(): boolean {
    if (this.running.size >= maxJobs || this.active.size >= maxActiveJobs) return false;
    return [...this.active.values()].reduce((sum, rows) => sum + rows, 0) < maxActiveRows;
  }

  /** Resolves once the worker has claimed a job, or ended without one: whether there was a job. */
  private startNext({ run, onError }: QueueWorker): Promise<boolean> {
    return new Promise((resolve) => {
      let rows = 0;
      const onClaim = ({ total, slice }: ClaimedJob): void => {
        rows = Math.min(slice?.rows ?? total, maxRowsOfJob);
        this.active.set(running, rows);
        resolve(true);
      };
      const onWaiting = (isWaiting: boolean): void => {
        if (isWaiting) this.active.delete(running);
        else this.active.set(running, rows);
      };
      const running = run(null, { onClaim, onWaiting }).then(
        (ran) => {
          if (ran !== null) this.failures = 0;
          resolve(ran !== null);
          return ran !== null;
        },
        (failure: unknown) => {
          this.failures++;
          this.hasNewFailure = true;
          onError(failure);
          resolve(false);
          return true;
        },
      );
      this.running.add(running);
      void running.then((hadJob) => {
        this.running.delete(running);
        this.active.delete(running);
        // If there was no job, an immediate second attempt would find none either.
        if (hadJob) this.ended.notify();
      });
    });
  }

  /** Delays the next job after a failure: one that fails on a full disk is released, and would start again at once. */
  private async backOff(signal: AbortSignal): Promise<void> {
    if (!this.hasNewFailure) return;
    this.hasNewFailure = false;
    // Jitter: the processes of a cluster fail together.
    const sleepWithJitter = (ms: number) => sleep(systemClock, ms * (0.5 + Math.random() / 2), signal).catch(() => {});
    const pause = this.pause ?? sleepWithJitter;
    await pause(Math.min(firstBackoffMs * 2 ** (this.failures - 1), maxBackoffMs));
  }
}

/** Whether the store changed since the last call. Also true from time to time: a process that dies changes nothing, and rows fall due. */
function watchStore(store: Pick<JobStore, 'changeToken'>): () => boolean {
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
