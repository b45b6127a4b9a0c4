import { createSignal } from '../../async/signal.js';
import type { Answered, Result, Sink, Wait } from '../../lists/pipeline.js';
import { emptyVerdict, type RowVerdict, suppressedVerdict } from '../../model/job.js';
import { countedAs } from '../../model/result.js';
import {
  type AddedCounts,
  type ClaimedJob,
  type JobRecord,
  levelOf,
  type RowResult,
  withCounts,
} from '../store/job-record.js';
import type { JobRow } from './job-rows.js';
import type { RunSettings } from './run-settings.js';

/** Bounds of the wait for rows: the clock of an earlier worker may have been wrong. */
const minDelayMs = 500;
const maxDelayMs = 30 * 60_000;
/** A result that is not committed yet, with the address to report after the commit. */
interface Uncommitted {
  result: RowResult;
  countedEmail: string | null;
}

/** When a row is due that waits, and the worker that it waits for. */
interface RowWait {
  retryAt: number;
  home?: string | undefined;
}

/** Commits answers, from time to time and before the lease ends. `signal` aborts when the job is lost or a commit fails. */
export class Committer implements Sink<JobRow> {
  readonly order = 'any';
  isWaiting = false;
  /** Mail servers refused this worker, and another one may ask. */
  private hasRefused = false;
  private readonly results: Uncommitted[] = [];
  private readonly waits = new Map<number, RowWait>();
  /** Verdicts for later runs. */
  private kept: { key: string; answer: RowVerdict }[] = [];
  private progress: JobRecord;
  private readonly abort = new AbortController();
  private readonly due;
  private readonly committing: Promise<void>;
  private room = (): void => {};
  private committedAt: number;
  private isStopped = false;
  private isLost = false;
  private failure: { error: unknown } | null = null;
  private last: RowVerdict | null = null;

