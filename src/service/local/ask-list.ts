import { systemClock } from '../../async/clock.js';
import { openSlices } from '../../async/cpu-slices.js';
import { mapInOrder } from '../../async/map-in-order.js';
import type { Places } from '../../async/places.js';
import { shareOf } from '../../async/work-share.js';
import { type Ask, patientAsk, type Wait } from '../../jobs/run/ask-patiently.js';
import { Failure } from '../../model/failure.js';
import type { BulkAnswer, BulkItem, ValidationResult } from '../../model/result.js';
import type { BulkOptions, RunProgress } from '../../model/service.js';
import { openAnswerMemory } from '../dedupe/answer-memory.js';
import { createSeen } from '../dedupe/fingerprint-set.js';
import { keyOfAddress } from '../dedupe/mailbox-key.js';
import { openJournal } from './journal.js';

/** How the addresses of a list are asked for. */
export interface ListRun {
  ask: Ask;
  level: string;
  /** How many may be under way at a time. */
  maxOpen: number;
  greylistWaitMs: number;
  /** The resolver answered for nobody, or denied everything. */
  isResolverDown(): boolean;
  onWait(): void;
  /** Called once where a list is so long that not all of its duplicates can be told. */
  onTooManyToRemember?(): void;
}

type Wishes = Pick<BulkOptions, 'signal' | 'answered' | 'journal' | 'onProgress' | 'needsNetwork'>;

/** Enough read ahead that one slow host does not hold up the rest. */
const reach = { maxAhead: 50_000, maxReady: 500 };

/** Asks for a list, and gives the answers in input order. Whoever stops it gets what was answered behind a gap, too. */
export async function* askList(
  run: ListRun,
  emails: AsyncIterable<readonly string[]>,
  { signal, answered, journal: files, onProgress, needsNetwork = false }: Wishes,
): AsyncGenerator<readonly BulkAnswer[]> {
  const journal = files === undefined ? null : openJournal(files, run.level, keyOfAddress);
  const recall = await openRecall(answered, journal?.find ?? (() => null));
  const progress = openProgress(onProgress);
  const duplicates = openDuplicates(run);
  const health = openHealth();
  const ask = patientAsk(run.ask, { clock: systemClock, waitMs: run.greylistWaitMs, ...(signal && { signal }) });

  const answer = (email: string, places: Places): BulkAnswer | Promise<BulkAnswer> => {
    if (signal?.aborted) throw signal.reason;
    const key = keyOfAddress(email);
    const duplicate = duplicates.isOne(key);
    const known = recall(key, email);
    if (known !== null) {
      progress.answered();
      return { result: known, duplicate, charged: false };
    }
    const row = progress.row();
    const onWait = (wait: Wait): void => {
      row.wait(wait);
      run.onWait();
    };
    const land = (result: ValidationResult): BulkAnswer => {
      row.answered();
      return { result, duplicate };
    };
    const result = ask(email, { places, onWait });
    if (!(result instanceof Promise)) return land(result);
    return result.then((found) => {
      health.count(found);
      journal?.add(found);
      return land(found);
    });
  };
  try {
    const { pause } = openSlices(shareOf(signal));
    yield* mapInOrder(emails, answer, { ...reach, maxOpen: run.maxOpen, pause, unanswered });
    if (needsNetwork && run.isResolverDown() && health.isPoor()) throw resolverIsDown();
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
  const memory = openAnswerMemory();
  for await (const items of answered ?? []) {
    for (const item of items) memory.remember(memory.entryOf(keyOfAddress(item.email.trim())), item);
  }
  return (key, email) => {
    const found = find(key);
    if (found !== null) return { ...found, email };
    return answered === undefined ? null : memory.recall(memory.entryOf(key), email);
  };
}

function openDuplicates({ onTooManyToRemember }: ListRun): { isOne(key: string): boolean } {
  const seen = createSeen();
  let said = false;
  return {
    isOne: (key) => {
      const isNew = seen.add(key);
      if (seen.full && !said) {
        said = true;
        onTooManyToRemember?.();
      }
      return !isNew;
    },
  };
}

/** How far the run is, also behind a row that waits. */
function openProgress(onProgress: BulkOptions['onProgress']) {
  const waits = new Set<Wait>();
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
  const count = (): void => {
    answered++;
    onProgress?.(view);
  };
  return {
    answered: count,
    row: () => {
      let waiting: Wait | null = null;
      return {
        wait: (wait: Wait): void => {
          if (waiting !== null) waits.delete(waiting);
          waits.add(wait);
          waiting = wait;
          onProgress?.(view);
        },
        answered: (): void => {
          if (waiting !== null) waits.delete(waiting);
          count();
        },
      };
    },
  };
}

/** Whether the network told anything about most addresses that it was asked for. */
function openHealth() {
  let asked = 0;
  let failed = 0;
  return {
    count: ({ sub_status }: ValidationResult): void => {
      asked++;
      if (sub_status === 'dns_error') failed++;
    },
    isPoor: () => failed * 2 > asked,
  };
}

function resolverIsDown(): Failure {
  return new Failure('network', 'The DNS server did not answer for most of the list, so nothing is known about it.', {
    hint: 'Try again later, or use another DNS server with --resolver HOST; "mailvet doctor" shows which ones work.',
  });
}
