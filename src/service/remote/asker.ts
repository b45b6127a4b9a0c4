import { type Clock, sleep } from '../../async/clock.js';
import { subStatusOfFault } from '../../engine/judge.js';
import { askEach } from '../../lists/ask-each.js';
import { unansweredItem } from '../../lists/ask-list.js';
import type { AskCall, Question, Reply } from '../../lists/pipeline.js';
import { formatAmount } from '../../model/amount.js';
import { asFailure, Failure } from '../../model/failure.js';
import { emptyVerdict, itemOf } from '../../model/job.js';
import type { BulkItem } from '../../model/result.js';
import { maxEmailsPerRequest } from '../../wire/api.js';
import type { BulkItems } from './billable.js';

export interface BatchRequests {
  /** Sends a batch and fills in its items in order, also before it fails. `stop` ends waiting, `kill` an open request. */
  send(batch: readonly string[], items: BulkItems, stop: AbortSignal, kill: AbortSignal): Promise<void>;
  /** True if the service did not charge for the item. */
  isFree(item: BulkItem): boolean;
  /** How many of `count` addresses the credit limit still allows. */
  afford(count: number): number;
  /** The credits of the account; null if they are not known. */
  balance(signal: AbortSignal): Promise<number | null>;
  concurrency: number;
  /** Grace period for open requests after an interruption: they are charged. */
  drainMs: number;
  clock: Clock;
}

/** Maximum wait for more questions before a partial batch is sent. */
const lingerMs = 2_000;

/** Asks a service in batches. After a failure or an interruption it waits for open requests, yields their replies, and throws. */
export async function* askService(
  questions: AsyncIterable<readonly Question[]>,
  call: AskCall,
  requests: BatchRequests,
): AsyncGenerator<readonly Reply[]> {
  /** No more batches are taken. */
  const halt = new AbortController();
  /** Waits for a retry end. */
  const stop = new AbortController();
  /** Open requests end. */
  const kill = new AbortController();
  const { signal } = call.caller;
  const onAbort = (): void => {
    halt.abort(signal?.reason);
    stop.abort(signal?.reason);
    sleep(requests.clock, requests.drainMs, kill.signal).then(
      () => kill.abort(),
      () => {},
    );
  };
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  const sender = new Sender(requests, call, halt, stop, kill);
  const batches = inBatches(questions, requests.clock, halt.signal);
  try {
    const sent = askEach(batches, {
      answer: (batch) => sender.send(batch),
      maxOpen: () => requests.concurrency,
      signal: halt.signal,
      drains: true,
    });
    for await (const answers of sent) yield answers.flat();
  } catch (error) {
    throw sender.failure ?? error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    stop.abort();
    kill.abort();
  }
}

class Sender {
  private firstFailure: Failure | null = null;
  private maybeCharged = 0;
  private spending: Promise<void> = Promise.resolve();

  constructor(
    private readonly requests: BatchRequests,
    private readonly call: AskCall,
    private readonly halt: AbortController,
    private readonly stop: AbortController,
    private readonly kill: AbortController,
  ) {}

  /** The first failure, with what concurrent requests may have cost. */
  get failure(): Failure | null {
    const { firstFailure: failure, maybeCharged: credits } = this;
    if (failure === null || credits === 0) return failure;
    const { code, message, hint } = failure;
    const charges = formatAmount(credits, code === 'billed_perhaps' ? 'more credit' : 'credit');
    const charged = `Up to ${charges} may have been charged for requests that got no answer.`;
    return new Failure(code, `${message} ${charged}`, { hint, cause: failure });
  }

  /** Answers what needs no service, and sends the rest. Does not throw. */
  async send(questions: readonly Question[]): Promise<readonly Reply[]> {
    const replies: Reply[] = [];
    const paid: Question[] = [];
    for (const question of questions) {
      const result = verdictWithoutService(question);
      if (result === null) paid.push(question);
      else replies.push({ question, result, charged: false });
    }
    const items: BulkItems = [];
    const failure = paid.length === 0 ? null : await this.sendPaid(paid, items);
    for (const [index, question] of paid.entries()) {
      const item = items[index];
      if (item)
        replies.push({ question, result: item, ...(this.requests.isFree(item) && { charged: false as const }) });
      else if (failure === null) {
        replies.push({ question, result: unansweredItem(question.email), charged: false, leftOut: true });
      }
    }
    return replies;
  }

