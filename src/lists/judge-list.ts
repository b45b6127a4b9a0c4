import { timeSlicesFor } from '../async/time-slicer.js';
import { parseAddress } from '../engine/grammar/parse-address.js';
import type { BulkAnswer } from '../model/result.js';
import { type AskOptions, interrupted, type RunReport } from './ask-options.js';
import { createHashSet } from './hash-set.js';
import { keyOfParsed } from './mailbox-key.js';
import type { Asker, Item, Source } from './pipeline.js';
import { ListProgress } from './progress.js';
import { answerWithoutAsking } from './unwritten-rows.js';

/** Answers a list as it is read: nothing waits for a network. */
export async function judgeList<Row extends Item>(
  source: Source<Row>,
  judge: NonNullable<Asker['judge']>,
  { asker, sink, caller, drain, onProgress }: AskOptions<Row>,
): Promise<RunReport> {
  const seen = createHashSet();
  const progress = new ListProgress({ size: () => 0, nextAt: () => null });
  const { maybeYield } = timeSlicesFor(caller);
  let isFull = false;
  for await (const rows of source.items) {
    const answers: BulkAnswer[] = [];
    for (const row of rows) {
      // A turn every few addresses costs less than one for each.
      const pause = answers.length % 16 === 0 ? maybeYield() : null;
      if (pause !== null) await pause;
      const known = answerWithoutAsking(row);
      if (known !== null) {
        answers.push(known);
        continue;
      }
      const { email } = row;
      const parsed = parseAddress(email);
      const duplicate = row.duplicate ?? !seen.add(keyOfParsed(email, parsed));
      const judged = judge(email, parsed);
      const result = judged instanceof Promise ? await judged : judged;
      progress.add(result.status, duplicate, false);
      answers.push({ result, duplicate });
    }
    caller.signal?.throwIfAborted();
    if (seen.full && !isFull) asker.onNote?.('too_many_to_remember');
    isFull = seen.full;
    onProgress?.(progress);
    await sink.write({ rows, answers });
    if (drain?.signal?.aborted) throw interrupted(drain.signal.reason);
  }
  return { inDoubt: 0 };
}
