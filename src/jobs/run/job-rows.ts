import type { TimeSlices } from '../../async/time-slicer.js';
import { keyOfAddress, spellingKeyOf } from '../../lists/mailbox-key.js';
import type { Asker, Item, Source, Wait } from '../../lists/pipeline.js';
import { itemOf } from '../../model/job.js';
import type { ListedEmail } from '../store/files.js';
import type { RowResult } from '../store/job-record.js';
import { sameAsEarlierRow } from '../store/results.js';
import { addressOf, deletedRow, EmailsLost } from '../uploads/email-record.js';

/** A row of a job that has no final verdict yet. */
export interface JobRow extends Item {
  row: number;
  duplicate: boolean;
}

/** Rows whose addresses are kept in memory. */
const maxKept = 100_000;
/** The assumed wait of a row whose result has no time of refusal. */
const defaultWaitMs = 60_000;

/** The rows of a job or a slice, and which rows that wait are another worker's. */
interface RowRange {
  first: number;
  end: number;
  /** Whether the list may write a mailbox in more than one way. */
  isRespelled: boolean;
  isOwn(home: string | undefined): boolean;
  isLeft(home: string, retryAt: number): boolean;
}

/** The rows of a job that an earlier start left. */
export interface JobRows {
  /** Repeats of an address take the answer of its first row, but for those that are on a suppression list. */
  source(asker: Pick<Asker, 'isSuppressed'>): Source<JobRow>;
  /** When rows are due that wait. */
  waits: ReadonlyMap<number, Wait>;
  /** Rows that wait for another worker, and are not in `source`. */
  left: ReadonlyMap<number, { home: string; retryAt: number }>;
  /** The keys of the mailboxes that the list writes in more than one way. */
  repeated: ReadonlySet<string>;
}

/** The rows that a worker asks, in order. Only a long list that writes a mailbox in more than one way is read twice. */
export async function openJobRows(
  readEmails: () => AsyncIterable<readonly ListedEmail[]>,
  results: AsyncIterable<readonly RowResult[]>,
  { maybeYield }: TimeSlices,
  { first: firstRow, end, isRespelled, isOwn, isLeft }: RowRange,
): Promise<JobRows> {
  const repeated = new Set<string>();
  const kept: (readonly ListedEmail[])[] = [];
  const isKept = end - firstRow <= maxKept;
  for await (const emails of isKept || isRespelled ? readEmails() : []) {
    if (isKept) kept.push(emails);
    for (const listed of emails) {
      if (typeof listed !== 'string' && listed[1] === undefined)
        repeated.add(spellingKeyOf(listed[0])).add(keyOfAddress(listed[0]));
    }
    const pause = maybeYield();
    if (pause !== null) await pause;
  }
  const hasVerdict = new Uint8Array(end - firstRow);
  const waits = new Map<number, Wait>();
  const left = new Map<number, { home: string; retryAt: number }>();
  for await (const chunk of results) {
    for (const { row, retryAt, refusedAt, home } of chunk) {
      const pause = maybeYield();
      if (pause !== null) await pause;
      if (row < firstRow || row >= end) continue;
      waits.delete(row);
      left.delete(row);
      if (retryAt === null) hasVerdict[row - firstRow] = 1;
      else if (isOwn(home)) waits.set(row, { retryAt, refusedAt: refusedAt ?? retryAt - defaultWaitMs });
      else if (home !== undefined && isLeft(home, retryAt)) left.set(row, { home, retryAt });
    }
  }
  async function* items(isSuppressed: (email: string) => boolean): AsyncGenerator<readonly JobRow[]> {
    let row = firstRow;
    for await (const emails of isKept ? kept : readEmails()) {
      const rows: JobRow[] = [];
      for (const listed of emails) {
        if (hasVerdict[row - firstRow] === 0 && !left.has(row)) rows.push(toItem(row, listed, isSuppressed));
        row++;
      }
      if (rows.length > 0) yield rows;
    }
    if (row !== end)
      throw new EmailsLost(null, `The job has ${end - firstRow} addresses, but its file has ${row - firstRow}.`);
  }
  const toItem = (row: number, listed: ListedEmail, isSuppressed: (email: string) => boolean): JobRow => {
    const email = listed === deletedRow ? '' : addressOf(listed);
    const duplicate = typeof listed !== 'string';
    const item: JobRow = { row, email, duplicate };
    const wait = waits.get(row);
    if (wait !== undefined) item.wait = wait;
    if (duplicate && listed[1] !== undefined && !isSuppressed(email))
      item.answer = { result: itemOf(email, sameAsEarlierRow), duplicate };
    return item;
  };
  const source = ({ isSuppressed = () => false }: Pick<Asker, 'isSuppressed'>): Source<JobRow> => ({
    ...{ items: items(isSuppressed), from: null, close: async () => {} },
  });
  return { source, waits, left, repeated };
}
