import { type Clock, systemClock } from './clock.js';
import { createSignal } from './signal.js';

interface BatchOptions<Question> {
  /** Maximum number of items in one batch; the rest goes with the next. */
  maxBatch?: number;
  /** How long an item may wait for others; one that may not wait starts the batch. Default: 0. */
  maxWaitMs?: (question: Question) => number;
  clock?: Clock;
  /** Runs after pending I/O was served. */
  afterIo?: (run: () => void) => void;
}

/** A batch waits for more items while they keep coming, up to twice the duration of the last batch and at most this long. */
const longestWaitMs = 20;

/** Combines calls that come at about the same time, or while a batch runs, into one. A single call is not delayed unless it may wait. */
export function createBatcher<Question, Answer>(
  runBatch: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  {
    maxBatch = Number.POSITIVE_INFINITY,
    maxWaitMs = () => 0,
    clock = systemClock,
    afterIo = setImmediate,
  }: BatchOptions<Question> = {},
): (question: Question) => Promise<Answer> {
  let waiting: { question: Question; answer(value: Answer): void; fail(reason: unknown): void }[] = [];
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
        const answers = await runBatch(batch.map(({ question }) => question));
        for (const [index, { answer }] of batch.entries()) answer(answers[index] as Answer);
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
      lastDurationMs = now() - started;
    }
    isRunning = false;
  };

  return (question) =>
    new Promise((answer, fail) => {
      waiting.push({ question, answer, fail });
      const deadline = now() + maxWaitMs(question);
      if (deadline < dueAt) {
        dueAt = deadline;
        signal.notify();
      }
      if (!isRunning) void run();
    });
}
