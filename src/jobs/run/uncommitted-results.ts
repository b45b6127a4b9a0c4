import { emptyVerdict, type RowVerdict } from '../../model/job.js';
import { countedAs } from '../../model/result.js';
import type { Batch, RowResult } from '../store/store.js';
import { isCacheable } from './verdict-age.js';

type Part = Pick<Batch, 'results' | 'counts' | 'subCounts' | 'cache' | 'waits' | 'asked' | 'reused'>;

/** The cache is ordered by address, and many at once cost half as much as few; losing some to a crash only means asking again. */
const rememberRows = 100_000;

/** Gathers results until they are committed. */
export interface UncommittedResults {
  size(): number;
  /** `email` is the canonical address to remember the verdict by, or null. */
  add(result: RowResult, email: string | null): void;
  /** A verdict of an earlier run was used. */
  reuse(): void;
  /** The row waits for its mail server from an earlier run on. */
  wait(row: number, retryAt: number): void;
  /** At most `rows` of what was gathered, the oldest first; verdicts to remember are held back until they are worth a write, or `all` is asked for. */
  drain(rows: number, all: boolean): Part;
}

/** An empty tally; verdicts are remembered under `scope`. */
export function createUncommittedResults(scope: string): UncommittedResults {
  let results: RowResult[] = [];
  let asked: (string | null)[] = [];
  let remembered: { email: string; verdict: RowVerdict }[] = [];
  const waits = new Map<number, number>();
  let reused = 0;
  return {
    size: () => results.length,
    add: (result, email) => {
      results.push(result);
      asked.push(result.retryAt === null ? email : null);
      const { row, verdict, retryAt, duplicate } = result;
      if (retryAt !== null) waits.set(row, retryAt);
      else if (waits.size > 0) waits.delete(row);
      if (email === null || retryAt !== null || duplicate || !isCacheable(verdict)) return;
      remembered.push({ email, verdict });
    },
    reuse: () => {
      reused++;
    },
    wait: (row, retryAt) => void waits.set(row, retryAt),
    drain: (rows, all) => {
      const drained = results.length > rows ? results.splice(0, rows) : results;
      const mailboxes = drained === results ? asked : asked.splice(0, rows);
      if (drained === results) {
        results = [];
        asked = [];
      }
      const entries = all || remembered.length >= rememberRows ? remembered : [];
      if (entries.length > 0) remembered = [];
      const reusedNow = reused;
      reused = 0;
      return {
        results: drained,
        ...countUp(drained),
        asked: mailboxes.filter((email) => email !== null),
        cache: { scope, entries },
        waits: sumUp(waits),
        reused: reusedNow,
      };
    },
  };
}

function sumUp(waits: ReadonlyMap<number, number>): { rows: number; nextAt: number | null } {
  let nextAt = Number.POSITIVE_INFINITY;
  for (const retryAt of waits.values()) nextAt = Math.min(nextAt, retryAt);
  return { rows: waits.size, nextAt: waits.size === 0 ? null : nextAt };
}

function countUp(results: readonly RowResult[]): Pick<Part, 'counts' | 'subCounts'> {
  const counts = { processed: 0, valid: 0, invalid: 0, risky: 0, unknown: 0, duplicate: 0 };
  const subCounts = new Map<string, number>();
  for (const { verdict, duplicate, retryAt } of results) {
    if (retryAt !== null) continue;
    counts.processed++;
    // A row without an address is in none of the five counts.
    if (verdict.status === emptyVerdict.status) continue;
    counts[countedAs(verdict.status, duplicate)]++;
    if (!duplicate) subCounts.set(verdict.sub_status, (subCounts.get(verdict.sub_status) ?? 0) + 1);
  }
  return { counts, subCounts };
}