  private async sendPaid(questions: readonly Question[], items: BulkItems): Promise<Failure | null> {
    const allowed = this.requests.afford(questions.length);
    const batch = questions.slice(0, allowed);
    let wasSent = false;
    try {
      if (batch.length > 0) {
        await this.call.beforePaying(batch);
        wasSent = true;
        await this.sendOrSpendCredits(
          batch.map(({ email }) => email),
          items,
        );
      }
      if (allowed === questions.length) return null;
      throw new Failure('no_credits', 'Continuing would cost more credits than --max-credits allows.', {
        hint: 'Allow more with --max-credits: the same command continues, and does not pay again.',
      });
    } catch (error) {
      const failure = asFailure(error);
      const unanswered = batch.filter((_, index) => !items[index]);
      const { code } = failure;
      const isKilled = this.kill.signal.aborted;
      const mayBeCharged = isKilled || code === 'billed_perhaps' || code === 'bad_answer';
      // The first failure names its own charge.
      if (isKilled || (this.firstFailure !== null && code === 'billed_perhaps')) this.maybeCharged += unanswered.length;
      if (wasSent && !mayBeCharged) this.call.notPaid(unanswered);
      this.firstFailure ??= failure;
      this.halt.abort(failure);
      // A limit of ours ends no request that it allows.
      if (allowed === questions.length) this.stop.abort(failure);
      return failure;
    }
  }

  private async sendOrSpendCredits(batch: readonly string[], items: BulkItems): Promise<void> {
    try {
      await this.requests.send(batch, items, this.stop.signal, this.kill.signal);
    } catch (error) {
      if (asFailure(error).code !== 'no_credits') throw error;
      // Other requests would spend the same credits.
      const spending = this.spending.then(() => this.spendRemainingCredits(batch, items, error));
      this.spending = spending.catch(() => {});
      await spending;
    }
  }

  /**
   * A service refuses a whole batch for which the credits do not suffice, so they are spent on the first addresses
   * without an item. That may cost less than it could, and leave credits for more.
   */
  private async spendRemainingCredits(batch: readonly string[], items: BulkItems, refusal: unknown): Promise<void> {
    const { stop, kill, requests } = this;
    let refusedBalance = Number.POSITIVE_INFINITY;
    let hasSpent = false;
    while (items.length < batch.length) {
      const balance = stop.signal.aborted ? 0 : ((await requests.balance(stop.signal)) ?? 0);
      if (balance === 0 && hasSpent) {
        // The refusal names a balance that was spent since.
        const { hint } = asFailure(refusal);
        throw new Failure('no_credits', 'The credits of the account are used up.', { hint });
      }
      if (balance === 0 || balance >= refusedBalance) throw refusal;
      const partItems: BulkItems = [];
      try {
        await requests.send(batch.slice(items.length, items.length + balance), partItems, stop.signal, kill.signal);
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
}

/** Full batches, or what there is if no more questions come for a while. */
async function* inBatches(
  questions: AsyncIterable<readonly Question[]>,
  clock: Clock,
  stop: AbortSignal,
): AsyncGenerator<readonly (readonly Question[])[]> {
  const iterator = questions[Symbol.asyncIterator]();
  let batch: Question[] = [];
  let next = iterator.next();
  for (;;) {
    const more = batch.length === 0 ? await next : await orPaused(next, clock, stop);
    if (more === 'paused') {
      yield [batch];
      batch = [];
      continue;
    }
    if (more.done) break;
    next = iterator.next();
    batch.push(...more.value);
    // An empty batch: no more questions come for now.
    if (more.value.length === 0 && batch.length > 0) yield [batch.splice(0)];
    while (batch.length >= maxEmailsPerRequest) yield [batch.splice(0, maxEmailsPerRequest)];
  }
  if (batch.length > 0) yield [batch];
}

async function orPaused<T>(next: Promise<T>, clock: Clock, stop: AbortSignal): Promise<T | 'paused'> {
  const raceEnd = new AbortController();
  const asPaused = (): 'paused' => 'paused';
  try {
    return await Promise.race([
      next,
      sleep(clock, stop.aborted ? 0 : lingerMs, raceEnd.signal).then(asPaused, asPaused),
    ]);
  } finally {
    raceEnd.abort();
  }
}

/** The verdict on text that is not worth a credit; null for an address. */
function verdictWithoutService({ email, parsed }: Pick<Question, 'email' | 'parsed'>): BulkItem | null {
  if (email.trim() === '') return invalidItem(email);
  if (parsed.ok) return null;
  const subStatus = subStatusOfFault(parsed.fault.code);
  if (subStatus === 'failed_syntax_check') return invalidItem(email, parsed.fault.suggestion);
  return itemOf(email, { ...emptyVerdict, status: 'unknown', sub_status: subStatus, confidence: 0.5 });
}

function invalidItem(email: string, did_you_mean: string | null = null): BulkItem {
  const verdict = { ...emptyVerdict, sub_status: 'failed_syntax_check', confidence: 0.99, did_you_mean };
  return itemOf(email, { ...verdict, status: 'invalid' });
}
