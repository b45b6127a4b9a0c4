import type { Clock } from '../async/clock.js';
import { isCacheable } from '../model/verdict-age.js';
import type { Found, Known, Run } from './answers.js';
import type { Question, Result } from './pipeline.js';

/** The memory of a run, and when it is opened. */
export interface RunMemory {
  /** Open from the start, to continue a run or to reuse answers. */
  run: Run | null;
  /** Opens it later; null if it cannot be opened. */
  open(): Promise<Run | null>;
  /** Reuse answers of earlier runs that are no older. */
  maxAgeMs: number | null;
  /** Answers without details, as jobs keep them, are asked again. */
  needsDetails: boolean;
}

/** A short run is asked again as fast as its memory opens. */
const opensAfterMs = 2_000;
const commitMs = 200;
const commitAnswers = 1_000;

/** Hands the answers of a run to its memory, in batches. */
export class Keeper {
  private uncommitted: Known[] = [];
  private opening: Promise<Run | null> | null = null;
  private writing: Promise<void> = Promise.resolve();
  private failure: { error: unknown } | null = null;
  private readonly startedAt: number;
  private cancelTimer: (() => void) | null = null;

  constructor(
    private readonly memory: RunMemory | null,
    private readonly isPaid: boolean,
    private readonly clock: Clock,
  ) {
    this.startedAt = clock.elapsed();
    if (memory?.run) this.opening = Promise.resolve(memory.run);
  }

  /** Whether answers of before this process may be found. */
  get knowsEarlier(): boolean {
    return this.memory !== null && (this.memory.run?.unfinished != null || this.memory.maxAgeMs !== null);
  }

  /** Opens the memory now. */
  open(): Promise<Run | null> {
    this.opening ??= this.memory?.open() ?? Promise.resolve(null);
    return this.opening;
  }

  /** Answers that are known. Call `flush` before, to find those of this process. */
  async find(keys: readonly string[]): Promise<Found> {
    const run = keys.length === 0 || this.opening === null ? null : await this.opening;
    if (run === null || this.memory === null) return new Map();
    const { maxAgeMs, needsDetails } = this.memory;
    const found = await run.find(keys, maxAgeMs);
    return needsDetails ? new Map([...found].filter(([, result]) => result === null || 'details' in result)) : found;
  }

  async beforePaying(questions: readonly Question[]): Promise<void> {
    const run = await this.open();
    await run?.inDoubt(questions.map(({ key }) => key));
  }

  /** Keeps an answer, unless it is about this machine and was not paid. Null: there is none, and it was not paid. */
  add(key: string, result: Result | null): void {
    if (this.failure !== null) throw this.failure.error;
    if (this.memory === null || !(this.isPaid || result === null || isCacheable(result))) return;
    this.uncommitted.push({ key, result });
    this.commitSoon(this.uncommitted.length >= commitAnswers ? 0 : commitMs);
  }

  private commitSoon(ms: number): void {
    if (this.opening === null && this.clock.elapsed() - this.startedAt < opensAfterMs) {
      ms = opensAfterMs;
    } else if (ms === 0) {
      this.commit();
      return;
    }
    this.cancelTimer ??= this.clock.after(ms, () => {
      this.cancelTimer = null;
      this.commit();
    });
  }

  private commit(): void {
    const batch = this.uncommitted;
    this.uncommitted = [];
    if (batch.length === 0) return;
    this.writing = this.writing
      .then(async () => (await this.open())?.add(batch))
      .catch((error: unknown) => {
        this.failure ??= { error };
      });
  }

  /** Writes what is not committed; if the memory is not open yet, nothing. */
  async flush(): Promise<void> {
    if (this.opening !== null) this.commit();
    await this.writing;
    if (this.failure !== null) throw this.failure.error;
  }

  /** Ends the commits. What was answered is kept if the run stopped early. */
  async close({ keep }: { keep: boolean }): Promise<void> {
    this.cancelTimer?.();
    if (keep && this.uncommitted.length > 0) await this.open();
    await this.flush();
  }
}
