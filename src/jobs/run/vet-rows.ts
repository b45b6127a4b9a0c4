import { createSemaphore } from '../../async/semaphore.js';
import { emptyVerdict, type RowVerdict, rowVerdictOf } from '../../model/job.js';
import { isFresh } from '../../model/verdict-age.js';
import { levelOf } from '../store/store.js';
import {
  type Answer,
  type Deferral,
  type RetryContext,
  resumeDeferred,
  retryDeferred,
  type VetAddress,
} from './retry-deferred.js';
import type { PendingRow, RowQueue } from './row-queue.js';
import type { JobRun, RunSettings } from './run-settings.js';
import type { UncommittedResults } from './uncommitted-results.js';

const exceptionVerdict: RowVerdict = {
  status: 'unknown',
  sub_status: 'exception_occurred',
  confidence: 0,
  safe_to_send: false,
  did_you_mean: null,
};

/** Rows between two reads of the clock, which costs as much as a row at level syntax. */
const rowsPerYield = 16;

/** Vets the remaining rows of a job. Notifies the run's signal when there is enough to commit, or nothing left to vet. */
export class RowVetter {
  private readonly recorder: VerdictRecorder;
  /** Stops the waits for mail servers; the store says when each row is due, so the next run continues them. */
  private readonly waits = new AbortController();
  private readonly retries;
  private readonly semaphore;
  private wake = (): void => {};
  private rowsInFlight = 0;
  private hasStartedAll = false;
  private isStopping = false;
  /** Rows that waited for mail servers when the run stopped. */
  private hasDeferredRows = false;
  private hasReportedError = false;
  private failure: { error: unknown } | null = null;

  constructor(
    private readonly settings: RunSettings,
    private readonly run: JobRun,
    private readonly queue: RowQueue,
    private readonly results: UncommittedResults,
  ) {
    this.recorder = new VerdictRecorder(settings, run.job, queue, results);
    this.retries = { clock: settings.clock, signal: this.waits.signal, waitMs: settings.greylistWaitMs };
    this.semaphore = createSemaphore(settings.maxOpen, () => this.wake());
    this.startRows()
      .catch((error: unknown) => {
        this.failure = { error };
      })
      .finally(run.commitSignal.notify);
  }

  /** Whether every row has its final verdict. */
  isDone(): boolean {
    if (this.failure !== null) throw this.failure.error;
    return this.hasStartedAll && this.rowsInFlight === 0 && !this.hasDeferredRows;
  }

  /** Whether the remaining rows only wait for mail servers that said "try later". */
  isWaiting(): boolean {
    return this.hasStartedAll && this.rowsInFlight > 0 && this.semaphore.inUse() === 0;
  }

  /** Called after a commit: more rows may be taken. */
  resume(): void {
    this.wake();
  }

  /** Takes no more rows, and waits up to `drainMs` for those in flight. Returns whether every row has its verdict. */
  async drain(): Promise<boolean> {
    this.stop();
    const { clock, drainMs } = this.settings;
    const deadline = clock.elapsed() + drainMs;
    while (this.semaphore.inUse() > 0 && clock.elapsed() < deadline)
      await this.run.commitSignal.wait(deadline - clock.elapsed());
    return this.failure === null && this.isDone();
  }

  /** Aborts the rows in flight; their answers are ignored. */
  abandon(): void {
    this.run.rowsAbort.abort();
    this.stop();
  }

  private stop(): void {
    this.isStopping = true;
    this.waits.abort();
    this.wake();
  }

  private async startRows(): Promise<void> {
    while (!this.queue.isEmpty()) {
      await this.waitUntilReady();
      const taken = await this.recorder.takeKnown(this.queue.take(this.settings.batchRows), this.run.vet);
      for (const duplicateResult of this.queue.takeDuplicates()) this.results.add(duplicateResult, null);
      let started = 0;
      for (const pending of taken) {
        // No await without a promise: it would cost as much as a row at level syntax.
        const pause = started++ % rowsPerYield === 0 ? this.run.maybeYield() : null;
        if (pause !== null) await pause;
        const wait = this.waitUntilReady();
        if (wait !== null) await wait;
        if (this.isStopping) return;
        this.start(pending);
      }
      // Rows that were answered at once, and their duplicates, send no notification.
      if (this.isBatchFull()) this.run.commitSignal.notify();
    }
    this.hasStartedAll = true;
  }

  private isBatchFull(): boolean {
    return this.results.size() >= this.settings.batchRows;
  }

  /** Waits while all slots are taken, or too many results are not committed. */
  private waitUntilReady(): Promise<void> | null {
    const mustWait = (): boolean =>
      !this.isStopping && (this.semaphore.isFull() || this.results.size() >= 4 * this.settings.batchRows);
    return mustWait() ? this.waitWhile(mustWait) : null;
  }

