import { createBroadcast } from '../../lists/broadcast.js';
import type { AskCall, Asker, Question, Reply, Result } from '../../lists/pipeline.js';
import { createQuestionQueue } from '../../lists/question-queue.js';
import { formatAmount, formatNumber } from '../../model/amount.js';
import { asFailure, type Failure } from '../../model/failure.js';
import { decide, decidedBy, isSent } from './opinions.js';

interface HybridOptions {
  engine: Asker;
  service: Asker;
  /** Statuses and reasons that the service is asked about. */
  sent: ReadonlySet<string>;
  onNote(text: string): void;
}

/** The engine first, the service for what it cannot settle. */
export function hybridAsker(options: HybridOptions): Asker {
  const { engine, service, sent } = options;
  if (sent.size === 0) return engine;
  const { judge: _, ...traits } = engine;
  let unsent: Failure | null = null;
  const onUnsent = (trouble: Failure): void => {
    unsent = trouble;
  };
  return {
    ...traits,
    unsent: () => unsent,
    scope: `hybrid:${engine.scope}:${[...sent]}:${service.scope}`,
    isPaid: true,
    ask: (questions, call) => new HybridRun(options, call, onUnsent).ask(questions),
  };
}

/** The replies to one list: two loops take those of the engine and of the service. */
class HybridRun {
  private readonly changes = createBroadcast();
  private readonly unsettled = createQuestionQueue(() => {});
  /** The engine's answers to what the service was asked. */
  private readonly pending = new Map<string, { question: Question; own: Result }>();
  private ready: Reply[] = [];
  /** Questions that the engine has. */
  private inEngine = 0;
  private isFlushed = false;
  /** Why the service is asked no more. */
  private trouble: Failure | null = null;
  private readonly counts = { answered: 0, sent: 0, charged: 0, unsent: 0, disagreed: 0 };

  constructor(
    private readonly options: HybridOptions,
    private readonly call: AskCall,
    private readonly onUnsent: (trouble: Failure) => void,
  ) {}

  async *ask(questions: AsyncIterable<readonly Question[]>): AsyncGenerator<readonly Reply[]> {
    let ended: readonly PromiseSettledResult<void>[] | null = null;
    void Promise.allSettled([this.askEngine(questions), this.askService()]).then((ends) => {
      ended = ends;
      this.changes.notify();
    });
    while (ended === null || this.ready.length > 0) {
      if (this.ready.length > 0) yield this.ready.splice(0);
      else await this.changes.wait();
    }
    this.report();
    for (const end of ended as readonly PromiseSettledResult<void>[]) if (end.status === 'rejected') throw end.reason;
  }

  private async askEngine(questions: AsyncIterable<readonly Question[]>): Promise<void> {
    let hasAll = false;
    try {
      for await (const replies of this.options.engine.ask(this.counted(questions), this.call)) {
        for (const { question, result } of replies) this.takeOwn(question, result);
        this.flushIfIdle();
        this.changes.notify();
      }
      hasAll = this.call.stop?.aborted !== true;
    } finally {
      if (hasAll) this.unsettled.end();
      else this.unsettled.stop();
    }
  }

  private async *counted(questions: AsyncIterable<readonly Question[]>): AsyncGenerator<readonly Question[]> {
    for await (const batch of questions) {
      this.inEngine += batch.length;
      // An empty batch: no more questions come for now.
      this.isFlushed = batch.length === 0;
      this.flushIfIdle();
      yield batch;
    }
  }

  /** A service waits for full batches, unless there is nothing to wait for. */
  private flushIfIdle(): void {
    if (this.isFlushed && this.inEngine === 0) this.unsettled.flush();
  }

  private takeOwn(question: Question, own: Result): void {
    this.inEngine--;
    if (this.call.defer(question, own)) return;
    this.counts.answered++;
    const isUnsettled = question.parsed.ok && isSent(this.options.sent, own);
    if (!isUnsettled || this.trouble !== null) {
      if (isUnsettled) this.counts.unsent++;
      this.reply(question, decidedBy('local', own), false);
      return;
    }
    this.pending.set(question.key, { question, own });
    this.unsettled.push(question);
  }

  private async askService(): Promise<void> {
    const { caller } = this.call;
    try {
      for await (const replies of this.options.service.ask(this.unsettled, this.call)) {
        for (const reply of replies) this.takeOther(reply);
        this.changes.notify();
      }
    } catch (error) {
      if (caller.signal?.aborted) throw error;
      this.trouble = asFailure(error);
      this.unsettled.stop();
      for (const { question, own } of this.pending.values()) {
        this.counts.unsent++;
        this.reply(question, decidedBy('local', own), false);
      }
      this.pending.clear();
      this.changes.notify();
    }
  }

  private takeOther({ question, result: other, charged, leftOut }: Reply): void {
    const own = this.pending.get(question.key)?.own;
    if (own === undefined) throw new Error('The service answered a question that was not sent.');
    this.pending.delete(question.key);
    const isCharged = charged !== false;
    this.counts.sent++;
    if (isCharged) this.counts.charged++;
    const { result, disagrees } = leftOut ? { result: decidedBy('local', own), disagrees: false } : decide(own, other);
    if (disagrees) this.counts.disagreed++;
    this.reply(question, result, isCharged);
  }

  private reply(question: Question, result: Result, isCharged: boolean): void {
    this.ready.push(isCharged ? { question, result, final: true } : { question, result, final: true, charged: false });
  }

  private report(): void {
    const { answered, sent, charged, unsent, disagreed } = this.counts;
    const { onNote } = this.options;
    if (answered === 0) return;
    if (this.trouble !== null && sent === 0) this.onUnsent(this.trouble);
    const saved = formatAmount(answered - charged - unsent, 'credit');
    onNote(`${formatNumber(sent)} of ${formatNumber(answered)} were sent to the service: ${saved} saved.`);
    if (unsent > 0) {
      const kept = `${formatAmount(unsent, 'address keeps', 'addresses keep')} the answer of the engine`;
      onNote(`${kept}. ${this.trouble?.message ?? ''}`.trim());
    }
    if (disagreed > 0)
      onNote(
        `The service calls ${formatAmount(disagreed, 'address', 'addresses')} valid that mail servers refused as unknown: the refusal stands. See: mailvet explain mailbox_not_found`,
      );
  }
}
