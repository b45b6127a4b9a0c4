import { type Clock, systemClock } from './clock.js';
import { createSignal } from './signal.js';

interface BatchOptions<Question> {
  /** Questions in one batch, whose answers are all told before anything else is done; the rest goes with the next. */
  maxBatch?: number;
  /** How long this one may wait for others to go with it; one that may not takes along all who wait. Nobody may unless told. */
  maxWaitMs?: (question: Question) => number;
  clock?: Clock;
  /** Runs later, after what has arrived meanwhile was looked at. */
  later?: (run: () => void) => void;
}

/** While every look at what has arrived brings more questions, a batch waits for them twice as long as the one before it took, and never longer than this. */
const longestWaitMs = 20;

/**
 * Gathers what is asked at about the same time, and while the batch before is under way, and asks for it as one; gives the function
 * that asks. A question that comes alone waits for nobody, unless it may.
 */
export function createBatcher<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  {
    maxBatch = Number.POSITIVE_INFINITY,
    maxWaitMs: mayWaitMs = () => 0,
    clock = systemClock,
    later = setImmediate,
  }: BatchOptions<Question> = {},
): (question: Question) => Promise<Answer> {
  let waiting: { question: Question; answer(value: Answer): void; fail(reason: unknown): void }[] = [];
  let isRunning = false;
  let lastDurationMs = 0;
  let dueAt = Number.POSITIVE_INFINITY;
  const signal = createSignal(clock);
  const now = clock.elapsed;

  const untilDue = async (): Promise<void> => {
    for (let leftMs = dueAt - now(); leftMs > 0; leftMs = dueAt - now()) await signal.wait(leftMs);
  };
  const untilQuiet = async (): Promise<void> => {
    const end = now() + Math.min(2 * lastDurationMs, longestWaitMs);
    let known = 0;
    do {
      known = waiting.length;
      await new Promise<void>((resolve) => later(resolve));
    } while (waiting.length > known && waiting.length < maxBatch && now() < end);
  };
  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      if (dueAt > now()) await untilDue();
      await untilQuiet();
      const batch = waiting.length > maxBatch ? waiting.splice(0, maxBatch) : waiting;
      if (batch === waiting) waiting = [];
      // Whoever is left has waited for this one.
      dueAt = waiting.length > 0 ? now() : Number.POSITIVE_INFINITY;
      const started = now();
      try {
        const answers = await askAll(batch.map(({ question }) => question));
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
      const mustGoAt = now() + mayWaitMs(question);
      if (mustGoAt < dueAt) {
        dueAt = mustGoAt;
        signal.notify();
      }
      if (!isRunning) void run();
    });
}
