import { randomUUID } from 'node:crypto';
import { amount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import { isFirstPart } from '../../rows/pick-rows.js';
import type { Row } from '../../rows/rows.js';
import type { EmailWriter, JobFiles, ListedEmail } from '../store/files.js';
import { recordedEmail } from './email-record.js';

/** The rows of one job of a file. */
interface Part {
  id: string;
  firstRow: number;
  total: number;
  uniqueTotal: number;
}

/** Which mailboxes of a list came by, and in which row of its current part each came first. */
export interface ListMailboxes {
  /** The rows that follow are of another part. */
  beginPart(): void;
  /** The first row of the part with that mailbox, where it is not this one; else whether the list has it for the first time. */
  add(key: string, row: number): number | 'new' | 'in an earlier part';
  /** True once a mailbox could not be remembered beyond its part. */
  readonly full: boolean;
}

interface SpoolOptions {
  files: JobFiles;
  canonical(email: string): string;
  /** Of the whole list: a mailbox is counted once, whichever of its jobs it is in. */
  seen: ListMailboxes;
  maxRowsPerJob: number;
  maxRows: number;
}

/** Reads the whole file once and writes each job's addresses to its own file, so that running and resuming never parse it again. */
export async function splitIntoJobs(chunks: AsyncIterable<Row[]>, options: SpoolOptions): Promise<Part[]> {
  const parts: Part[] = [];
  let current = await openPart(options, 0);
  let rows = 0;
  try {
    for await (const chunk of chunks) {
      for (let start = 0; start < chunk.length; ) {
        const room = options.maxRowsPerJob - current.part.total;
        const end = room <= 0 ? wholeRows(chunk, start) : wholeRows(chunk, start + room);
        if (end === start) {
          parts.push(await current.close());
          current = await openPart(options, rows);
          continue;
        }
        const piece = chunk.slice(start, end);
        await current.add(piece.map((row) => recordedEmail(row.email)));
        start += piece.length;
        rows += piece.length;
        if (rows > options.maxRows) throw tooLong(options.maxRows);
      }
    }
    parts.push(await current.close());
    return parts;
  } catch (error) {
    await current.discard().catch(() => {});
    for (const part of parts) await options.files.removeJob(part.id);
    throw error;
  }
}

/** At or behind `end`, where no row of several addresses is cut apart. */
function wholeRows(chunk: readonly Row[], end: number): number {
  let at = end;
  for (let row = chunk[at]; row !== undefined && !isFirstPart(row); row = chunk[at]) at++;
  return at;
}

interface OpenPart {
  part: Part;
  add(emails: string[]): Promise<void>;
  close(): Promise<Part>;
  discard(): Promise<void>;
}

async function openPart({ files, canonical, seen }: SpoolOptions, firstRow: number): Promise<OpenPart> {
  const part: Part = { id: randomUUID(), firstRow, total: 0, uniqueTotal: 0 };
  const writer: EmailWriter = await files.writeEmails(part.id);
  /** Rows that repeat a mailbox, with the first row of it. */
  const repeats = new Map<number, number>();
  seen.beginPart();
  const marked = (email: string): ListedEmail => {
    const row = part.total++;
    if (email === '') return email;
    const met = seen.add(canonical(email), row);
    if (met === 'in an earlier part') return [email];
    if (met === 'new') part.uniqueTotal++;
    else repeats.set(row, met);
    return email;
  };
  return {
    part,
    add: async (emails) => writer.write(emails.map(marked)),
    close: async () => {
      await writer.writeDuplicates(repeats);
      await writer.close();
      return part;
    },
    discard: writer.discard,
  };
}

function tooLong(maxRows: number): Failure {
  return new Failure('too_large', `The file has more than ${amount(maxRows, 'row')}.`, {
    hint: 'Split it into several files.',
  });
}
