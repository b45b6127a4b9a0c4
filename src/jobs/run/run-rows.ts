import type { Caller } from '../../async/caller.js';
import { onAbort } from '../../async/on-abort.js';
import { createSignal } from '../../async/signal.js';
import { askList } from '../../lists/ask-list.js';
import type { Answered, Result, Sink, Wait } from '../../lists/pipeline.js';
import type { RowVerdict } from '../../model/job.js';
import { type ClaimedJob, callerOfJob, type JobRecord, levelOf, withCounts } from '../store/job-record.js';
import { openMemory } from './job-memory.js';
import type { JobRow, JobRows } from './job-rows.js';
import type { RunSettings } from './run-settings.js';
import { UncommittedResults } from './uncommitted-results.js';

/** With `delayMs` all rows are answered but those that wait, the next of them for `home`; `refused`: all but those that another worker is to ask. */
type RowsEnd = 'completed' | { home: string; delayMs: number } | 'refused' | 'stopped' | 'lost';

/** Asks every remaining row, and commits meanwhile. The caller finishes or releases the job, or its slice. */
export async function runRows(
  settings: RunSettings,
  job: ClaimedJob,
  worker: string,
  { source, waits, left, repeated }: JobRows,
): Promise<RowsEnd> {
  const { clock, drainMs, maxOpen, onWaiting } = settings;
  let isIdle = false;
  const stop = new AbortController();
  const removeListener = settings.signal && onAbort(settings.signal, () => stop.abort());
  if (settings.signal?.aborted) stop.abort();
  const { signal } = stop;
  const committer = new Committer(settings, job, worker);
  for (const [row, wait] of waits) committer.addWait(row, wait.retryAt);
  for (const [row, { home, retryAt }] of left) committer.addWait(row, Math.min(retryAt, clock.now() + maxLeftMs), home);
  try {
    const asker = await settings.openAsker(job);
    await askList(source(asker), {
      asker: { ...asker, greylistWaitMs: settings.greylistWaitMs },
      sink: committer,
      caller: { ...callerOf(job), signal: committer.signal },
      memory: openMemory(settings, job, { repeated, isPaid: asker.isPaid }, committer),
      drain: { signal, ms: drainMs },
      clock,
      maxOpen,
      onWaiting: (isWaiting) => {
        committer.isWaiting = isWaiting;
        onWaiting?.(isWaiting);
        // A worker does not hold a slice whose rows all wait.
        if (!isWaiting || job.slice === null) return;
        isIdle = true;
        stop.abort();
      },
    });
    if (!(await committer.close())) return 'lost';
    return committer.rest() ?? 'completed';
  } catch (error) {
    if (!signal.aborted && !committer.signal.aborted) throw error;
    if (!(await committer.close())) return 'lost';
    return (isIdle && committer.rest()) || 'stopped';
  } finally {
    removeListener?.();
    committer.stop();
  }
}

/** A worker shares mail hosts with others, whichever caller owns the job. */
function callerOf({ owner, id, slice }: ClaimedJob): Caller {
  return slice === null ? callerOfJob(owner, id) : { priority: 'job', owner, taskId: id };
}

/** Bounds of the wait for rows: the clock of an earlier worker may have been wrong. */
const minDelayMs = 500;
const maxDelayMs = 30 * 60_000;
/** The worker that a row is left to knows better when it is due. */
const maxLeftMs = 60_000;

/** Commits answers, from time to time and before the lease ends. `signal` aborts when the job is lost or a commit fails. */
class Committer implements Sink<JobRow> {
  readonly order = 'any';
  isWaiting = false;
  /** Mail servers refused this worker, and another one may ask. */
  private hasRefused = false;
  private readonly results: UncommittedResults;
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
    this.results = new UncommittedResults(levelOf(job));
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
    const next = this.results.nextWait();
    if (next === null) return null;
    const delayMs = Math.max(minDelayMs, Math.min(next.retryAt - this.settings.clock.now(), maxDelayMs));
    return { home: next.home ?? '', delayMs };
  }

  /** A row that waits since an earlier start. */
  addWait(row: number, retryAt: number, home = this.settings.name): void {
    this.results.addWait(row, { retryAt, home });
  }

  /** Keeps answers for later runs. */
  keep(answers: readonly { key: string; answer: Result }[]): void {
    for (const { key, answer } of answers) this.results.keep(key, this.verdictOf(answer));
  }

  async write({ rows, answers }: Answered<JobRow>): Promise<void> {
    let index = 0;
    for (const { result, duplicate, reused = false } of answers) {
      const { row, email } = rows[index++] as JobRow;
      const verdict = this.verdictOf(result);
      if (this.isLeftToOthers(result)) continue;
      const counted = email !== '' && !duplicate ? email : null;
      this.results.add({ row, verdict, duplicate, retryAt: null, refusedAt: null }, counted, reused);
    }
    const { batchRows } = this.settings;
    if (this.results.size() >= batchRows) this.due.notify();
    while (this.results.size() >= 4 * batchRows && !this.signal.aborted)
      await new Promise<void>((resolve) => {
        this.room = resolve;
      });
    this.signal.throwIfAborted();
  }

  /** Only the first row of a mailbox waits: the others are asked again with it. */
  defer([first]: readonly JobRow[], result: Result, wait: Wait): void {
    if (first === undefined || this.signal.aborted) return;
    const { row, duplicate } = first;
    this.results.add({ row, verdict: this.verdictOf(result), duplicate, ...wait, home: this.settings.name });
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
      const { batchRows, flushMs } = this.settings;
      const isEmpty = this.results.size() === 0;
      if (this.results.size() < batchRows)
        await this.due.wait(this.isWaiting && isEmpty ? this.heartbeatMs() : flushMs);
      if (!this.isStopped && this.isDue()) await this.commit(false);
      this.room();
    }
  }

  /** Whether there are enough results, they are old, or the lease needs it. */
  private isDue(): boolean {
    const { clock, batchRows, flushMs } = this.settings;
    const size = this.results.size();
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
      while (!this.isLost && (this.results.size() >= batchRows || (isLast && this.results.size() > 0)));
    } catch (error) {
      this.failure = { error };
    }
    if (this.isLost || this.failure !== null) this.abort.abort();
  }

  private async saveBatch(): Promise<boolean> {
    const { store, clock, batchRows, leaseMs, isResolverDown, onProgress, onVerdict } = this.settings;
    const { batch, countedEmails } = this.results.drain(batchRows);
    const now = clock.now();
    const isSaved = await store.saveBatch({
      ...batch,
      counts: { ...batch.counts, resolverDown: Number('dns_error' in batch.subCounts && isResolverDown()) },
      jobId: this.job.id,
      worker: this.worker,
      now,
      leaseUntil: now + leaseMs,
    });
    if (!isSaved) return false;
    this.progress = withCounts(this.progress, [batch]);
    onProgress?.(this.progress);
    // Rows that are lost when the job is canceled are validated, and reported, by its next run.
    if (onVerdict !== undefined) {
      for (const [index, { verdict }] of batch.results.entries()) {
        const email = countedEmails[index] ?? null;
        if (email !== null) onVerdict(this.job, email, verdict);
      }
    }
    return true;
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
