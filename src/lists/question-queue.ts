import { createBroadcast } from './broadcast.js';
import type { Question } from './pipeline.js';

/** Questions on their way to a back end, in order. */
interface QuestionQueue extends AsyncIterable<readonly Question[]> {
  push(question: Question): void;
  /** Questions that no back end has taken yet. */
  size(): number;
  /** No more questions come for now: an empty batch says so. */
  flush(): void;
  /** No more questions come. */
  end(): void;
  /** Drops the questions that no back end has taken. */
  stop(): void;
}

/** `onTaken` is called when there is room for more. */
export function createQuestionQueue(onTaken: () => void): QuestionQueue {
  let waiting: Question[] = [];
  let hasEnded = false;
  let isFlushed = false;
  const changes = createBroadcast();
  const end = (): void => {
    hasEnded = true;
    changes.notify();
  };
  return {
    push: (question) => {
      if (hasEnded) return;
      if (waiting.push(question) === 1) changes.notify();
    },
    size: () => waiting.length,
    flush: () => {
      isFlushed = true;
      changes.notify();
    },
    end,
    stop: () => {
      waiting = [];
      end();
    },
    async *[Symbol.asyncIterator]() {
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
