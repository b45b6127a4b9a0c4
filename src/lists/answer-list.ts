import type { Caller } from '../async/caller.js';
import { Failure } from '../model/failure.js';
import type { BulkAnswer } from '../model/result.js';
import type { EmailChunks } from '../model/service.js';
import { askList } from './ask-list.js';
import { createBroadcast } from './broadcast.js';
import type { Asker, Item } from './pipeline.js';

/** Answers that are ready before the list waits for its reader. */
const maxReady = 5_000;

/** The answers to addresses, in input order, for a program that reads them. Nothing is kept. */
export async function* answerList(
  chunks: EmailChunks,
  { asker, caller }: { asker: Asker; caller: Caller },
): AsyncGenerator<readonly BulkAnswer[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(caller.signal ? [caller.signal] : [])]);
  const changes = createBroadcast();
  let ready: (readonly BulkAnswer[])[] = [];
  let readyCount = 0;
  let ended: { error: unknown } | null = null;
  async function* items(): AsyncGenerator<Item[]> {
    // An empty text is an address like any other here.
    for await (const emails of chunks) yield emails.map((email) => ({ email, isAddress: true }));
  }
  const sink = {
    write: async ({ answers }: { answers: readonly BulkAnswer[] }): Promise<void> => {
      const answered = answers.filter(({ unanswered }) => !unanswered);
      ready.push(answered);
      readyCount += answered.length;
      changes.notify();
      while (readyCount > maxReady && !signal.aborted) await changes.wait();
    },
  };
  const source = { items: items(), from: null, close: async () => {} };
  const options = { asker, sink, caller: { ...caller, signal } };
  askList(source, options)
    .then(
      () => ({ error: null }),
      (error: unknown) => ({ error }),
    )
    .then((end) => {
      ended = end;
      changes.notify();
    });
  try {
    for (;;) {
      const batches = ready;
      ready = [];
      readyCount = 0;
      if (batches.length > 0) changes.notify();
      yield* batches;
      if (ready.length > 0) continue;
      if (ended !== null) break;
      await changes.wait();
    }
    const { error } = ended as { error: unknown };
    const isAborted =
      error instanceof Failure && caller.signal?.aborted === true && error.cause === caller.signal.reason;
    if (error !== null) throw isAborted ? error.cause : error;
  } finally {
    stop.abort();
    changes.notify();
  }
}