  constructor(
    private readonly settings: RunSettings,
    private readonly job: ClaimedJob,
    private readonly worker: string,
  ) {
    this.progress = job;
    this.due = createSignal(settings.clock);
    this.committedAt = settings.clock.elapsed();
    this.committing = this.keepCommitting();
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** The rows that are not answered: those that another worker is to ask now, or the next one that waits; null if none is left. */
  rest(): 'refused' | { home: string; delayMs: number } | null {
    if (this.hasRefused) return 'refused';
    const next = this.nextWait();
    if (next === null) return null;
    const delayMs = Math.max(minDelayMs, Math.min(next.retryAt - this.settings.clock.now(), maxDelayMs));
    return { home: next.home ?? '', delayMs };
  }

  /** A row that waits since an earlier start. */
  addWait(row: number, retryAt: number, home = this.settings.name): void {
    this.waits.set(row, { retryAt, home });
  }

  /** Keeps answers for later runs. */
  keep(answers: readonly { key: string; answer: Result }[]): void {
    for (const { key, answer } of answers) this.kept.push({ key, answer: this.verdictOf(answer) });
  }

  async write({ rows, answers }: Answered<JobRow>): Promise<void> {
    let index = 0;
    for (const { result, duplicate, reused = false } of answers) {
      const { row, email } = rows[index++] as JobRow;
      const verdict = this.verdictOf(result);
      if (this.isLeftToOthers(result)) continue;
      const saved: RowResult = { row, verdict, duplicate, retryAt: null, refusedAt: null };
      if (reused && !duplicate) saved.reused = true;
      this.results.push({ result: saved, countedEmail: email !== '' && !duplicate ? email : null });
      if (this.waits.size > 0) this.waits.delete(row);
    }
    const { batchRows } = this.settings;
    if (this.results.length >= batchRows) this.due.notify();
    while (this.results.length >= 4 * batchRows && !this.signal.aborted)
      await new Promise<void>((resolve) => {
        this.room = resolve;
      });
    this.signal.throwIfAborted();
  }

  /** Only the first row of a mailbox waits: the others are asked again with it. */
  defer([first]: readonly JobRow[], result: Result, wait: Wait): void {
    if (first === undefined || this.signal.aborted) return;
    const { row, duplicate } = first;
    const { name: home } = this.settings;
    const deferred = { row, verdict: this.verdictOf(result), duplicate, ...wait, home };
    this.results.push({ result: deferred, countedEmail: null });
    this.addWait(row, wait.retryAt);
  }

  /** Whether mail servers refused this worker, and another one is to ask. */
  private isLeftToOthers(result: Result): boolean {
    const { workers = () => [], name } = this.settings;
    const { slice } = this.job;
    if (!('client_refused' in result) || slice === null) return false;
    const isLeft = workers().some((worker) => worker !== name && !slice.avoid.includes(worker));
    if (isLeft) this.hasRefused = true;
    return isLeft;
  }

  /** Commits the rest: false if another worker owns the job. */
  async close(): Promise<boolean> {
    this.stop();
    await this.committing;
    if (this.failure === null && !this.isLost) await this.commit(true);
    if (this.failure !== null) throw this.failure.error;
    return !this.isLost;
  }

  /** Commits no more by itself. */
  stop(): void {
    this.isStopped = true;
    this.due.notify();
  }

  private async keepCommitting(): Promise<void> {
    while (!this.isStopped && !this.signal.aborted) {
      const { clock, batchRows, flushMs } = this.settings;
      const isEmpty = this.results.length === 0;
      const pauseMs = this.isWaiting && isEmpty ? this.heartbeatMs() : flushMs;
      // A commit that took long is followed by the next one at once.
      const elapsedMs = isEmpty ? 0 : clock.elapsed() - this.committedAt;
      if (this.results.length < batchRows && elapsedMs < pauseMs) await this.due.wait(pauseMs - elapsedMs);
      if (!this.isStopped && this.isDue()) await this.commit(false);
      this.room();
    }
  }

  /** Whether there are enough results, they are old, or the lease needs it. */
  private isDue(): boolean {
    const { clock, batchRows, flushMs } = this.settings;
    const size = this.results.length;
    const elapsedMs = clock.elapsed() - this.committedAt;
    return size >= batchRows || (size > 0 && elapsedMs >= flushMs) || elapsedMs >= this.heartbeatMs();
  }

  /** A job that only waits makes no progress, and writes less often. */
  private heartbeatMs(): number {
    const { heartbeatMs, leaseMs } = this.settings;
    return this.isWaiting ? Math.max(heartbeatMs, leaseMs / 3) : heartbeatMs;
  }

  private async commit(isLast: boolean): Promise<void> {
    const { clock, batchRows } = this.settings;
    this.committedAt = clock.elapsed();
    try {
      do this.isLost = !(await this.saveBatch());
      while (!this.isLost && (this.results.length >= batchRows || (isLast && this.results.length > 0)));
    } catch (error) {
      this.failure = { error };
    }
    if (this.isLost || this.failure !== null) this.abort.abort();
  }

  private async saveBatch(): Promise<boolean> {
    const { store, clock, batchRows, leaseMs, isResolverDown, onProgress, onVerdict } = this.settings;
    const taken = this.results.splice(0, batchRows);
    const entries = this.kept;
    this.kept = [];
    const results = taken.map(({ result }) => result);
    const added = countResults(results);
    added.counts.resolverDown = Number('dns_error' in added.subCounts && isResolverDown());
    const now = clock.now();
    const isSaved = await store.saveBatch({
      ...{ results, ...added, answers: { scope: levelOf(this.job), entries } },
      waits: { rows: this.waits.size, nextAt: this.nextWait()?.retryAt ?? null },
      jobId: this.job.id,
      worker: this.worker,
      now,
      leaseUntil: now + leaseMs,
    });
    if (!isSaved) return false;
    this.progress = withCounts(this.progress, [added]);
    onProgress?.(this.progress);
    // Rows that are lost when the job is canceled are validated, and reported, by its next run.
    for (const { result, countedEmail } of taken)
      if (countedEmail !== null) onVerdict?.(this.job, countedEmail, result.verdict);
    return true;
  }

  /** The next row that is due of those that wait; null if none does. */
  private nextWait(): RowWait | null {
    let next: RowWait | null = null;
    for (const wait of this.waits.values()) if (next === null || wait.retryAt < next.retryAt) next = wait;
    return next;
  }

  /** Neighbors often get the same verdict: they share one object, which is stored once. */
  private verdictOf(result: Result): RowVerdict {
    const {
      status,
      sub_status,
      confidence,
      safe_to_send = false,
      did_you_mean = null,
    } = result as unknown as RowVerdict;
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

/** How results are counted; rows that wait are not. */
function countResults(results: readonly RowResult[]): AddedCounts {
  const none = { processed: 0, valid: 0, invalid: 0, risky: 0, unknown: 0, duplicate: 0 };
  const counts = { ...none, reused: 0, resolverDown: 0 };
  const subCounts: Record<string, number> = {};
  const countCode = (code: string): void => {
    subCounts[code] = (subCounts[code] ?? 0) + 1;
  };
  for (const { verdict, duplicate, retryAt, reused = false } of results) {
    if (retryAt !== null) continue;
    counts.processed++;
    if (reused) counts.reused++;
    // A row without an address is in none of the five counts.
    if (verdict.status === emptyVerdict.status) continue;
    if (verdict.status === suppressedVerdict.status) {
      countCode(verdict.status);
      continue;
    }
    counts[countedAs(verdict.status, duplicate)]++;
    if (!duplicate) countCode(verdict.sub_status);
  }
  return { counts, subCounts };
}
