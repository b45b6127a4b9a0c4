import { EventEmitter, once } from 'node:events';
import { type Clock, sleep } from '../../async/clock.js';
import { formatAmount } from '../../model/amount.js';
import { asFailure, Failure } from '../../model/failure.js';
import type { BulkAnswer, BulkItem } from '../../model/result.js';
import type { EmailChunks } from '../../model/service.js';
import { noAnswer, type RunVerdicts } from '../dedupe/run-verdicts.js';
import type { BulkItems } from './billable.js';
import { duplicateSource, knownSource, readUnits, reusedSource, type Unit } from './bulk-units.js';

interface BulkRun {
  emails: EmailChunks;
  memory: RunVerdicts;
  /** Sends a batch and fills in its items in order, also before it fails. `stop` ends waiting, `kill` an open request. */
  send(batch: readonly string[], items: BulkItems, stop: AbortSignal, kill: AbortSignal): Promise<void>;
  /** True if the service did not charge for the item. */
  isFree(item: BulkItem): boolean;
  /** Also send text that is not an address by our grammar. */
  sendInvalid: boolean;
  /** How many of `count` addresses the credit limit still allows. */
  afford(count: number): number;
  /** The credits of the account; null if they are not known. */
  balance(): Promise<number | null>;
  concurrency: number;
  signal?: AbortSignal | undefined;
  /** Grace period for open requests after an interruption: they are charged. */
  drainMs: number;
  clock: Clock;
}

/** Maximum wait for more input before a partial batch is sent. */
const lingerMs = 2_000;

interface OpenRequest {
  unit: Unit;
  items: BulkItems;
  settled: Promise<void>;
}

/**
 * One answer per address, in input order. After a failure or an interruption it waits for open requests, yields all
 * answers (with placeholders for gaps), and then throws.
 */
export async function* runBulk(run: BulkRun): AsyncGenerator<readonly BulkAnswer[]> {
  const stop = new AbortController();
  const kill = new AbortController();
  let failure: Failure | null = null;
  let maybeCharged = 0;
  const fail = (error: unknown, credits = 0) => {
    const newFailure = asFailure(error);
    // The first failure names its own charge; a canceled request names none.
    if (kill.signal.aborted || (failure !== null && newFailure.code === 'billed_perhaps')) maybeCharged += credits;
    failure ??= newFailure;
    stop.abort();
  };
  const onInterrupt = () => {
    fail(new Failure('interrupted', 'Interrupted.'));
    sleep(run.clock, run.drainMs, kill.signal).then(
      () => kill.abort(),
      () => {},
    );
  };
  if (run.signal?.aborted) onInterrupt();
  run.signal?.addEventListener('abort', onInterrupt);
  const requests = sendAll(run, stop.signal, kill.signal, fail);
  try {
    for (let request = await requests.next(); request !== null; request = await requests.next()) {
      await request.settled;
      if (failure !== null) {
        yield* remainingAnswers(run, [request, ...(await requests.rest())]);
        break;
      }
      yield answersOf(run, request, { leftOut: true });
    }
    if (failure !== null) throw withCharges(failure, maybeCharged);
  } finally {
    run.signal?.removeEventListener('abort', onInterrupt);
    stop.abort();
    kill.abort();
  }
}

/** Adds what concurrent requests may have cost. */
function withCharges(failure: Failure, credits: number): Failure {
  if (credits === 0) return failure;
  const { code, message, hint } = failure;
  const charges = formatAmount(credits, code === 'billed_perhaps' ? 'more credit' : 'credit');
  return new Failure(code, `${message} Up to ${charges} may have been charged for requests that got no answer.`, {
    ...(hint !== null && { hint }),
    cause: failure,
  });
}

/** The refusal names a balance that was spent since. */
function usedUp(refusal: unknown): Failure {
  const { hint } = asFailure(refusal);
  return new Failure('no_credits', 'The credits of the account are used up.', { ...(hint !== null && { hint }) });
}

