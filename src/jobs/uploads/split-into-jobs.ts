import { randomUUID } from 'node:crypto';
import { isFirstPart, type Row } from '../../rows/rows.js';
import type { EmailWriter, JobFiles, ListedEmail } from '../store/files.js';
import { recordedEmail } from './email-record.js';
import type { ListMailboxes } from './list-mailboxes.js';
import { requireRowLimit } from './preview-upload.js';

/** The rows of one job of a file. */
interface Part {
  id: string;
  firstRow: number;
  total: number;
  uniqueTotal: number;
}

interface SplitOptions {
  files: JobFiles;
  canonical(email: string): string;
  /** The mailboxes of the whole list: each is counted in one of its jobs. */
  mailboxes: ListMailboxes;
  maxRowsPerJob: number;
  maxRows: number;
}

/** Reads the file once and writes the addresses of each job to their own file, so that running never parses it again. */
export async function splitIntoJobs(chunks: AsyncIterable<Row[]>, options: SplitOptions): Promise<Part[]> {
  const parts: Part[] = [];
  let current = await openPart(options, 0);
  let rows = 0;
  try {
    for await (const chunk of chunks) {
      for (let start = 0; start < chunk.length; ) {
        const room = options.maxRowsPerJob - current.part.total;
        const end = room <= 0 ? endOfWholeRows(chunk, start) : endOfWholeRows(chunk, start + room);
        if (end === start) {
          parts.push(await current.close());
          current = await openPart(options, rows);
          continue;
        }
        const piece = chunk.slice(start, end);
        await current.add(piece.map((row) => recordedEmail(row.email)));
        start += piece.length;
        rows += piece.length;
        requireRowLimit(rows, options.maxRows);
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

/** The first index from `end` on that does not split a row of several addresses. */
function endOfWholeRows(chunk: readonly Row[], end: number): number {
  let index = end;
  for (let row = chunk[index]; row !== undefined && !isFirstPart(row); row = chunk[index]) index++;
  return index;
}

async function openPart({ files, canonical, mailboxes }: SplitOptions, firstRow: number) {
  const part: Part = { id: randomUUID(), firstRow, total: 0, uniqueTotal: 0 };
  const writer: EmailWriter = await files.writeEmails(part.id);
  /** Rows whose mailbox is in an earlier row, with the first such row. */
  const duplicates = new Map<number, number>();
  mailboxes.beginPart();
  const toRecord = (email: string): ListedEmail => {
    const row = part.total++;
    if (email === '') return email;
    const first = mailboxes.add(canonical(email), row);
    // The array marks a mailbox of an earlier part.
    if (first === 'in an earlier part') return [email];
    if (first === 'new') part.uniqueTotal++;
    else duplicates.set(row, first);
    return email;
  };
  return {
    part,
    add: async (emails: string[]) => writer.write(emails.map(toRecord)),
    close: async () => {
      await writer.writeDuplicates(duplicates);
      await writer.close();
      return part;
    },
    discard: writer.discard,
  };
}
