import type { TimeSlices } from '../../async/time-slicer.js';
import type { RowVerdict } from '../../model/job.js';
import type { JobEmails } from '../store/files.js';
import type { RowResult } from '../store/store.js';
import type { Deferral } from './retry-deferred.js';

/** A row to ask for. */
export interface PendingRow {
  row: number;
  email: string;
  /** The mailbox came in an earlier part of the list, where it is counted. */
  duplicate: boolean;
  /** Its mail server said "try later" in an earlier run. */
  earlier?: Deferral;
}

/** Which rows of a job are left, in order: done rows are skipped, and repeated addresses wait for their first. */
export interface RowQueue {
  /** The next rows to ask for, at most `count`; none does not mean that the queue is empty. */
  take(count: number): PendingRow[];
  /** Rows that repeat one already answered, found while taking. */
  takeRepeats(): RowResult[];
  /** Notes a final verdict, and gives it again for the rows that repeat the address. */
  settle(row: number, verdict: RowVerdict): readonly RowResult[];
  /** No row is left to take. */
  isEmpty(): boolean;
}

/** Rows that are looked at in one call, so that a list of repeats does not keep everybody waiting. */
const rowsInOneLook = 2_000;
const none = -1;
const noRepeats: readonly RowResult[] = [];
/** How long after its refusal a row was due that a store of before says nothing about. */
const usualWaitMs = 60_000;

/** Opens the queue of a job from its addresses and the results so far, in slices: a job may have very many. */
export async function openRowQueue(
  { emails, metBefore, repeats: marked }: JobEmails,
  results: readonly RowResult[],
  canonical: (email: string) => string,
  { maybeYield }: TimeSlices,
): Promise<RowQueue> {
  const firsts = new Int32Array(emails.length).fill(none);
  /** Rows whose verdict will be asked for again. */
  const repeated = new Uint8Array(emails.length);
  for (const [row, first] of marked ?? (await findRepeats(emails, canonical, maybeYield))) {
    firsts[row] = first;
    repeated[first] = 1;
  }
  const done = new Uint8Array(emails.length);
  const verdicts = new Map<number, RowVerdict>();
  const followers = new Map<number, number[]>();
  const waiting: PendingRow[] = [];
  let repeats: RowResult[] = [];
  let cursor = 0;

  const pendingAt = (row: number): PendingRow => ({
    row,
    email: emails[row] ?? '',
    duplicate: metBefore.has(row),
  });
  const note = (row: number, verdict: RowVerdict): void => {
    done[row] = 1;
    if (repeated[row] === 1) verdicts.set(row, verdict);
  };
  for (const { row, verdict, retryAt, refusedAt } of results) {
    const rest = maybeYield();
    if (rest !== null) await rest;
    if (row >= emails.length) continue;
    if (retryAt === null) {
      note(row, verdict);
      continue;
    }
    done[row] = 1;
    waiting.push({ ...pendingAt(row), earlier: { retryAt, refusedAt: refusedAt ?? retryAt - usualWaitMs } });
  }

  /** True where the row is to be asked itself. */
  const sort = (row: number): boolean => {
    if (done[row] === 1) return false;
    const first = firsts[row] ?? none;
    if (first === none) return true;
    const verdict = verdicts.get(first);
    const following = followers.get(first);
    if (verdict !== undefined) repeats.push(repeat(row, verdict));
    else if (following !== undefined) following.push(row);
    else followers.set(first, [row]);
    return false;
  };
  return {
    take: (count) => {
      const taken = waiting.splice(-count, count);
      for (
        const end = Math.min(emails.length, cursor + rowsInOneLook);
        cursor < end && taken.length < count;
        cursor++
      ) {
        if (sort(cursor)) taken.push(pendingAt(cursor));
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
      const repeating = followers.get(row);
      if (repeating === undefined) return noRepeats;
      followers.delete(row);
      return repeating.map((follower) => repeat(follower, verdict));
    },
    isEmpty: () => cursor >= emails.length && waiting.length === 0,
  };
}

function repeat(row: number, verdict: RowVerdict): RowResult {
  return { row, verdict, duplicate: true, retryAt: null, refusedAt: null };
}

/** For a file of before, which does not tell: rows that repeat a mailbox, with the first row of it. */
async function findRepeats(
  emails: readonly string[],
  canonical: (email: string) => string,
  maybeYield: TimeSlices['maybeYield'],
): Promise<Map<number, number>> {
  const firsts = new Map<string, number>();
  const repeats = new Map<number, number>();
  for (const [row, email] of emails.entries()) {
    const rest = maybeYield();
    if (rest !== null) await rest;
    const key = canonical(email);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, row);
    else if (email !== '') repeats.set(row, first);
  }
  return repeats;
}
