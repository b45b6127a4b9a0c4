import { emptyVerdict, type RowVerdict, suppressedVerdict } from '../../model/job.js';
import { countedAs } from '../../model/result.js';
import type { AddedCounts, Batch, RowResult } from '../store/job-record.js';

type BatchPart = Pick<Batch, 'results' | 'counts' | 'subCounts' | 'answers' | 'waits'>;

/** When a row is due that waits, and the worker that it waits for. */
interface RowWait {
  retryAt: number;
  home?: string | undefined;
}

/** Results that are not committed yet. Verdicts are kept under `scope`. */
export class UncommittedResults {
  private results: RowResult[] = [];
  private countedEmails: (string | null)[] = [];
  private kept: { key: string; answer: RowVerdict }[] = [];
  private readonly waits = new Map<number, RowWait>();

  constructor(private readonly scope: string) {}

  size(): number {
    return this.results.length;
  }

  /** With the address to report after the commit, or null. */
  add(result: RowResult, countedEmail: string | null = null, isReused = false): void {
    const { row, retryAt, home, duplicate } = result;
    this.results.push(isReused && !duplicate ? { ...result, reused: true } : result);
    this.countedEmails.push(countedEmail);
    if (retryAt !== null) this.addWait(row, { retryAt, home });
    else if (this.waits.size > 0) this.waits.delete(row);
  }

  /** Keeps a verdict for later runs. */
  keep(key: string, answer: RowVerdict): void {
    this.kept.push({ key, answer });
  }

  /** Records a row that an earlier run deferred. */
  addWait(row: number, wait: RowWait): void {
    this.waits.set(row, wait);
  }

  /** The oldest results, at most `rows`, and all verdicts for later runs. */
  drain(rows: number): { batch: BatchPart; countedEmails: (string | null)[] } {
    const results = this.results.splice(0, rows);
    const countedEmails = this.countedEmails.splice(0, rows);
    const entries = this.kept;
    this.kept = [];
    const answers = { scope: this.scope, entries };
    const waits = { rows: this.waits.size, nextAt: this.nextWait()?.retryAt ?? null };
    const batch = { results, ...count(results), answers, waits };
    return { batch, countedEmails };
  }

  /** The next row that is due of those that wait; null if none does. */
  nextWait(): RowWait | null {
    let next: RowWait | null = null;
    for (const wait of this.waits.values()) if (next === null || wait.retryAt < next.retryAt) next = wait;
    return next;
  }
}

function count(results: readonly RowResult[]): AddedCounts {
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
