import type { TimeSlices } from '../../async/time-slicer.js';
import { keyOfAddress, spellingKeyOf } from '../../lists/mailbox-key.js';
import type { Item, Source, Wait } from '../../lists/pipeline.js';
import { itemOf, type RowVerdict } from '../../model/job.js';
import type { JobEmails } from '../store/files.js';
import type { RowResult } from '../store/job-record.js';
import { sameAsEarlierRow } from '../store/results.js';

/** A row of a job that has no final verdict yet. */
export interface JobRow extends Item {
  row: number;
  duplicate: boolean;
}

const rowsPerChunk = 1_000;
/** The assumed wait of a row whose result has no time of refusal. */
const defaultWaitMs = 60_000;

/** The rows of a slice, and which rows that wait are another worker's. */
interface SliceRows {
  first: number;
  end: number;
  isOwn(home: string | undefined): boolean;
  isLeft(home: string, retryAt: number): boolean;
}

/** The rows of a job that an earlier start left. */
export interface JobRows {
  source: Source<JobRow>;
  /** When rows are due that wait. */
  waits: ReadonlyMap<number, Wait>;
  /** Rows that wait for another worker, and are not in `source`. */
  left: ReadonlyMap<number, { home: string; retryAt: number }>;
  /** The keys of the mailboxes that the list has more than once. */
  repeated: ReadonlySet<string>;
}

/** The rows that a worker asks, in order. One whose mailbox was answered has that answer. */
export async function openJobRows(
  { emails, seenInEarlierPart, duplicates }: JobEmails,
  results: AsyncIterable<readonly RowResult[]>,
  { maybeYield }: TimeSlices,
  slice: SliceRows | null,
): Promise<JobRows> {
  const { first: firstRow, end } = slice ?? { first: 0, end: emails.length };
  const hasVerdict = new Uint8Array(emails.length);
  const firstRows = new Set(duplicates.values());
  const verdicts = new Map<number, RowVerdict>();
  const waits = new Map<number, Wait>();
  const left = new Map<number, { home: string; retryAt: number }>();
  for await (const chunk of results) {
    for (const { row, verdict, retryAt, refusedAt, home } of chunk) {
      const pause = maybeYield();
      if (pause !== null) await pause;
      if (row < firstRow || row >= end) continue;
      waits.delete(row);
      left.delete(row);
      if (retryAt === null) {
        hasVerdict[row] = 1;
        if (firstRows.has(row)) verdicts.set(row, verdict);
      } else if (slice === null || slice.isOwn(home))
        waits.set(row, { retryAt, refusedAt: refusedAt ?? retryAt - defaultWaitMs });
      else if (home !== undefined && slice.isLeft(home, retryAt)) left.set(row, { home, retryAt });
    }
  }
  const rowAt = (row: number): JobRow => {
    const email = emails[row] ?? '';
    const first = duplicates.get(row);
    const isSame = first !== undefined && emails[first] === email;
    const verdict = isSame && first < firstRow ? sameAsEarlierRow : isSame ? verdicts.get(first) : undefined;
    const duplicate = first !== undefined || seenInEarlierPart.has(row);
    const item: JobRow = { row, email, duplicate };
    const wait = waits.get(row);
    if (wait !== undefined) item.wait = wait;
    if (verdict !== undefined) item.answer = { result: itemOf(email, verdict), duplicate };
    return item;
  };
  async function* items(): AsyncGenerator<readonly JobRow[]> {
    for (let start = firstRow; start < end; start += rowsPerChunk) {
      const rows: JobRow[] = [];
      for (let row = start; row < Math.min(start + rowsPerChunk, end); row++)
        if (hasVerdict[row] === 0 && !left.has(duplicates.get(row) ?? row)) rows.push(rowAt(row));
      if (rows.length > 0) yield rows;
    }
  }
  const repeated = new Set(
    [...firstRows].flatMap((row) => [spellingKeyOf(emails[row] ?? ''), keyOfAddress(emails[row] ?? '')]),
  );
  return { source: { items: items(), from: null, close: async () => {} }, waits, left, repeated };
}
