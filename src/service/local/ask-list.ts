import { callerOfSignal } from '../../async/caller.js';
import { systemClock } from '../../async/clock.js';
import { mapInOrder } from '../../async/map-in-order.js';
import type { Semaphore } from '../../async/semaphore.js';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import { type Deferral, retryDeferred, type VetAddress } from '../../jobs/run/retry-deferred.js';
import type { ParsedAddress } from '../../model/address.js';
import { type DnsCounts, dnsTrouble } from '../../model/dns-trouble.js';
import type { BulkAnswer, BulkItem, ValidationResult } from '../../model/result.js';
import type { BulkOptions, RunProgress } from '../../model/service.js';
import { rememberAnswers } from '../dedupe/answer-memory.js';
import { createSeen } from '../dedupe/fingerprint-set.js';
import { keyOfAddress, keyOfParsed } from '../dedupe/mailbox-key.js';
import { createDuplicates } from './duplicates.js';
import { openJournal } from './journal.js';

/** How the addresses of a list are asked for. */
interface ListRun {
  ask: VetAddress<ValidationResult>;
  level: string;
  /** How many may be under way at a time. */
  maxOpen: number;
  greylistWaitMs: number;
  /** By the last looks at it, the resolver answers nobody, or denies everything. */
  isResolverDown(): boolean;
  onWait(): void;
  /** Called once where a list is so long that not all of its duplicates can be told. */
  onTooManyToRemember?(): void;
}

type Wishes = Pick<BulkOptions, 'signal' | 'answered' | 'journal' | 'onProgress' | 'needsNetwork'>;

/** Enough read ahead that one slow host does not hold up the rest, and as much answered at a time as is worth a write. */
const reach = { maxAhead: 50_000, maxReady: 1_000 };

/** Asks for a list, and gives the answers in input order. Whoever stops it gets what was answered behind a gap, too. */
export async function* askList(
  run: ListRun,
  emails: AsyncIterable<readonly string[]>,
  { signal, answered, journal: files, onProgress, needsNetwork = false }: Wishes,
): AsyncGenerator<readonly BulkAnswer[]> {
  const journal = files === undefined ? null : openJournal(files, run.level, keyOfAddress);
  const recall = await openRecall(answered, journal?.find ?? (() => null));
  const progress = openProgress(onProgress);
  const seen = createSeen();
  let saidFull = false;
  const repeats = createDuplicates();
  const health = openHealth(run.isResolverDown);
  const patience = { clock: systemClock, waitMs: run.greylistWaitMs, ...(signal && { signal }) };

  const follow = async (
    email: string,
    answer: Promise<ValidationResult>,
    semaphore: Semaphore,
  ): Promise<ValidationResult> => {
    const waits = progress.openWaits();
    const onWait = (wait: Deferral): void => {
      waits.add(wait);
      run.onWait();
    };
    const result = await retryDeferred(answer, run.ask, email, patience, { semaphore, onWait });
    health.count(result);
    journal?.add(result);
    waits.close();
    return result;
  };
  const whenKnown = async (answer: Promise<ValidationResult>, duplicate: boolean): Promise<BulkAnswer> => {
    const result = await answer;
    progress.answered();
    progress.tell();
    return { result, duplicate };
  };
  const repeatOf = (email: string, key: string, parsed: ParsedAddress, semaphore: Semaphore) =>
    parsed.ok ? repeats.find(key, { email, domain: parsed.address.domain }, semaphore) : null;
  const answer = (email: string, semaphore: Semaphore): BulkAnswer | Promise<BulkAnswer> => {
    if (signal?.aborted) throw signal.reason;
    const parsed = parseAddress(email);
    const key = keyOfParsed(email, parsed);
    const duplicate = !seen.add(key);
    const known = recall(key, email);
    const repeat = known === null && duplicate ? repeatOf(email, key, parsed, semaphore) : null;
    if (repeat instanceof Promise) return whenKnown(repeat, duplicate);
    const result = known ?? repeat ?? run.ask(email, parsed);
    if (result instanceof Promise) return whenKnown(repeats.follow(key, follow(email, result, semaphore)), duplicate);
    progress.answered();
    return known === null ? { result, duplicate } : { result, duplicate, charged: false };
  };
  try {
    const { maybeYield } = timeSlicesFor(callerOfSignal(signal));
    for await (const batch of mapInOrder(emails, answer, { ...reach, maxOpen: run.maxOpen, maybeYield, unanswered })) {
      if (seen.full && !saidFull) run.onTooManyToRemember?.();
      saidFull = seen.full;
      progress.tell();
      yield batch;
    }
    const trouble = needsNetwork ? dnsTrouble(health.counts) : null;
    if (trouble !== null) throw trouble;
  } finally {
    journal?.close();
  }
}

/** Keeps the place of an address that nobody answered for. */
function unanswered(email: string): BulkAnswer {
  const result = { email, status: 'unknown', is_valid: false, confidence: 0 };
  return { result, duplicate: false, unanswered: true };
}

/** The answers of earlier runs, under the spelling asked for. What came of trouble of ours is asked again. */
async function openRecall(
  answered: BulkOptions['answered'],
  find: (key: string) => ValidationResult | null,
): Promise<(key: string, email: string) => BulkItem | null> {
  const memory = await rememberAnswers(answered);
  return (key, email) => {
    const found = find(key);
    if (found !== null) return { ...found, email };
    return answered === undefined ? null : memory.recall(memory.entryOf(key), email);
  };
}

/** How far the run is, also behind a row that waits. */
function openProgress(onProgress: BulkOptions['onProgress']) {
  const waits = new Set<Deferral>();
  let answered = 0;
  const view: RunProgress = {
    answered: () => answered,
    waiting: () => waits.size,
    nextAt: () => {
      let next = Number.POSITIVE_INFINITY;
      for (const { retryAt } of waits) next = Math.min(next, retryAt);
      return waits.size === 0 ? null : next;
    },
  };
  return {
    answered: (): void => {
      answered++;
    },
    tell: (): void => onProgress?.(view),
    /** The wait of one address: each takes the place of the one before. */
    openWaits: () => {
      let waiting: Deferral | null = null;
      const close = (): void => {
        if (waiting !== null) waits.delete(waiting);
      };
      return {
        add: (wait: Deferral): void => {
          close();
          waits.add(wait);
          waiting = wait;
          onProgress?.(view);
        },
        close,
      };
    },
  };
}

/** For how many of those that the network was asked for DNS told nothing, and whether the resolver was down meanwhile. */
function openHealth(isResolverDown: () => boolean) {
  const counts: DnsCounts = { asked: 0, failed: 0, resolverDown: false };
  return {
    counts,
    count: ({ sub_status }: ValidationResult): void => {
      counts.asked++;
      if (sub_status !== 'dns_error') return;
      counts.failed++;
      counts.resolverDown ||= isResolverDown();
    },
  };
}
