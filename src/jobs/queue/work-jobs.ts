import { systemClock } from '../../async/clock.js';
import { onAbort } from '../../async/on-abort.js';
import { createSignal } from '../../async/signal.js';
import { newIdentity, retireIdentity } from '../../disk/process-identity.js';
import { createRunner, type RunnerOptions } from '../run/runner.js';
import type { JobFilter, JobRecord } from '../store/job-record.js';
import type { OpenedStore } from '../store/open-store.js';
import type { Member } from './member.js';
import type { QueueWorker } from './queue.js';
import { StoreQueue } from './store-queue.js';

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

/** Between two looks at the job; longer while the store is slow. */
const pollMs = 500;
const maxPollMs = 5_000;
/** Enough rows for a session or two, however many jobs run. */
const minOpenRows = 100;
/** A command leaves its jobs to workers for this long. */
const unclaimedMs = 5_000;

/** Runs jobs concurrently until that of `readJob` has ended, in any process, or the signal aborts. */
export async function workJobs(options: WorkOptions): Promise<void> {
  const { opened, member, sleep } = options;
  const queue = member?.queue ?? new StoreQueue(opened.store, sleep);
  const work = new JobWork(options);
  try {
    const working = queue.work(work).finally(work.end);
    await Promise.all([working, work.follow().finally(() => working)]);
    if (work.fatal !== null) throw work.fatal.failure;
  } finally {
    work.end();
    await member?.rest();
  }
}

/** One call of `workJobs`. */
class JobWork implements QueueWorker {
  /** The first failure, if no handler receives them. */
  fatal: { failure: unknown } | null = null;
  readonly name: string;
  private readonly stop = new AbortController();
  /** Notified when a job has ended. */
  private readonly ended = createSignal(systemClock);
  private running = 0;
  /** Jobs that do more than wait for mail servers. */
  private readonly active = new Set<object>();
  private readonly startedAt = performance.now();
  private isUnclaimed = false;
  private readonly runner;
  private readonly removeListener;

  constructor(private readonly options: WorkOptions) {
    const { opened, member, maxOpenRows, signal } = options;
    this.name = member?.name ?? '';
    this.runner = createRunner({
      ...options,
      ...opened,
      maxOpen: () => Math.max(minOpenRows, Math.floor(maxOpenRows / Math.max(1, this.active.size))),
      ...(member && { name: member.name, workers: member.workers }),
    });
    this.removeListener = signal && onAbort(signal, this.end);
    if (signal?.aborted) this.end();
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  readonly mayWork = (): boolean => this.options.member?.mayWork(this.isUnclaimed) ?? true;

  readonly onError = (failure: unknown): void => {
    if (this.options.onError !== undefined) this.options.onError(failure);
    else {
      this.fatal ??= { failure };
      this.end();
    }
  };

  readonly run: QueueWorker['run'] = async (slice, { onClaim, onWaiting } = {}) => {
    const { filter = {} } = this.options;
    const key = {};
    this.running++;
    try {
      return await this.runner.runNext(slice === null ? filter : { ...filter, slice }, {
        onClaim: (job) => {
          this.active.add(key);
          onClaim?.(job);
        },
        onWaiting: (isWaiting) => {
          if (isWaiting) this.active.delete(key);
          else this.active.add(key);
          onWaiting?.(isWaiting);
        },
      });
    } finally {
      this.running--;
      this.active.delete(key);
      this.ended.notify();
    }
  };

  /** Ends the work when the job of `readJob` has ended. */
  async follow(): Promise<void> {
    const { opened, filter = {}, readJob, onJob } = this.options;
    if (readJob === undefined) return;
    // Another process may work first, for long.
    const waitingAs = newIdentity();
    try {
      await opened.store.announceWorker(waitingAs, filter);
      while (!this.signal.aborted) {
        const readAt = performance.now();
        const job = await readJob();
        const delayMs = Math.max(pollMs, Math.min(2 * (performance.now() - readAt), maxPollMs));
        onJob?.(job);
        // Another process that was to run it may have ended.
        if (job.state === 'queued' && job.interrupted) await opened.store.announceWorker(waitingAs, filter);
        if (this.running === 0 && hasEnded(job)) this.end();
        // No other process takes it.
        const isLate = performance.now() - this.startedAt >= unclaimedMs;
        this.isUnclaimed ||= isLate && job.state === 'queued';
        if (!this.signal.aborted) await this.ended.wait(delayMs);
      }
    } finally {
      this.end();
      retireIdentity(waitingAs);
    }
  }

  readonly end = (): void => {
    this.removeListener?.();
    this.stop.abort();
    this.ended.notify();
  };
}

function hasEnded({ state }: JobRecord): boolean {
  return state === 'completed' || state === 'failed' || state === 'canceled';
}