  private async waitWhile(mustWait: () => boolean): Promise<void> {
    while (mustWait()) {
      if (this.isBatchFull()) this.run.commitSignal.notify();
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private start(pending: PendingRow): void {
    const { row, email, deferral } = pending;
    const { vet } = this.run;
    if (email === '') {
      this.recorder.settle(pending, emptyVerdict, false);
    } else if (deferral !== undefined) {
      this.results.addWait(row, deferral.retryAt);
      this.awaitAnswer(pending, (context) => resumeDeferred(vet, email, this.retries, context, deferral));
    } else {
      const answer = attempt(vet, email);
      if (answer instanceof Promise) {
        this.awaitAnswer(pending, (context) => retryDeferred(answer, vet, email, this.retries, context));
      } else {
        // A verdict that needed no network is computed again as fast as it is looked up.
        this.recorder.answer(pending, answer, false);
      }
    }
  }

  /** An answer that is not immediate holds a slot until it arrives. */
  private awaitAnswer(pending: PendingRow, wait: (context: RetryContext) => Promise<Answer>): void {
    this.rowsInFlight++;
    this.semaphore.acquireNow();
    const onWait = (deferral: Deferral, answer: Answer): void => {
      if (!this.run.rowsAbort.signal.aborted) this.recorder.defer(pending, deferral, answer);
    };
    wait({ semaphore: this.semaphore, onWait }).then(
      (answer) => this.finish(() => this.recorder.answer(pending, answer, true)),
      (error: unknown) => this.finish(() => this.fail(pending, error)),
    );
  }

  private finish(record: () => void): void {
    if (!this.run.rowsAbort.signal.aborted) record();
    this.rowsInFlight--;
    this.semaphore.release();
    if (this.isBatchFull() || this.rowsInFlight === 0 || this.semaphore.inUse() === 0) this.run.commitSignal.notify();
  }

  private fail(pending: PendingRow, error: unknown): void {
    if (error === this.waits.signal.reason) {
      this.hasDeferredRows = true;
      return;
    }
    if (!this.hasReportedError) this.settings.onError?.(error);
    this.hasReportedError = true;
    this.recorder.settle(pending, exceptionVerdict, false);
  }
}

/** Converts an exception to a rejection. */
function attempt(vet: VetAddress, email: string): ReturnType<VetAddress> {
  try {
    return vet(email);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Records verdicts: final ones with their duplicates, deferred ones with the time of their retry. */
class VerdictRecorder {
  private last: RowVerdict | null = null;

  constructor(
    private readonly settings: RunSettings,
    private readonly job: JobRun['job'],
    private readonly queue: RowQueue,
    private readonly results: UncommittedResults,
  ) {}

  settle({ row, email, duplicate }: PendingRow, verdict: RowVerdict, isCached: boolean): void {
    this.results.add(
      { row, verdict, duplicate, retryAt: null, refusedAt: null },
      isCached ? this.settings.canonical(email) : null,
      email !== '' && !duplicate ? email : null,
    );
    for (const duplicateResult of this.queue.settle(row, verdict)) this.results.add(duplicateResult, null);
  }

  answer(pending: PendingRow, answer: Answer, isCached: boolean): void {
    this.settle(pending, this.verdictOf(answer), isCached);
  }

  defer({ row, duplicate }: PendingRow, deferral: Deferral, answer: Answer): void {
    this.results.add({ row, verdict: this.verdictOf(answer), duplicate, ...deferral }, null);
  }

  /** Settles the rows that have a fresh verdict, and returns the others. */
  async takeKnown(rows: PendingRow[], { ignoresCache }: VetAddress): Promise<PendingRow[]> {
    const { clock, store, canonical } = this.settings;
    const { maxAgeMs } = this.job.options;
    if (typeof maxAgeMs !== 'number' || rows.length === 0) return rows;
    const keys = rows.map(({ email }) => canonical(email));
    const known = await store.findAnswers(levelOf(this.job), keys);
    return rows.filter((pending, index) => {
      const hit = known.get(keys[index] ?? '');
      if (hit == null || ignoresCache?.(pending.email)) return true;
      const verdict = rowVerdictOf(hit.answer);
      if (verdict === null || !isFresh(verdict, clock.now() - hit.checkedAt, maxAgeMs)) return true;
      this.settle(pending, verdict, false);
      if (!pending.duplicate) this.results.markReused(pending.row);
      return false;
    });
  }

  /** Neighbors often get the same verdict: they share one object, which is stored once. */
  private verdictOf({ status, sub_status, confidence, safe_to_send, did_you_mean }: Answer): RowVerdict {
    const { last } = this;
    const isSame =
      last?.status === status &&
      last.sub_status === sub_status &&
      last.confidence === confidence &&
      last.safe_to_send === safe_to_send &&
      last.did_you_mean === did_you_mean;
    if (isSame) return last;
    this.last = { status, sub_status, confidence, safe_to_send, did_you_mean };
    return this.last;
  }
}
