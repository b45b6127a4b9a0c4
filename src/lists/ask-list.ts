import type { Caller } from '../async/caller.js';
import { type Clock, systemClock } from '../async/clock.js';
import { LruMap } from '../async/lru-map.js';
import { timeSlicesFor } from '../async/time-slicer.js';
import { parseAddress } from '../engine/grammar/parse-address.js';
import { Failure } from '../model/failure.js';
import { NetworkHealth } from '../model/network-health.js';
import type { BulkAnswer, BulkItem } from '../model/result.js';
import type { RunProgress } from '../model/service.js';
import { createBroadcast } from './broadcast.js';
import { Deferrals } from './deferrals.js';
import { createHashSet } from './hash-set.js';
import { Keeper, type RunMemory } from './keeper.js';
import { keyOfParsed, spellingKey } from './mailbox-key.js';
import type { Asker, Item, Question, Reply, Result, Sink, Source } from './pipeline.js';
import { ListProgress } from './progress.js';
import { createQuestionQueue } from './question-queue.js';
import { answerWithoutAsking, type Place, UnwrittenRows } from './unwritten-rows.js';

/** How a list is asked. */
interface AskOptions<Row extends Item> {
  asker: Asker;
  sink: Sink<Row>;
  caller: Caller;
  /** Null: nothing is kept. */
  memory?: RunMemory | null;
  /** Throws the Failure `network` if the network was down for most of the list. */
  needsNetwork?: boolean;
  onProgress?(progress: RunProgress): void;
  clock?: Clock;
}

/** What a run found out beside its answers. */
export interface RunReport {
  /** Addresses that an earlier start of the run sent, and that were never answered. */
  inDoubt: number;
}

/** Rows that wait to be written. Beyond them the list is only asked, and read again to be written. */
const maxWindow = 50_000;
/** Answers in memory for duplicates; older ones are found in the memory of the run, or asked again. */
const maxRecent = 10_000;

/**
 * Asks a list, and writes the answers in input order. When it stops early it also writes the answers after a gap, and the
 * last answer for an address that waits; then it throws.
 */
export async function askList<Row extends Item>(source: Source<Row>, options: AskOptions<Row>): Promise<RunReport> {
  const { judge } = options.asker;
  if (judge !== undefined) return judgeList(source, judge, options);
  const list = new ListRun(source, options);
  return list.run();
}

/** Answers a list as it is read: nothing waits for a network. */
async function judgeList<Row extends Item>(
  source: Source<Row>,
  judge: NonNullable<Asker['judge']>,
  { asker, sink, caller, onProgress }: AskOptions<Row>,
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
      const duplicate = !seen.add(keyOfParsed(email, parsed));
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
  }
  return { inDoubt: 0 };
}

/** A question that has no final answer yet, and the rows that wait for it. */
interface Open<Row extends Item> {
  question: Question;
  places: Place<Row>[];
}

/** One run over a list: three loops read rows and ask, take replies, and write. */
class ListRun<Row extends Item> {
  private readonly asker: Asker;
  private readonly unwritten = new UnwrittenRows<Row>();
  private readonly open = new Map<string, Open<Row>>();
  private readonly recent = new LruMap<Result>({ maxEntries: maxRecent });
  private readonly changes = createBroadcast();
  private readonly questions = createQuestionQueue(this.changes.notify);
  private readonly stopAsking = new AbortController();
  private readonly seen = createHashSet();
  private readonly deferrals: Deferrals;
  private readonly keeper: Keeper;
  private readonly progress: ListProgress;
  private readonly health: NetworkHealth;
  private hasReadAll = false;
  private isFullReported = false;
  private inDoubt = 0;
  /** Set while the list is read again, or was kept only in part: older answers are in the memory. */
  private looksUp: boolean;
  private failure: { error: unknown } | null = null;
  /** What was read before it is asked all the same. */
  private readFailure: { error: unknown } | null = null;

  constructor(
    private readonly source: Source<Row>,
    private readonly options: AskOptions<Row>,
  ) {
    const { asker, memory = null, clock = systemClock } = options;
    this.asker = asker;
    this.keeper = new Keeper(memory, asker.isPaid, clock);
    this.looksUp = this.keeper.knowsEarlier;
    this.deferrals = new Deferrals(clock, asker, (question) => this.questions.push(question));
    this.progress = new ListProgress(this.deferrals);
    this.health = new NetworkHealth(asker.isResolverDown);
  }

