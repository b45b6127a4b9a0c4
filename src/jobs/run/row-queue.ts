import type { Clock } from '../../async/clock.js';
import type { RowVerdict } from '../../model/job.js';
import type { RowResult } from '../store/store.js';

/** A row to ask for, and how often it was asked before. */
export interface PendingRow {
  row: number;
  email: string;
  /** Equal for two spellings of one mailbox. */
  canonical: string;
  attempts: number;
}

/** Which rows of a job are left, in order: done rows are skipped, repeated addresses wait for their first, greylisted ones for their time. */
export interface RowQueue {
  /** The next rows that are due, at most `count`; fewer or none does not mean that the job is done. */
  take(count: number): PendingRow[];
  /** Rows that repeat one already answered, found while taking. */
  takeRepeats(): RowResult[];
  /** Notes a final verdict, and gives it again for the rows that repeat the address. */
  settle(row: number, verdict: RowVerdict): RowResult[];
  /** Puts a row back for so long. */
  defer(pending: PendingRow, waitMs: number): void;
  /** Milliseconds until the next deferred row is due; infinite where there is none. */
  untilDue(): number;
  /** No row is left to take, now or later. */
  isEmpty(): boolean;
}

/** No row is deferred for longer. */
export const longestWaitMs = 30 * 60_000;

/** Opens the queue of a job from its addresses and the results so far. */
export function openRowQueue(
  emails: readonly string[],
  results: readonly RowResult[],
  canonical: (email: string) => string,
  clock: Clock,
): RowQueue {
  const rows = emails.map((email) => ({ email, canonical: canonical(email) }));
  const firsts = findFirsts(rows);
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
  const defer = (pending: PendingRow, waitMs: number): void => {
    done[pending.row] = 1;
    deferred.push({ ...pending, at: clock.elapsed() + waitMs });
  };
  for (const { row, verdict, retryAt, attempts } of results) {
    const found = rows[row];
    if (found === undefined) continue;
    if (retryAt === null) note(row, verdict);
    // Whatever the clock was when it was written down, nobody was told to wait longer than this.
    else defer({ row, attempts, ...found }, Math.min(retryAt - clock.now(), longestWaitMs));
  }

  const takeDue = (count: number): PendingRow[] => {
    const now = clock.elapsed();
    const due = deferred.filter(({ at }) => at <= now).slice(0, count);
    if (due.length > 0) deferred = deferred.filter((row) => !due.includes(row));
    return due;
  };
  /** True where the row is to be asked itself. */
  const sort = (row: number): boolean => {
    if (done[row] === 1) return false;
    const first = firsts.of[row];
    if (first === undefined || first === row) return true;
    const verdict = verdicts.get(first);
    if (verdict !== undefined) repeats.push(repeat(row, verdict));
    else followers.set(first, [...(followers.get(first) ?? []), row]);
    return false;
  };
  return {
    take: (count) => {
      const taken = deferred.length > 0 ? takeDue(count) : [];
      for (; taken.length < count; cursor++) {
        const found = rows[cursor];
        if (found === undefined) break;
        if (sort(cursor)) taken.push({ row: cursor, attempts: 0, ...found });
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
      const repeating = followers.get(row) ?? [];
      followers.delete(row);
      return repeating.map((follower) => repeat(follower, verdict));
    },
    defer,
    untilDue: () => deferred.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY) - clock.elapsed(),
    isEmpty: () => cursor >= rows.length && deferred.length === 0,
  };
}

function repeat(row: number, verdict: RowVerdict): RowResult {
  return { row, verdict, duplicate: true, retryAt: null, attempts: 0 };
}

/** For each row the first row of the same mailbox, and the set of rows that have followers. */
function findFirsts(rows: readonly { canonical: string }[]): { of: Int32Array; repeated: Set<number> } {
  const of = new Int32Array(rows.length);
  const repeated = new Set<number>();
  const seen = new Map<string, number>();
  rows.forEach(({ canonical }, row) => {
    const first = seen.get(canonical);
    if (first === undefined) seen.set(canonical, row);
    else repeated.add(first);
    of[row] = first ?? row;
  });
  return { of, repeated };
}
