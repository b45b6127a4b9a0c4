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
  deferral?: Deferral;
}

/** The remaining rows of a job, in order. A duplicate waits for the verdict on the first row of its mailbox. */
export type RowQueue = Awaited<ReturnType<typeof openRowQueue>>;

/** Rows scanned in one call, so that a list of duplicates does not block the thread. */
const rowsPerTake = 2_000;
const noRow = -1;
const noDuplicates: readonly RowResult[] = [];
/** The assumed wait of a row whose result has no time of refusal, as older stores wrote it. */
const defaultWaitMs = 60_000;

/** The queue of a job from its addresses and its results so far. */
export async function openRowQueue(
  { emails, seenInEarlierPart, duplicates: recordedDuplicates }: JobEmails,
  results: readonly RowResult[],
  canonical: (email: string) => string,
  { maybeYield }: TimeSlices,
) {
  const firstRows = new Int32Array(emails.length).fill(noRow);
  /** Rows that have duplicates. */
  const hasDuplicates = new Uint8Array(emails.length);
  for (const [row, first] of recordedDuplicates ?? (await findDuplicates(emails, canonical, maybeYield))) {
    firstRows[row] = first;
    hasDuplicates[first] = 1;
  }
  const finishedRows = new Uint8Array(emails.length);
  const verdicts = new Map<number, RowVerdict>();
  const waitingDuplicates = new Map<number, number[]>();
  const deferredRows: PendingRow[] = [];
  let duplicates: RowResult[] = [];
  let cursor = 0;

  const pendingRow = (row: number): PendingRow => ({
    row,
    email: emails[row] ?? '',
    duplicate: seenInEarlierPart.has(row),
  });
  const record = (row: number, verdict: RowVerdict): void => {
    finishedRows[row] = 1;
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
    finishedRows[row] = 1;
    deferredRows.push({ ...pendingRow(row), deferral: { retryAt, refusedAt: refusedAt ?? retryAt - defaultWaitMs } });
  }

  /** True: the row must be vetted. A duplicate is queued for the verdict on its first row. */
  const claimUnlessDuplicate = (row: number): boolean => {
    if (finishedRows[row] === 1) return false;
    const first = firstRows[row] ?? noRow;
    if (first === noRow) return true;
    const verdict = verdicts.get(first);
    const rows = waitingDuplicates.get(first);
    if (verdict !== undefined) duplicates.push(duplicateResult(row, verdict));
    else if (rows !== undefined) rows.push(row);
    else waitingDuplicates.set(first, [row]);
    return false;
  };
  return {
    /** The next rows, at most `count`. An empty result does not mean that the queue is empty. */
    take: (count: number) => {
      const taken = deferredRows.splice(-count, count);
      for (const end = Math.min(emails.length, cursor + rowsPerTake); cursor < end && taken.length < count; cursor++) {
        if (claimUnlessDuplicate(cursor)) taken.push(pendingRow(cursor));
      }
      return taken;
    },
    /** Duplicates of answered rows that `take` came across. */
    takeDuplicates: () => {
      const taken = duplicates;
      duplicates = [];
      return taken;
    },
    /** Records a final verdict and returns the results of its duplicates. */
    settle: (row: number, verdict: RowVerdict) => {
      record(row, verdict);
      const rows = waitingDuplicates.get(row);
      if (rows === undefined) return noDuplicates;
      waitingDuplicates.delete(row);
      return rows.map((follower) => duplicateResult(follower, verdict));
    },
    /** Whether no row is left to take. */
    isEmpty: () => cursor >= emails.length && deferredRows.length === 0,
  };
}

function duplicateResult(row: number, verdict: RowVerdict): RowResult {
  return { row, verdict, duplicate: true, retryAt: null, refusedAt: null };
}

/** Finds the rows whose mailbox is in an earlier row, with the first such row, for files of older versions. */
async function findDuplicates(
  emails: readonly string[],
  canonical: (email: string) => string,
  maybeYield: TimeSlices['maybeYield'],
): Promise<Map<number, number>> {
  const firstRows = new Map<string, number>();
  const duplicates = new Map<number, number>();
  for (const [row, email] of emails.entries()) {
    const pause = maybeYield();
    if (pause !== null) await pause;
    const key = canonical(email);
    const first = firstRows.get(key);
    if (first === undefined) firstRows.set(key, row);
    else if (email !== '') duplicates.set(row, first);
  }
  return duplicates;
}