  async run(): Promise<RunReport> {
    const { caller, needsNetwork = false } = this.options;
    const onAbort = (): void => this.fail(new Failure('interrupted', 'Interrupted.', { cause: caller.signal?.reason }));
    caller.signal?.addEventListener('abort', onAbort);
    if (caller.signal?.aborted) onAbort();
    const noteFailure = (error: unknown): void => this.fail(error);
    const reading = this.readAll().catch((error: unknown) => this.endReading(error));
    await Promise.all([this.takeReplies().catch(noteFailure), this.writeAnswered().catch(noteFailure)]);
    // After a failure the input may be blocked in a read, which ends when it is closed.
    if (this.failure === null) await reading;
    this.failure ??= this.readFailure;
    caller.signal?.removeEventListener('abort', onAbort);
    this.deferrals.stop();
    // Unknown addresses may be asked again, by a run that reuses the other answers.
    const keep = this.failure !== null || this.inDoubt > 0 || this.progress.counts().unknown_count > 0;
    await this.keeper.close({ keep }).catch((error) => this.fail(error));
    if (this.failure !== null) {
      await this.writeRest();
      throw this.failure.error;
    }
    // What an earlier start left open may be hosts that are down.
    const trouble = needsNetwork ? this.health.trouble({ isWhole: this.progress.reused() === 0 }) : null;
    if (trouble !== null) throw trouble;
    return { inDoubt: this.inDoubt };
  }

  private fail(error: unknown): void {
    // A back end that was interrupted says what it may have cost.
    if (this.failure === null || (isInterruption(this.failure.error) && isInterruption(error)))
      this.failure = { error };
    this.questions.stop();
    this.stopAsking.abort(this.failure.error);
    this.changes.notify();
  }

  private endReading(error: unknown): void {
    this.readFailure = { error };
    this.hasReadAll = true;
    this.questions.flush();
    this.endIfAnswered();
    this.changes.notify();
  }

  /** Reads the list, once more for each part that could only be asked. */
  private async readAll(): Promise<void> {
    let { source } = this;
    for (let start = 0; ; ) {
      const next: number | null = await this.readFrom(source, start);
      if (next === null || source.from === null || this.failure !== null) break;
      const again: Source<Row> = await source.from(next);
      if (source !== this.source) await source.close();
      source = again;
      start = next;
    }
    this.hasReadAll = true;
    this.questions.flush();
    this.endIfAnswered();
    this.changes.notify();
    if (source !== this.source) await source.close();
  }

  /** Asks the rows of the source. Returns the first item that has to be read again to be written, or null. */
  private async readFrom(source: Source<Row>, start: number): Promise<number | null> {
    let overflow: number | null = null;
    let item = start;
    // A list that is read again was asked to its end.
    const canSkip = source.from !== null && start === 0;
    for await (const rows of source.items) {
      if (overflow === null && this.unwritten.size >= maxWindow && canSkip && (await this.keeper.open()))
        overflow = item;
      while (overflow === null && this.unwritten.size >= maxWindow && this.failure === null) await this.changes.wait();
      if (this.failure !== null) return null;
      if (this.seen.full && !this.isFullReported) this.asker.onNote?.('too_many_to_remember');
      this.isFullReported = this.seen.full;
      await this.place(rows, overflow === null);
      item += rows.length;
      this.options.onProgress?.(this.progress);
      this.changes.notify();
      while (this.questions.size() >= this.asker.capacity && this.failure === null) await this.changes.wait();
    }
    if (overflow !== null) this.looksUp = true;
    return overflow;
  }

  /** Finds or asks the answers of some rows. */
  private async place(rows: readonly Row[], isWritten: boolean): Promise<void> {
    const places: (Place<Row> & { question: Question | null })[] = [];
    for (const row of rows) {
      const answer = answerWithoutAsking(row);
      const question = answer === null ? this.questionFor(row.email) : null;
      // Rows that are only asked are counted as duplicates when they are written.
      const duplicate = isWritten && question !== null && !this.seen.add(keyOfParsed(question.email, question.parsed));
      places.push({ row, answer, duplicate, question });
    }
    const found = await this.lookUp(places.flatMap(({ question }) => question ?? []));
    for (const place of places) {
      const { question } = place;
      if (isWritten) this.unwritten.add(place);
      if (question !== null) this.answerOrAsk(question, isWritten ? place : null, found);
    }
  }

  private questionFor(email: string): Question {
    const parsed = parseAddress(email);
    return { email, key: this.asker.isPaid ? keyOfParsed(email, parsed) : spellingKey(email, parsed), parsed };
  }

