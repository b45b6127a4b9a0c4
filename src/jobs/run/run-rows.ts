import { onAbort } from '../../async/on-abort.js';
import { createSignal } from '../../async/signal.js';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { callerOfJob } from '../job-caller.js';
import { type JobRecord, levelOf } from '../store/store.js';
import type { RowQueue } from './row-queue.js';
import type { JobRun, RunSettings } from './run-settings.js';
import { UncommittedResults } from './uncommitted-results.js';
import { RowVetter } from './vet-rows.js';

/** Vets every remaining row, and commits meanwhile. The caller finishes or releases the job. */
export async function runRows(
  settings: RunSettings,
  job: JobRecord,
  worker: string,
  queue: RowQueue,
): Promise<'completed' | 'stopped' | 'lost'> {
  const { signal } = settings;
  const run = await openRun(settings, job);
  const results = new UncommittedResults(levelOf(job));
  const committer = new Committer(settings, run, worker, results);
  // `onAbort` takes any number of listeners: a thousand jobs may share the signal.
  const removeListener = signal && onAbort(signal, run.commitSignal.notify);
  const vetter = new RowVetter(settings, run, queue, results);
  let isWaiting = false;
  try {
    for (;;) {
      if (signal?.aborted) {
        const isDone = await vetter.drain();
        if (!(await committer.commitAll())) return 'lost';
        return isDone ? 'completed' : 'stopped';
      }
      if (vetter.isDone()) return (await committer.commitAll()) ? 'completed' : 'lost';
      if (vetter.isWaiting() !== isWaiting) {
        isWaiting = !isWaiting;
        settings.onWaiting?.(isWaiting);
      }
      if (results.size() < settings.batchRows) await run.commitSignal.wait(committer.pauseMs(isWaiting));
      if (!(await committer.commitIfDue(isWaiting))) return 'lost';
      vetter.resume();
    }
  } finally {
    removeListener?.();
    vetter.abandon();
  }
}

async function openRun({ openVet, clock }: RunSettings, job: JobRecord): Promise<JobRun> {
  const rowsAbort = new AbortController();
  const caller = { ...callerOfJob(job.owner, job.id), signal: rowsAbort.signal };
  return {
    job,
    vet: await openVet(caller, job),
    rowsAbort,
    commitSignal: createSignal(clock),
    maybeYield: timeSlicesFor(caller).maybeYield,
  };
}

/** Commits results. Its methods return false once another worker owns the job. */
class Committer {
  private readonly progress: JobRecord;
  private committedAt: number;

  constructor(
    private readonly settings: RunSettings,
    private readonly run: JobRun,
    private readonly worker: string,
    private readonly results: UncommittedResults,
  ) {
    this.progress = { ...run.job };
    this.committedAt = settings.clock.elapsed();
  }

  /** How long to wait for more results. The first ones of a batch may come at any time, and send no notification. */
  pauseMs(isWaiting: boolean): number {
    return isWaiting && this.results.size() === 0 ? this.heartbeatMs(true) : this.settings.flushMs;
  }

  /** Commits if there are enough results, if they are old, or if the lease needs it. */
  async commitIfDue(isWaiting: boolean): Promise<boolean> {
    const { clock, batchRows, flushMs } = this.settings;
    const size = this.results.size();
    const elapsedMs = clock.elapsed() - this.committedAt;
    const isDue = size >= batchRows || (size > 0 && elapsedMs >= flushMs) || elapsedMs >= this.heartbeatMs(isWaiting);
    return isDue ? this.commit(false) : true;
  }

  commitAll(): Promise<boolean> {
    return this.commit(true);
  }

  /** A job that only waits makes no progress, and writes less often. */
  private heartbeatMs(isWaiting: boolean): number {
    const { heartbeatMs, leaseMs } = this.settings;
    return isWaiting ? Math.max(heartbeatMs, leaseMs / 3) : heartbeatMs;
  }

  private async commit(isLast: boolean): Promise<boolean> {
    const { clock, batchRows } = this.settings;
    this.committedAt = clock.elapsed();
    do {
      if (!(await this.saveBatch())) return false;
      await this.run.maybeYield();
    } while (this.results.size() >= batchRows || (isLast && this.results.size() > 0));
    return true;
  }

  private async saveBatch(): Promise<boolean> {
    const { store, clock, batchRows, leaseMs, isResolverDown, onProgress, onVerdict } = this.settings;
    const { batch, countedEmails } = this.results.drain(batchRows);
    const now = clock.now();
    const isSaved = await store.saveBatch({
      ...batch,
      resolverDown: batch.subCounts.has('dns_error') && isResolverDown(),
      jobId: this.run.job.id,
      worker: this.worker,
      now,
      leaseUntil: now + leaseMs,
    });
    for (const key of ['processed', 'valid', 'invalid', 'risky', 'unknown', 'duplicate'] as const) {
      this.progress[key] += batch.counts[key];
    }
    if (!isSaved) return false;
    onProgress?.({ ...this.progress });
    // Rows that are lost when the job is canceled are validated, and reported, by its next run.
    if (onVerdict !== undefined) {
      for (const [index, { verdict }] of batch.results.entries()) {
        const email = countedEmails[index] ?? null;
        if (email !== null) onVerdict(this.run.job, email, verdict);
      }
    }
    return true;
  }
}
