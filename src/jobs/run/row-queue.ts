import type { TimeSlices } from '../../async/time-slicer.js';
import type { RowVerdict } from '../../model/job.js';
import type { JobEmails } from '../store/files.js';
import type { RowResult } from '../store/store.js';
import type { Deferral } from './retry-deferred.js';

export interface PendingRow {
  row: number;
  email: string;
  /** The mailbox is in an earlier part of the list, where it is counted. */
  duplicate: boolean;
  /** Its mail server said "try later" in an earlier run. */
  earlier?: Deferral;
}

/** The remaining rows of a job, in order. Duplicates wait for the verdict on the first. */
export type RowQueue = Awaited<ReturnType<typeof openRowQueue>>;

/** Rows scanned in one call, so that a list of duplicates does not block the thread. */
const rowsPerTake = 2_000;
const noRow = -1;
const noDuplicates: readonly RowResult[] = [];
/** The assumed wait of a row whose result has no time of refusal, as older stores wrote it. */
const defaultWaitMs = 60_000;

/** The queue of a job from its addresses and its results so far. */
export async function openRowQueue(
  { emails, seenInEarlierPart, duplicates: recorded }: JobEmails,
  results: readonly RowResult[],
  canonical: (email: string) => string,
  { maybeYield }: TimeSlices,
) {
  const firsts = new Int32Array(emails.length).fill(noRow);
  /** Rows that have duplicates. */
  const hasDuplicates = new Uint8Array(emails.length);
  for (const [row, first] of recorded ?? (await findDuplicates(emails, canonical, maybeYield))) {
    firsts[row] = first;
    hasDuplicates[first] = 1;
  }
  const done = new Uint8Array(emails.length);
  const verdicts = new Map<number, RowVerdict>();
  const followers = new Map<number, number[]>();
  const waiting: PendingRow[] = [];
  let duplicates: RowResult[] = [];
  let cursor = 0;

  const pendingAt = (row: number): PendingRow => ({
    row,
    email: emails[row] ?? '',
    duplicate: seenInEarlierPart.has(row),
  });
  const record = (row: number, verdict: RowVerdict): void => {
    done[row] = 1;
    if (hasDuplicates[row] === 1) verdicts.set(row, verdict);
  };
  for (const { row, verdict, retryAt, refusedAt } of results) {
    const pause = maybeYield();
    if (pause !== null) await pause;
    if (row >= emails.length) continue;
    if (retryAt === null) {
      record(row, verdict);
      continue;
    }
    done[row] = 1;
    waiting.push({ ...pendingAt(row), earlier: { retryAt, refusedAt: refusedAt ?? retryAt - defaultWaitMs } });
  }

  /** True: the row must be vetted. A duplicate is queued for the verdict on its first row. */
  const claimUnlessDuplicate = (row: number): boolean => {
    if (done[row] === 1) return false;
    const first = firsts[row] ?? noRow;
    if (first === noRow) return true;
    const verdict = verdicts.get(first);
    const following = followers.get(first);
    if (verdict !== undefined) duplicates.push(duplicateOf(row, verdict));
    else if (following !== undefined) following.push(row);
    else followers.set(first, [row]);
    return false;
  };
  return {
    /** The next rows, at most `count`; none does not mean that the queue is empty. */
    take: (count: number) => {
      const taken = waiting.splice(-count, count);
      for (const end = Math.min(emails.length, cursor + rowsPerTake); cursor < end && taken.length < count; cursor++) {
        if (claimUnlessDuplicate(cursor)) taken.push(pendingAt(cursor));
      }
      return taken;
    },
    /** Duplicates of answered rows that `take` came across. */
    takeDuplicates: () => {
      const taken = duplicates;
      duplicates = [];
      return taken;
    },
    /** Records a final verdict, and gives the results of its duplicates. */
    settle: (row: number, verdict: RowVerdict) => {
      record(row, verdict);
      const following = followers.get(row);
      if (following === undefined) return noDuplicates;
      followers.delete(row);
      return following.map((follower) => duplicateOf(follower, verdict));
    },
    /** No row is left to take. */
    isEmpty: () => cursor >= emails.length && waiting.length === 0,
  };
}

function duplicateOf(row: number, verdict: RowVerdict): RowResult {
  return { row, verdict, duplicate: true, retryAt: null, refusedAt: null };
}

/** For files of older versions: rows whose mailbox is in an earlier row, with the first such row. */
async function findDuplicates(
  emails: readonly string[],
  canonical: (email: string) => string,
  maybeYield: TimeSlices['maybeYield'],
): Promise<Map<number, number>> {
  const firsts = new Map<string, number>();
  const duplicates = new Map<number, number>();
  for (const [row, email] of emails.entries()) {
    const pause = maybeYield();
    if (pause !== null) await pause;
    const key = canonical(email);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, row);
    else if (email !== '') duplicates.set(row, first);
  }
  return duplicates;
}
