import type { JobRecord } from '../store/store.js';
import type { RowQueue } from './row-queue.js';
import { type Flight, openFlight } from './rows-in-flight.js';
import type { RunSettings } from './run-settings.js';

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
  const flight = openFlight(settings, job, queue);
  const onStop = (): void => flight.wake();
  signal?.addEventListener('abort', onStop);
  const commit = openCommitter(settings, job, worker, flight);
  try {
    for (;;) {
      if (signal?.aborted) {
        await flight.drain();
        return (await commit(true)) ? 'stopped' : 'lost';
      }
      await flight.fill();
      if (flight.isDone()) return (await commit(true)) ? 'completed' : 'lost';
      if (!flight.isFull()) await flight.sleep(Math.min(restMs(settings, flight), flight.untilDue()));
      if (!(await commit(false))) return 'lost';
    }
  } finally {
    signal?.removeEventListener('abort', onStop);
    flight.abandon();
  }
}

function restMs({ flushMs, heartbeatMs }: RunSettings, { tally }: Flight): number {
  return tally.size() > 0 ? flushMs : heartbeatMs;
}

/** Commits what has landed when there is enough of it, or it is old, or the lease needs it; false once the job is no longer ours. */
function openCommitter(
  settings: RunSettings,
  job: JobRecord,
  worker: string,
  { tally, isFull }: Flight,
): (final: boolean) => Promise<boolean> {
  const { store, clock, flushMs, leaseMs, heartbeatMs } = settings;
  const sum = { ...job };
  let lastAt = clock.elapsed();
  let rememberedAt = lastAt;
  return async (final) => {
    const at = clock.elapsed();
    const sinceMs = at - lastAt;
    const due = isFull() || final || (tally.size() > 0 && sinceMs >= flushMs);
    if (!due && sinceMs < heartbeatMs) return true;
    lastAt = at;
    const rememberAll = final || at - rememberedAt >= rememberMs;
    if (rememberAll) rememberedAt = at;
    const part = tally.drain(rememberAll);
    const now = clock.now();
    const saved = await store.saveBatch({ ...part, jobId: job.id, worker, now, leaseUntil: now + leaseMs });
    for (const key of ['processed', 'valid', 'invalid', 'risky', 'unknown', 'duplicate'] as const) {
      sum[key] += part.counts[key];
    }
    if (saved) settings.onProgress?.({ ...sum });
    return saved;
  };
}
