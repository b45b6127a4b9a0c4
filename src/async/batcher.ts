import { type Clock, systemClock } from './clock.js';
import { createSignal } from './signal.js';

interface BatchOptions<Item> {
  /** Maximum number of items in one batch; the rest goes with the next. */
  maxBatch?: number;
  /** How long an item may wait for others; one that may not wait starts the batch. Default: 0. */
  maxWaitMs?: (item: Item) => number;
  clock?: Clock;
  /** Runs after pending I/O was served. */
  afterIo?: (run: () => void) => void;
}

/** A batch waits for more items while they keep coming, up to twice the duration of the last batch and at most this long. */
const longestWaitMs = 20;

/** Combines calls that come at about the same time, or while a batch runs, into one. A single call is not delayed unless it may wait. */
export function createBatcher<Item, Result>(
  runBatch: (items: readonly Item[]) => Promise<readonly Result[]>,
  {
    maxBatch = Number.POSITIVE_INFINITY,
    maxWaitMs = () => 0,
    clock = systemClock,
    afterIo = setImmediate,
  }: BatchOptions<Item> = {},
): (item: Item) => Promise<Result> {
  let waiting: { item: Item; resolve(result: Result): void; reject(reason: unknown): void }[] = [];
  let isRunning = false;
  let lastDurationMs = 0;
  let dueAt = Number.POSITIVE_INFINITY;
  const signal = createSignal(clock);
  const now = clock.elapsed;

  const waitUntilDue = async (): Promise<void> => {
    for (let remainingMs = dueAt - now(); remainingMs > 0; remainingMs = dueAt - now()) await signal.wait(remainingMs);
  };
  const waitUntilQuiet = async (): Promise<void> => {
    const end = now() + Math.min(2 * lastDurationMs, longestWaitMs);
    let lastCount = 0;
    do {
      lastCount = waiting.length;
      await new Promise<void>((resolve) => afterIo(resolve));
    } while (waiting.length > lastCount && waiting.length < maxBatch && now() < end);
  };
  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      if (dueAt > now()) await waitUntilDue();
      await waitUntilQuiet();
      const batch = waiting.length > maxBatch ? waiting.splice(0, maxBatch) : waiting;
      if (batch === waiting) waiting = [];
      // The remaining items have waited for this batch.
      dueAt = waiting.length > 0 ? now() : Number.POSITIVE_INFINITY;
      const started = now();
      try {
        const results = await runBatch(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      lastDurationMs = now() - started;
    }
    isRunning = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      const deadline = now() + maxWaitMs(item);
      if (deadline < dueAt) {
        dueAt = deadline;
        signal.notify();
      }
      if (!isRunning) void run();
    });
}
