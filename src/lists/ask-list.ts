import { systemClock } from '../async/clock.js';
import { LruMap } from '../async/lru-map.js';
import { onAbort } from '../async/on-abort.js';
import { parseAddress } from '../engine/grammar/parse-address.js';
import { Failure } from '../model/failure.js';
import { NetworkHealth } from '../model/network-health.js';
import type { BulkAnswer, BulkItem } from '../model/result.js';
import { type AskOptions, interrupted, type RunReport } from './ask-options.js';
import { createBroadcast } from './broadcast.js';
import { Deferrals } from './deferrals.js';
import { createHashSet } from './hash-set.js';
import { judgeList } from './judge-list.js';
import { Keeper } from './keeper.js';
import { keyOfParsed, spellingKey } from './mailbox-key.js';
import type { Asker, Item, Question, Reply, Result, Source } from './pipeline.js';
import { ListProgress } from './progress.js';
import { createQuestionQueue } from './question-queue.js';
import { AnsweredRows, answerWithoutAsking, type Place, type RowsToWrite, UnwrittenRows } from './unwritten-rows.js';

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

/** A question that has no final answer yet, and the rows that wait for it. */
interface Open<Row extends Item> {
  question: Question;
  places: Place<Row>[];
}

/** One run over a list: three loops read rows and ask, take replies, and write. */
class ListRun<Row extends Item> {
  private readonly asker: Asker;
  private readonly unwritten: RowsToWrite<Row>;
  private readonly open = new Map<string, Open<Row>>();
  private readonly recent = new LruMap<Result>({ maxEntries: maxRecent });
  private readonly changes = createBroadcast();
  private readonly questions = createQuestionQueue(this.changes.notify);
  /** Questions that the back end has, or is about to get. */
  private asked = 0;
  private readonly stopAsking = new AbortController();
  private readonly seen = createHashSet();
  private readonly deferrals: Deferrals;
  private readonly keeper: Keeper;
  private readonly progress: ListProgress;
  private readonly health: NetworkHealth;
  private hasReadAll = false;
  private isStopping = false;
  /** Some rows were not read. */
  private isCut = false;
  private isWaiting = false;
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
    this.unwritten = options.sink.order === 'any' ? new AnsweredRows() : new UnwrittenRows();
    this.keeper = new Keeper(memory, asker.isPaid, clock);
    this.looksUp = this.keeper.knowsEarlier;
    this.deferrals = new Deferrals(clock, asker, (question) => this.ask(question));
    this.progress = new ListProgress(this.deferrals);
    this.health = new NetworkHealth(asker.isResolverDown);
  }

  async run(): Promise<RunReport> {
    const { needsNetwork = false } = this.options;
    const stopListening = this.listen();
    const noteFailure = (error: unknown): void => this.fail(error);
    const reading = this.readAll().catch((error: unknown) => this.endReading(true, { error }));
    const asking = this.takeReplies().then(() => this.endDraining());
    await Promise.all([asking.catch(noteFailure), this.writeAnswered().catch(noteFailure)]);
    // After a failure the input may be blocked in a read, which ends when it is closed.
    if (this.failure === null) await reading;
    this.failure ??= this.readFailure;
    stopListening();
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

  /** Stops at once by the signal of the caller, and slowly by that of `drain`. */
  private listen(): () => void {
    const { caller, drain, clock = systemClock } = this.options;
    const stop = (): void => this.fail(interrupted(caller.signal?.reason ?? drain?.signal?.reason));
    let cancel = (): void => {};
    const startDraining = (): void => {
      this.isStopping = true;
      this.questions.stop();
      this.deferrals.stop();
      cancel = clock.after(drain?.ms ?? 0, stop);
      this.changes.notify();
    };
    const removers = [
      caller.signal && onAbort(caller.signal, stop),
      drain?.signal && onAbort(drain.signal, startDraining),
    ];
    if (caller.signal?.aborted) stop();
    else if (drain?.signal?.aborted) startDraining();
    return () => {
      cancel();
      for (const remove of removers) remove?.();
    };
  }

  /** The back end has answered what it had; the rest is left, if there is any. */
  private endDraining(): void {
    if (this.isStopping && !(this.hasReadAll && this.open.size === 0))
      this.fail(interrupted(this.options.drain?.signal?.reason));
  }

  private fail(error: unknown): void {
    // A back end that was interrupted says what it may have cost.
    if (this.failure === null || (isInterruption(this.failure.error) && isInterruption(error)))
      this.failure = { error };
    this.questions.stop();
    this.stopAsking.abort(this.failure.error);
    this.changes.notify();
  }

  private endReading(hasReadAll: boolean, failure: { error: unknown } | null = null): void {
    this.readFailure = failure;
    this.hasReadAll = hasReadAll;
    this.questions.flush();
    this.endIfAnswered();
    this.reportWaiting();
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
    this.endReading(!this.isCut);
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
      if (this.failure !== null || this.isStopping) {
        this.isCut = true;
        return null;
      }
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
      const duplicate =
        isWritten && question !== null && (row.duplicate ?? !this.seen.add(keyOfParsed(row.email, question.parsed)));
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
    const isUnknown = ({ key, email }: Question): boolean =>
      !this.open.has(key) && !this.recent.has(key) && this.asker.isSuppressed?.(email) !== true;
    const keys = this.looksUp ? questions.filter(isUnknown).map(({ key }) => key) : [];
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
      const wait = place?.row.wait;
      if (wait === undefined) this.ask(question);
      else this.deferrals.resume(question, wait);
      return;
    }
    if (place === null) return;
    if (known === null) this.inDoubt++;
    this.progress.takeAhead();
    const marks = place.duplicate ? {} : { reused: true as const };
    this.answer(place, known ?? unansweredItem(question.email), { charged: false, ...marks });
  }

  private ask(question: Question): void {
    this.asked++;
    this.questions.push(question);
    this.reportWaiting();
  }

  private reportWaiting(): void {
    const isWaiting = this.hasReadAll && this.asked === 0 && this.open.size > 0;
    if (isWaiting !== this.isWaiting) this.options.onWaiting?.(isWaiting);
    this.isWaiting = isWaiting;
  }

  private answer(place: Place<Row>, result: Result, marks: Partial<BulkAnswer>): void {
    const { row, duplicate } = place;
    const own = result.email === row.email ? result : { ...result, email: row.email };
    place.answer = { result: own, duplicate, ...marks };
    this.unwritten.answered(place);
    this.progress.add(result.status, duplicate, marks.reused === true);
  }

  private async takeReplies(): Promise<void> {
    const { caller, maxOpen, drain } = this.options;
    const call = {
      ...(maxOpen && { maxOpen }),
      stop: drain?.signal,
      caller: { ...caller, signal: this.stopAsking.signal },
      beforePaying: (questions: readonly Question[]) => this.keeper.beforePaying(questions),
      notPaid: (questions: readonly Question[]) => {
        for (const { key } of questions) this.keeper.add(key, null);
      },
      defer: (question: Question, result: Result) => this.defer(question, result),
    };
    for await (const replies of this.asker.ask(this.questions, call)) {
      for (const reply of replies) this.take(reply);
      this.reportWaiting();
      this.endIfAnswered();
      this.options.onProgress?.(this.progress);
      this.changes.notify();
    }
  }

  /** Waits for another try if the host wants one. */
  private defer(question: Question, result: Result): boolean {
    const wait = this.deferrals.defer(question, result);
    if (wait === null) return false;
    this.asked--;
    const rows = this.open.get(question.key)?.places.map(({ row }) => row) ?? [];
    this.options.sink.defer?.(rows, result, wait);
    this.reportWaiting();
    return true;
  }

  private take({ question, result, final, ...marks }: Reply): void {
    const { key } = question;
    const open = this.open.get(key);
    if (open === undefined) throw new Error('The back end answered a question that is not open.');
    if (final !== true && this.defer(question, result)) return;
    this.asked--;
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
      } else if (this.hasReadAll && this.open.size === 0 && this.unwritten.size === 0) return;
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

/** Stands for an address without an answer. */
export function unansweredItem(email: string): BulkItem & { sub_status: string; reasons: string[] } {
  const reasons = ['not_answered'];
  return { email, status: 'unknown', is_valid: false, confidence: 0, sub_status: 'no_answer', reasons };
}
