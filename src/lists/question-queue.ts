import { createBroadcast } from './broadcast.js';
import type { Question } from './pipeline.js';

/** Questions on their way to a back end, in order. `onTaken` is called when there is room for more. */
export function createQuestionQueue(onTaken: () => void) {
  let waiting: Question[] = [];
  let hasEnded = false;
  let isFlushed = false;
  const changes = createBroadcast();
  const end = (): void => {
    hasEnded = true;
    changes.notify();
  };
  return {
    push: (question: Question): void => {
      if (hasEnded) return;
      if (waiting.push(question) === 1) changes.notify();
    },
    /** Questions that no back end has taken yet. */
    size: (): number => waiting.length,
    /** No more questions come for now: an empty batch says so. */
    flush: (): void => {
      isFlushed = true;
      changes.notify();
    },
    /** No more questions come. */
    end,
    /** Drops the questions that no back end has taken. */
    stop: (): void => {
      waiting = [];
      end();
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<readonly Question[]> {
      for (;;) {
        while (waiting.length === 0 && !hasEnded && !isFlushed) await changes.wait();
        if (waiting.length === 0 && hasEnded) return;
        if (waiting.length === 0) isFlushed = false;
        const taken = waiting;
        waiting = [];
        onTaken();
        yield taken;
      }
    },
  };
}
