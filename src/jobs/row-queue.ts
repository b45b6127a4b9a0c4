import type { RowVerdict } from '../model/job.js';
import type { RowResult } from './store.js';

/** A row to ask for, and how often it was asked before. */
export interface PendingRow {
  row: number;
  attempts: number;
}

/** Which rows of a job are left, in order: done rows are skipped, repeated addresses wait for their first, greylisted ones for their time. */
export interface RowQueue {
  emailOf(row: number): string;
  canonicalOf(row: number): string;
  /** The next rows that are due, at most `count`; fewer or none does not mean that the job is done. */
  take(count: number, now: number): PendingRow[];
  /** Rows that repeat one already answered, found while taking. */
  takeRepeats(): RowResult[];
  /** Notes a final verdict, and gives it again for the rows that repeat the address. */
  settle(row: number, verdict: RowVerdict): RowResult[];
  /** Puts a row back until `at`. */
  defer(row: number, attempts: number, at: number): void;
  /** When the next deferred row is due, or null. */
  nextDueAt(): number | null;
  /** No row is left to take, now or later. */
  isEmpty(): boolean;
}

/** Opens the queue of a job from its addresses and the results so far. */
export function openRowQueue(
  emails: readonly string[],
  results: readonly RowResult[],
  canonical: (email: string) => string,
): RowQueue {
  const canonicals = emails.map(canonical);
  const firsts = findFirsts(canonicals);
  const done = new Uint8Array(emails.length);
  const verdicts = new Map<number, RowVerdict>();
  const followers = new Map<number, number[]>();
  let deferred: (PendingRow & { at: number })[] = [];
  let repeats: RowResult[] = [];
  let cursor = 0;

  const note = (row: number, verdict: RowVerdict): void => {
    done[row] = 1;
    if (firsts.repeated.has(row)) verdicts.set(row, verdict);
  };
  const defer = (row: number, attempts: number, at: number): void => {
    done[row] = 1;
    deferred.push({ row, attempts, at });
  };
  for (const { row, verdict, retryAt, attempts } of results) {
    if (retryAt === null) note(row, verdict);
    else defer(row, attempts, retryAt);
  }

  const takeDue = (count: number, now: number): PendingRow[] => {
    const due = deferred.filter(({ at }) => at <= now).slice(0, count);
    if (due.length > 0) deferred = deferred.filter((row) => !due.includes(row));
    return due;
  };
  /** True where the row is to be asked itself. */
  const sort = (row: number): boolean => {
    if (done[row] === 1) return false;
    const first = firsts.of[row] ?? row;
    if (first === row) return true;
    const verdict = verdicts.get(first);
    if (verdict !== undefined) repeats.push(repeat(row, verdict));
    else followers.set(first, [...(followers.get(first) ?? []), row]);
    return false;
  };
  return {
    emailOf: (row) => emails[row] ?? '',
    canonicalOf: (row) => canonicals[row] ?? '',
    take: (count, now) => {
      const taken = deferred.length > 0 ? takeDue(count, now) : [];
      for (; taken.length < count && cursor < emails.length; cursor++) {
        if (sort(cursor)) taken.push({ row: cursor, attempts: 0 });
      }
      return taken;
    },
    takeRepeats: () => {
      const found = repeats;
      repeats = [];
      return found;
    },
    settle: (row, verdict) => {
      note(row, verdict);
      const rows = followers.get(row) ?? [];
      followers.delete(row);
      return rows.map((follower) => repeat(follower, verdict));
    },
    defer,
    nextDueAt: () => deferred.reduce<number | null>((least, { at }) => Math.min(least ?? at, at), null),
    isEmpty: () => cursor >= emails.length && deferred.length === 0,
  };
}

function repeat(row: number, verdict: RowVerdict): RowResult {
  return { row, verdict, duplicate: true, retryAt: null, attempts: 0 };
}

/** For each row the first row of the same mailbox, and the set of rows that have followers. */
function findFirsts(canonicals: readonly string[]): { of: Int32Array; repeated: Set<number> } {
  const of = new Int32Array(canonicals.length);
  const repeated = new Set<number>();
  const seen = new Map<string, number>();
  canonicals.forEach((key, row) => {
    const first = seen.get(key);
    if (first === undefined) seen.set(key, row);
    else repeated.add(first);
    of[row] = first ?? row;
  });
  return { of, repeated };
}
