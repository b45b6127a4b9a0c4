import { addCount, type Counts } from '../model/result.js';
import type { RunProgress } from '../model/service.js';

/** Counts the answers of a run, also those behind a row that waits. */
export class ListProgress implements RunProgress {
  private readonly statuses: Counts = {
    valid_count: 0,
    invalid_count: 0,
    risky_count: 0,
    unknown_count: 0,
    duplicate_count: 0,
  };
  private answeredCount = 0;
  private reusedCount = 0;
  /** Answers of rows that are read again to be written. */
  private aheadCount = 0;

  constructor(private readonly waits: { size(): number; nextAt(): number | null }) {}

  add(status: string, duplicate: boolean, isReused: boolean): void {
    this.answeredCount++;
    if (isReused) this.reusedCount++;
    addCount(this.statuses, status, duplicate);
  }

  addAhead(): void {
    this.aheadCount++;
  }

  /** A row whose answer was counted ahead is written. */
  takeAhead(): void {
    if (this.aheadCount > 0) this.aheadCount--;
  }

  answered(): number {
    return this.answeredCount + this.aheadCount;
  }

  counts(): Counts {
    return this.statuses;
  }

  reused(): number {
    return this.reusedCount;
  }

  waiting(): number {
    return this.waits.size();
  }

  nextAt(): number | null {
    return this.waits.nextAt();
  }
}