  private async lookUp(questions: readonly Question[]): Promise<ReadonlyMap<string, Result | null>> {
    const keys = this.looksUp
      ? questions.filter(({ key }) => !this.open.has(key) && !this.recent.has(key)).map(({ key }) => key)
      : [];
    if (keys.length === 0) return new Map();
    await this.keeper.flush();
    return this.keeper.find(keys);
  }

  private answerOrAsk(question: Question, place: Place<Row> | null, found: ReadonlyMap<string, Result | null>): void {
    const { key } = question;
    const open = this.open.get(key);
    if (open !== undefined) {
      if (place !== null) open.places.push(place);
      return;
    }
    const recent = this.recent.get(key);
    if (recent !== undefined) {
      if (place !== null) this.answer(place, recent, {});
      return;
    }
    const known = found.get(key);
    if (known === undefined) {
      this.open.set(key, { question, places: place === null ? [] : [place] });
      this.questions.push(question);
      return;
    }
    if (place === null) return;
    if (known === null) this.inDoubt++;
    this.progress.takeAhead();
    this.answer(place, known ?? unansweredItem(question.email), { charged: false, reused: true });
  }

  private answer(place: Place<Row>, result: Result, marks: Partial<BulkAnswer>): void {
    const { row, duplicate } = place;
    const own = result.email === row.email ? result : { ...result, email: row.email };
    place.answer = { result: own, duplicate, ...marks };
    this.progress.add(result.status, duplicate, marks.reused === true);
  }

  private async takeReplies(): Promise<void> {
    const { caller } = this.options;
    const call = {
      caller: { ...caller, signal: this.stopAsking.signal },
      beforePaying: (questions: readonly Question[]) => this.keeper.beforePaying(questions),
      notPaid: (questions: readonly Question[]) => {
        for (const { key } of questions) this.keeper.add(key, null);
      },
    };
    for await (const replies of this.asker.ask(this.questions, call)) {
      for (const reply of replies) this.take(reply);
      this.endIfAnswered();
      this.options.onProgress?.(this.progress);
      this.changes.notify();
    }
  }

  private take({ question, result, ...marks }: Reply): void {
    const { key } = question;
    const open = this.open.get(key);
    if (open === undefined) throw new Error('The back end answered a question that is not open.');
    if (this.deferrals.defer(question, result)) return;
    this.open.delete(key);
    this.health.count(result);
    if (open.places.length === 0) this.progress.addAhead();
    if (marks.leftOut === true) this.keeper.add(key, null);
    else {
      this.recent.set(key, result);
      this.keeper.add(key, result);
      if (this.recent.size >= maxRecent && !this.looksUp) this.looksUp = this.options.memory != null;
    }
    for (const [index, place] of open.places.entries()) {
      this.answer(place, result, index === 0 ? marks : marks.leftOut === true ? { leftOut: true } : {});
    }
  }

  /** Without an open question no reply is to come. */
  private endIfAnswered(): void {
    if (this.hasReadAll && this.open.size === 0) this.questions.end();
  }

  private async writeAnswered(): Promise<void> {
    while (this.failure === null) {
      const batch = this.unwritten.takeAnswered();
      if (batch !== null) {
        await this.options.sink.write(batch);
        this.changes.notify();
      } else if (this.hasReadAll && this.unwritten.size === 0) return;
      else await this.changes.wait();
    }
  }

  /** Writes what is answered behind a gap, the last answers of those that wait, and where there is none. */
  private async writeRest(): Promise<void> {
    const batch = this.unwritten.takeRest(({ row: { email }, duplicate }) => {
      const result = this.deferrals.lastAnswer(this.questionFor(email).key);
      if (result === null) return { result: unansweredItem(email), duplicate, unanswered: true };
      return { result: { ...result, email }, duplicate };
    });
    // The first failure is the one to report.
    if (batch.rows.length > 0) await this.options.sink.write(batch).catch(() => {});
  }
}

function isInterruption(error: unknown): boolean {
  return error instanceof Failure && error.code === 'interrupted';
}

/** The sub_status of an address that a service did not answer. */
const noAnswer = 'no_answer';

/** Stands for an address without an answer. */
export function unansweredItem(email: string): BulkItem & { sub_status: string; reasons: string[] } {
  return { email, status: 'unknown', is_valid: false, confidence: 0, sub_status: noAnswer, reasons: ['not_answered'] };
}
