import type { Cluster } from '../store/postgres/postgres-store.js';
import { openSlices } from '../store/postgres/slices.js';
import type { Queue } from './queue.js';

const feedMs = 2_000;
/** Without open slices, a change of the store is what is waited for. */
const idleFeedMs = 10_000;

/**
 * Adds the first open slices of each job to the queue, again and again, so that the queue may lose them. One process at a time does
 * it. Returns the function that stops it.
 */
export function startFeeder(
  { database, listener }: Cluster,
  queue: Queue,
  onError: (error: unknown) => void,
): () => void {
  let isFeeding = false;
  let hasChanged = true;
  let isReported = false;
  let fedAt = Number.NEGATIVE_INFINITY;
  let isIdle = false;
  const feed = async (): Promise<void> => {
    if (isFeeding) return;
    isFeeding = true;
    hasChanged = false;
    fedAt = performance.now();
    try {
      const slices = await openSlices(database);
      isIdle = slices?.length === 0;
      if (slices !== null && slices.length > 0) await queue.add(slices);
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
