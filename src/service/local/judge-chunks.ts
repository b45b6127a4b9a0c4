import type { Caller } from '../../async/caller.js';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import type { ParsedAddress } from '../../model/address.js';
import type { BulkAnswer, BulkItem } from '../../model/result.js';
import type { BulkOptions } from '../../model/service.js';
import { createHashSet } from '../dedupe/hash-set.js';
import { keyOfParsed } from '../dedupe/mailbox-key.js';
import { openProgress } from './run-progress.js';

interface JudgeOptions {
  caller: Caller;
  onProgress?: BulkOptions['onProgress'];
  /** Called once if a list is too long to find all duplicates. */
  onFull(): void;
}

/** Answers chunks of addresses as they come: nothing waits for a network. */
export async function* judgeChunks(
  chunks: AsyncIterable<readonly string[]>,
  judge: (email: string, parsed: ParsedAddress) => BulkItem | Promise<BulkItem>,
  { caller, onProgress, onFull }: JudgeOptions,
): AsyncGenerator<readonly BulkAnswer[]> {
  const seen = createHashSet();
  const progress = openProgress(onProgress, 0);
  const { maybeYield } = timeSlicesFor(caller);
  let isFull = false;
  for await (const emails of chunks) {
    const answers: BulkAnswer[] = [];
    for (const email of emails) {
      // A turn every few addresses costs less than one for each.
      const pause = answers.length % 16 === 0 ? maybeYield() : null;
      if (pause !== null) await pause;
      const parsed = parseAddress(email);
      const duplicate = !seen.add(keyOfParsed(email, parsed));
      const judged = judge(email, parsed);
      const result = judged instanceof Promise ? await judged : judged;
      progress.add(result.status, duplicate);
      answers.push({ result, duplicate });
    }
    if (caller.signal?.aborted) throw caller.signal.reason;
    if (seen.full && !isFull) onFull();
    isFull = seen.full;
    progress.report();
    yield answers;
  }
}
