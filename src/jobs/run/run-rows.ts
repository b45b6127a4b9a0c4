import { callerOfSignal, setCaller } from '../../async/caller.js';
import { onAbort } from '../../async/on-abort.js';
import { createSignal } from '../../async/signal.js';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { levelOf } from '../store/job-level.js';
import { type JobRecord, localOwner } from '../store/store.js';
import type { RowQueue } from './row-queue.js';
import type { JobRun, RunSettings } from './run-settings.js';
import { createUncommittedResults, type UncommittedResults } from './uncommitted-results.js';
import { vetRows } from './vet-rows.js';

/** Verdicts reach the cache at least so often. */
const rememberMs = 60_000;

/** Asks for every row that is left, and commits as it goes. The caller ends or gives back the job. */
export async function runRows(
  settings: RunSettings,
  job: JobRecord,
  worker: string,
  queue: RowQueue,
): Promise<'completed' | 'stopped' | 'lost'> {
  const { signal } = settings;
  const run = await openRun(settings, job);
  const { signal: alarm } = run;
  const tally = createUncommittedResults(levelOf(job));
  const commit = openCommitter(settings, run, worker, tally);
  // A thousand jobs may wait for the same signal.
  const takeBack = signal && onAbort(signal, alarm.notify);
  const asking = vetRows(settings, run, queue, tally);
  let resting = false;
  try {
    for (;;) {
      if (signal?.aborted) {
        await asking.drain();
        return (await commit('all', false)) ? 'stopped' : 'lost';
      }
      if (asking.isDone()) return (await commit('all', false)) ? 'completed' : 'lost';
      if (asking.isWaiting() !== resting) {
        resting = !resting;
        settings.onWaiting?.(resting);
      }
      if (tally.size() < settings.batchRows) await alarm.wait(pauseMs(settings, tally, resting));
      if (!(await commit('due', resting))) return 'lost';
      asking.resume();
    }
  } finally {
    takeBack?.();
    asking.abandon();
  }
}

async function openRun({ openAsk, clock }: RunSettings, job: JobRecord): Promise<JobRun> {
  const abandoned = new AbortController();
  // Whoever works for himself has the machine for himself.
  if (job.owner !== localOwner) setCaller(abandoned.signal, { priority: 'job', owner: job.owner, work: job.id });
  const ask = await openAsk(abandoned.signal, job);
  return {
    job,
    ask,
    abandoned,
    signal: createSignal(clock),
    maybeYield: timeSlicesFor(callerOfSignal(abandoned.signal)).maybeYield,
  };
}

/** A job that only waits has nothing to tell, and need not write as often. */
function beatMs({ heartbeatMs, leaseMs }: RunSettings, resting: boolean): number {
  return resting ? Math.max(heartbeatMs, leaseMs / 3) : heartbeatMs;
}

function pauseMs(settings: RunSettings, tally: UncommittedResults, resting: boolean): number {
  return tally.size() > 0 ? settings.flushMs : beatMs(settings, resting);
}

/** Commits what has landed when there is enough of it, or it is old, or the lease needs it; false once the job is no longer ours. */
function openCommitter(
  settings: RunSettings,
  { job, maybeYield }: JobRun,
  worker: string,
  tally: UncommittedResults,
): (what: 'due' | 'all', resting: boolean) => Promise<boolean> {
  const { store, clock, flushMs, leaseMs, batchRows } = settings;
  const sum = { ...job };
  let lastAt = clock.elapsed();
  let rememberedAt = lastAt;
  const saveBatch = async (rememberAll: boolean): Promise<boolean> => {
    const part = tally.drain(batchRows, rememberAll);
    const now = clock.now();
    const resolverDown = part.subCounts.has('dns_error') && settings.isResolverDown();
    const saved = await store.saveBatch({
      ...part,
      resolverDown,
      jobId: job.id,
      worker,
      now,
      leaseUntil: now + leaseMs,
    });
    for (const key of ['processed', 'valid', 'invalid', 'risky', 'unknown', 'duplicate'] as const) {
      sum[key] += part.counts[key];
    }
    if (saved) settings.onProgress?.({ ...sum });
    return saved;
  };
  return async (what, resting) => {
    const at = clock.elapsed();
    const sinceMs = at - lastAt;
    const due = what === 'all' || tally.size() >= batchRows || (tally.size() > 0 && sinceMs >= flushMs);
    if (!due && sinceMs < beatMs(settings, resting)) return true;
    lastAt = at;
    const rememberAll = what === 'all' || at - rememberedAt >= rememberMs;
    if (rememberAll) rememberedAt = at;
    do {
      if (!(await saveBatch(rememberAll))) return false;
      await maybeYield();
    } while (tally.size() >= batchRows || (what === 'all' && tally.size() > 0));
    return true;
  };
}
