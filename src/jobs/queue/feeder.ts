import type { Cluster } from '../store/postgres/postgres-store.js';
import { type OpenSlice, openSlices } from '../store/postgres/slices.js';
import type { SharedQueue } from './queue.js';

const feedMs = 2_000;
/** Without open slices, a change of the store is what is waited for. */
const idleFeedMs = 10_000;

/**
 * Adds the first open slices of each job to the queue, again and again, so that the queue may lose them, and removes those of a job
 * that has none any more. One process at a time does it. Returns the function that stops it.
 */
export function startFeeder(
  { database, listener }: Cluster,
  queue: SharedQueue,
  onError: (error: unknown) => void,
): () => void {
  let isFeeding = false;
  let hasChanged = true;
  let isReported = false;
  let fedAt = Number.NEGATIVE_INFINITY;
  let isIdle = false;
  let fed: readonly OpenSlice[] = [];
  const feed = async (): Promise<void> => {
    if (isFeeding) return;
    isFeeding = true;
    hasChanged = false;
    fedAt = performance.now();
    try {
      const slices = await openSlices(database);
      isIdle = slices?.length === 0;
      if (slices === null) return;
      const open = new Set(slices.map(({ id }) => id));
      const ended = fed.filter(({ id }) => !open.has(id));
      if (slices.length > 0) await queue.add(slices);
      if (ended.length > 0) await queue.remove(ended);
      fed = slices;
    } catch (error) {
      // The store and the queue report their outages.
      isIdle = false;
      if (!isReported && !database.isRetryable(error) && !isOfRedis(error)) onError(error);
      isReported = true;
    } finally {
      isFeeding = false;
    }
  };
  const unsubscribe = listener.onChange(() => {
    hasChanged = true;
    void feed();
  });
  const timer = setInterval(() => {
    if (hasChanged || performance.now() - fedAt >= (isIdle ? idleFeedMs : feedMs - 100)) void feed();
  }, feedMs).unref();
  return () => {
    clearInterval(timer);
    unsubscribe();
  };
}

function isOfRedis(error: unknown): boolean {
  return error instanceof Error && /redis|connection|stream|retries/i.test(`${error.name} ${error.message}`);
}
