import { createBroadcast } from './broadcast.js';

interface AskEach<In, Out> {
  /** Answers one question; synchronous if it waits for nothing. */
  answer(question: In): Out | Promise<Out>;
  /** Questions at a time. */
  maxOpen(): number;
  /** No more questions are taken once it is aborted, and those in flight are dropped. */
  signal?: AbortSignal | undefined;
  /** No more questions are taken once it is aborted, and those in flight are answered. */
  stop?: AbortSignal | undefined;
  /** What is in flight is awaited after an abort or a failure. */
  drains?: boolean;
  /** A promise means to wait for the next time slice. */
  maybeYield?(): Promise<void> | null;
}

/** Questions between two checks of the time slice. */
const questionsPerCheck = 16;

/** Answers several questions at a time, and yields the answers as they come. Those before a failure are yielded first. */
export async function* askEach<In, Out>(
  questions: AsyncIterable<readonly In[]> | Iterable<readonly In[]>,
  { answer, maxOpen, signal, stop, drains = false, maybeYield = () => null }: AskEach<In, Out>,
): AsyncGenerator<readonly Out[]> {
  let answers: Out[] = [];
  let openCount = 0;
  let hasEnded = false;
  let failure: { error: unknown } | null = null;
  const changes = createBroadcast();
  const fail = (error: unknown): void => {
    failure ??= { error };
    changes.notify();
  };
  const start = (question: In): void => {
    const pending = answer(question);
    if (!(pending instanceof Promise)) {
      answers.push(pending);
      return;
    }
    openCount++;
    pending
      .then((settled) => answers.push(settled), fail)
      .then(() => {
        openCount--;
        changes.notify();
      });
  };
  const startAll = async (): Promise<void> => {
    let count = 0;
    for await (const batch of questions) {
      for (const question of batch) {
        const pause = count++ % questionsPerCheck === 0 ? maybeYield() : null;
        if (pause !== null) await pause;
        while (openCount >= maxOpen() && failure === null && !stop?.aborted) await changes.wait();
        if (failure !== null || stop?.aborted) return;
        start(question);
      }
      changes.notify();
    }
  };
  const onAbort = (): void => fail(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  void startAll()
    .catch(fail)
    .then(() => {
      hasEnded = true;
      changes.notify();
    });
  try {
    for (;;) {
      if (answers.length > 0) {
        const ready = answers;
        answers = [];
        yield ready;
      } else if (failure !== null && !(drains && openCount > 0)) throw (failure as { error: unknown }).error;
      else if (hasEnded && openCount === 0) return;
      else await changes.wait();
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    failure ??= { error: null };
  }
}