/** Reads and sends units, at most `concurrency` at a time, with a bounded read-ahead. */
function sendAll(run: BulkRun, stop: AbortSignal, kill: AbortSignal, fail: (error: unknown, credits?: number) => void) {
  const queue: OpenRequest[] = [];
  const changes = new EventEmitter();
  let openRequests = 0;
  let hasEnded = false;
  let spendingQueue: Promise<void> = Promise.resolve();

  async function send(request: OpenRequest): Promise<void> {
    const { unit } = request;
    const allowed = run.afford(unit.batch.length);
    try {
      if (allowed > 0) await sendOrSpendCredits(unit.batch.slice(0, allowed), request.items);
      if (allowed < unit.batch.length)
        throw new Failure('no_credits', 'Continuing would cost more credits than --max-credits allows.', {
          hint: 'Allow more with --max-credits; what was answered is kept, and --resume does not pay for it again.',
        });
    } catch (error) {
      fail(error, allowed - request.items.length);
    } finally {
      openRequests--;
      changes.emit('change');
    }
  }

  async function sendOrSpendCredits(batch: readonly string[], items: BulkItems): Promise<void> {
    try {
      await run.send(batch, items, stop, kill);
    } catch (error) {
      if (asFailure(error).code !== 'no_credits') throw error;
      // Other requests would spend the same credits.
      const spending = spendingQueue.then(() => spendRemainingCredits(batch, items, error));
      spendingQueue = spending.catch(() => {});
      await spending;
    }
  }

  /**
   * A service refuses a whole batch for which the credits do not suffice, so they are spent on the first addresses
   * without an item. That may cost less than it could, and leave credits for more.
   */
  async function spendRemainingCredits(batch: readonly string[], items: BulkItems, refusal: unknown): Promise<void> {
    let refusedBalance = Number.POSITIVE_INFINITY;
    let hasSpent = false;
    while (items.length < batch.length) {
      const balance = stop.aborted ? 0 : ((await run.balance()) ?? 0);
      if (balance === 0 && hasSpent) throw usedUp(refusal);
      if (balance === 0 || balance >= refusedBalance) throw refusal;
      const partItems: BulkItems = [];
      try {
        await run.send(batch.slice(items.length, items.length + balance), partItems, stop, kill);
      } catch (error) {
        if (asFailure(error).code !== 'no_credits') throw error;
      } finally {
        // A part that failed may have been halved, and some of it charged.
        items.push(...partItems);
      }
      hasSpent ||= partItems.length > 0;
      // Another request may have spent some of them meanwhile.
      refusedBalance = partItems.length > 0 ? Number.POSITIVE_INFINITY : balance;
    }
  }

  async function readAndSend(): Promise<void> {
    const units = readUnits(run.emails, run.memory, run.sendInvalid, (next) => orPaused(next, run.clock));
    try {
      for (;;) {
        // Reads ahead by one, so that a request can be sent as soon as another is answered.
        const next = stop.aborted ? null : await orStopped(units.next(), stop);
        if (next === null || next.done) break;
        while (!stop.aborted && (openRequests >= run.concurrency || queue.length >= 2 * run.concurrency))
          await once(changes, 'change');
        if (stop.aborted) break;
        const request: OpenRequest = { unit: next.value, items: [], settled: Promise.resolve() };
        if (next.value.batch.length > 0) {
          openRequests++;
          request.settled = send(request);
        }
        queue.push(request);
        changes.emit('change');
      }
    } catch (error) {
      fail(error);
    }
    hasEnded = true;
    changes.emit('change');
    // Not awaited: the input may be blocked in a read.
    units.return(undefined).catch(() => {});
  }
  const reading = readAndSend();

  return {
    async next(): Promise<OpenRequest | null> {
      while (queue.length === 0 && !hasEnded) await once(changes, 'change');
      const request = queue.shift() ?? null;
      changes.emit('change');
      return request;
    },
    async rest(): Promise<OpenRequest[]> {
      await reading;
      await Promise.all(queue.map((request) => request.settled));
      return queue.splice(0);
    },
  };
}

/** Null when stopped first. A race with one promise for the whole run would retain every value. */
function orStopped<T>(next: Promise<T>, stop: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const onStop = () => resolve(null);
    stop.addEventListener('abort', onStop, { once: true });
    next.then(resolve, reject).finally(() => stop.removeEventListener('abort', onStop));
  });
}

async function orPaused<T>(next: Promise<T>, clock: Clock): Promise<T | 'paused'> {
  const raceEnd = new AbortController();
  const asPaused = (): 'paused' => 'paused';
  try {
    return await Promise.race([next, sleep(clock, lingerMs, raceEnd.signal).then(asPaused, asPaused)]);
  } finally {
    raceEnd.abort();
  }
}

/** Addresses without an item are marked as `missing`. */
function answersOf(
  { memory, isFree }: Pick<BulkRun, 'memory' | 'isFree'>,
  { unit, items }: OpenRequest,
  missing: Pick<BulkAnswer, 'leftOut' | 'unanswered'>,
): BulkAnswer[] {
  unit.batchEntries.forEach((entry, index) => {
    const item = items[index];
    if (item) memory.remember(entry, item);
  });
  return unit.emails.map((email, position) => {
    const source = unit.sources[position] ?? knownSource;
    const item = source >= 0 ? items[source] : memory.recall(unit.entries[position] ?? 0, email);
    const duplicate = source === duplicateSource;
    if (!item) return { result: unansweredItem(email), duplicate, ...missing };
    if (source === reusedSource) return { result: item, duplicate, charged: false, reused: true };
    const isCharged = source !== knownSource && !(source >= 0 && isFree(item));
    return isCharged ? { result: item, duplicate } : { result: item, duplicate, charged: false };
  });
}

/** Answers after a gap are paid for, so the gap is filled with placeholders. */
function* remainingAnswers(run: BulkRun, requests: readonly OpenRequest[]): Generator<readonly BulkAnswer[]> {
  const chunks = requests.map((request) => answersOf(run, request, { unanswered: true }));
  const last = chunks.findLastIndex((answers) => answers.some((answer) => !answer.unanswered));
  for (const [index, answers] of chunks.slice(0, last + 1).entries()) {
    yield index < last ? answers : answers.slice(0, answers.findLastIndex((answer) => !answer.unanswered) + 1);
  }
}

function unansweredItem(email: string): BulkItem & { sub_status: string; reasons: string[] } {
  return { email, status: 'unknown', is_valid: false, confidence: 0, sub_status: noAnswer, reasons: ['not_answered'] };
}
