import type { Caller } from '../../async/caller.js';
import { systemClock } from '../../async/clock.js';
import { mapInOrder } from '../../async/map-in-order.js';
import type { Semaphore } from '../../async/semaphore.js';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import { type Deferral, retryDeferred, type VetAddress } from '../../jobs/run/retry-deferred.js';
import type { ParsedAddress } from '../../model/address.js';
import { NetworkHealth } from '../../model/network-health.js';
import type { BulkAnswer, BulkItem, ValidationResult } from '../../model/result.js';
import type { BulkOptions } from '../../model/service.js';
import { createHashSet } from '../dedupe/hash-set.js';
import { keyOfAddress, keyOfParsed } from '../dedupe/mailbox-key.js';
import { collectVerdicts } from '../dedupe/run-verdicts.js';
import { openJournal } from './journal.js';
import { ResultCache } from './result-cache.js';
import { openProgress } from './run-progress.js';

interface ListRun {
  vet: VetAddress<ValidationResult>;
  level: string;
  /** Maximum number of rows in flight. */
  maxOpen: number;
  greylistWaitMs: number;
  /** Whether the last checks found that the resolver does not answer, or denies everything. */
  isResolverDown(): boolean;
  onWait(): void;
  /** Called if a mail server wants a retry later than `greylistWaitMs`. */
  onNoRetry?(): void;
  /** Called once if a list is too long to find all duplicates. */
  onTooManyToRemember?(): void;
}

type ListOptions = Pick<BulkOptions, 'answered' | 'journal' | 'onProgress' | 'needsNetwork'> & { caller: Caller };

/** Reads far enough ahead that one slow host does not delay the rest, and yields batches that are worth a write. */
const readAhead = { maxAhead: 50_000, maxReady: 1_000 };

/**
 * Vets a list, and yields the answers in input order. When stopped, it also yields the answers after a gap, and the last
 * answer for an address that waits.
 */
export async function* vetList(
  run: ListRun,
  emails: AsyncIterable<readonly string[]>,
  { caller, answered, journal: files, onProgress, needsNetwork = false }: ListOptions,
): AsyncGenerator<readonly BulkAnswer[]> {
  const { signal } = caller;
  const journal = files === undefined ? null : openJournal(files, run.level, keyOfAddress);
  const { recall, size } = await openRecall(answered, journal);
  const progress = openProgress(onProgress, size);
  const seen = createHashSet();
  let isFullReported = false;
  const results = new ResultCache();
  const health = new NetworkHealth(run.isResolverDown);
  const retries = { clock: systemClock, waitMs: run.greylistWaitMs, ...(signal && { signal }) };

  /** The last answers of mail servers that said "try later", by mailbox. */
  const deferred = new Map<string, ValidationResult>();
  const awaitAnswer = async (
    email: string,
    key: string,
    answer: Promise<ValidationResult>,
    semaphore: Semaphore,
  ): Promise<ValidationResult> => {
    const waits = progress.openWaits();
    const onWait = (wait: Deferral, lastAnswer: ValidationResult): void => {
      deferred.set(key, lastAnswer);
      waits.add(wait);
      run.onWait();
    };
    const result = await retryDeferred(answer, run.vet, email, retries, {
      semaphore,
      onWait,
      onNoRetry: () => run.onNoRetry?.(),
    });
    health.count(result);
    deferred.delete(key);
    waits.close();
    return result;
  };
  const toAnswer = async (answer: Promise<ValidationResult>, duplicate: boolean): Promise<BulkAnswer> => {
    const result = await answer;
    progress.add(result.status, duplicate);
    progress.report();
    return { result, duplicate };
  };
  const findDuplicate = (email: string, key: string, parsed: ParsedAddress, semaphore: Semaphore) =>
    parsed.ok ? results.find(key, { email, domain: parsed.address.domain }, semaphore) : null;
  const answer = (email: string, semaphore: Semaphore): BulkAnswer | Promise<BulkAnswer> => {
    if (signal?.aborted) throw signal.reason;
    const parsed = parseAddress(email);
    const key = keyOfParsed(email, parsed);
    const duplicate = !seen.add(key);
    const earlier = recall(key, email);
    const repeat = earlier === null && duplicate ? findDuplicate(email, key, parsed, semaphore) : null;
    if (repeat instanceof Promise) return toAnswer(repeat, duplicate);
    const result = earlier ?? repeat ?? run.vet(email, parsed);
    if (result instanceof Promise)
      return toAnswer(results.track(key, awaitAnswer(email, key, result, semaphore)), duplicate);
    progress.add(result.status, duplicate, earlier !== null);
    return earlier === null ? { result, duplicate } : { result, duplicate, charged: false, reused: true };
  };
  const keptDeferred = createHashSet();
  const answerAtStop = (email: string): BulkAnswer => {
    const key = keyOfAddress(email);
    const result = deferred.get(key);
    return result === undefined
      ? unanswered(email)
      : { result: { ...result, email }, duplicate: !keptDeferred.add(key) };
  };
  try {
    const { maybeYield } = timeSlicesFor(caller);
    for await (const batch of mapInOrder(emails, answer, {
      ...readAhead,
      maxOpen: run.maxOpen,
      maybeYield,
      unanswered: answerAtStop,
      // Of two spellings of a mailbox, the first is enough.
      onSettled: ({ result, duplicate }) => duplicate || journal?.add(result as ValidationResult),
    })) {
      if (seen.full && !isFullReported) run.onTooManyToRemember?.();
      isFullReported = seen.full;
      progress.report();
      yield batch;
    }
    // What an earlier run left open may be hosts that are down.
    const trouble = needsNetwork ? health.trouble({ isWhole: size === 0 }) : null;
    if (trouble !== null) throw trouble;
  } finally {
    // The answers of addresses that wait are not in the journal, so that --resume asks again.
    journal?.close({ keep: deferred.size > 0 });
  }
}

/** Stands for an address without an answer. */
function unanswered(email: string): BulkAnswer {
  const result = { email, status: 'unknown', is_valid: false, confidence: 0 };
  return { result, duplicate: false, unanswered: true };
}

/** The answers of earlier runs, under the spelling of this list. */
async function openRecall(
  answered: BulkOptions['answered'],
  journal: Pick<ReturnType<typeof openJournal>, 'find' | 'size'> | null,
): Promise<{ recall(key: string, email: string): BulkItem | null; size: number }> {
  const memory = await collectVerdicts(answered);
  const recall = (key: string, email: string): BulkItem | null => {
    const earlier = journal?.find(key) ?? null;
    if (earlier !== null) return { ...earlier, email };
    return answered === undefined ? null : memory.recall(memory.entryOf(key), email);
  };
  return { recall, size: (journal?.size ?? 0) + memory.size() };
}
