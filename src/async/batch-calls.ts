import { type Clock, systemClock } from './clock.js';
import { openAlarm } from './wake-up.js';

interface BatchOptions<Question> {
  /** Questions in one batch, whose answers are all told before anything else is done; the rest goes with the next. */
  most?: number;
  /** How long this one may wait for others to go with it; one that may not takes along all who wait. Nobody may unless told. */
  mayWaitMs?: (question: Question) => number;
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
export function gather<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  {
    most = Number.POSITIVE_INFINITY,
    mayWaitMs = () => 0,
    clock = systemClock,
    later = setImmediate,
  }: BatchOptions<Question> = {},
): (question: Question) => Promise<Answer> {
  let waiting: { question: Question; answer(value: Answer): void; fail(reason: unknown): void }[] = [];
  let underWay = false;
  let tookMs = 0;
  let dueAt = Number.POSITIVE_INFINITY;
  const alarm = openAlarm(clock);
  const now = clock.elapsed;

  const untilDue = async (): Promise<void> => {
    for (let leftMs = dueAt - now(); leftMs > 0; leftMs = dueAt - now()) await alarm.sleep(leftMs);
  };
  const untilNobodyJoins = async (): Promise<void> => {
    const end = now() + Math.min(2 * tookMs, longestWaitMs);
    let known = 0;
    do {
      known = waiting.length;
      await new Promise<void>((resolve) => later(resolve));
    } while (waiting.length > known && waiting.length < most && now() < end);
  };
  const run = async (): Promise<void> => {
    underWay = true;
    while (waiting.length > 0) {
      if (dueAt > now()) await untilDue();
      await untilNobodyJoins();
      const batch = waiting.length > most ? waiting.splice(0, most) : waiting;
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
      tookMs = now() - started;
    }
    underWay = false;
  };

  return (question) =>
    new Promise((answer, fail) => {
      waiting.push({ question, answer, fail });
      const mustGoAt = now() + mayWaitMs(question);
      if (mustGoAt < dueAt) {
        dueAt = mustGoAt;
        alarm.ring();
      }
      if (!underWay) void run();
    });
}
