import { StringDecoder } from 'node:string_decoder';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { Failure } from '../../model/failure.js';
import type { EmailWriter, JobEmails } from '../store/files.js';

/** Longer than any address may be (RFC 5321 §4.5.3.1), so cutting here changes no verdict. */
const maxEmailChars = 1000;

/** The entry of a row that was deleted with its address: the list has it no more. */
export const deletedRow = '\0';

/** An address as the file of a job has it. */
export function recordedEmail(email: string): string {
  return email.slice(0, maxEmailChars);
}

/** Bounds the time that one line blocks the thread. */
const duplicatesPerLine = 5_000;

/** Encodes the addresses of a job as lines: lists of them, then the duplicates among them. */
export function emailLines(append: (line: string) => Promise<void>): Pick<EmailWriter, 'write' | 'writeDuplicates'> {
  return {
    write: (emails) => append(`${JSON.stringify(emails)}\n`),
    writeDuplicates: async (duplicates) => {
      const pairs = [...duplicates];
      do await append(`${JSON.stringify({ repeats: pairs.splice(0, duplicatesPerLine) })}\n`);
      while (pairs.length > 0);
    },
  };
}

/** Decodes the addresses of a job; `jobId` is the caller that the time is counted for. */
export async function decodeEmails(bytes: AsyncIterable<Buffer>, jobId: string): Promise<JobEmails> {
  const emails: string[] = [];
  const seenInEarlierPart = new Set<number>();
  const duplicates = new Map<number, number>();
  const { maybeYield } = timeSlicesFor({ priority: 'job', owner: '', taskId: jobId });
  for await (const line of linesIn(bytes)) {
    const pause = maybeYield();
    if (pause !== null) await pause;
    if ('repeats' in line) {
      for (const [row, first] of line.repeats) duplicates.set(row, first);
      continue;
    }
    for (const index of line.seenInEarlierPart) seenInEarlierPart.add(emails.length + index);
    for (const email of line.emails) emails.push(email === deletedRow ? '' : email);
  }
  return { emails, seenInEarlierPart, duplicates };
}

/** The addresses only, some at a time, with `deletedRow` for deleted ones. */
export async function* decodeEmailLists(bytes: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  for await (const line of linesIn(bytes)) if ('emails' in line) yield line.emails;
}

type RecordLine = { emails: string[]; seenInEarlierPart: number[] } | { repeats: [row: number, first: number][] };

async function* linesIn(bytes: AsyncIterable<Buffer>): AsyncGenerator<RecordLine> {
  const decoder = new StringDecoder('utf8');
  let unfinished = '';
  for await (const piece of bytes) {
    const lines = decoder.write(piece).split('\n');
    // Joined by a rope and not searched again: a line in many pieces stays linear.
    lines[0] = unfinished + (lines[0] ?? '');
    unfinished = lines.pop() ?? '';
    for (const line of lines) yield decodeLine(line);
  }
  if (unfinished !== '') yield decodeLine(unfinished);
}

function decodeLine(line: string): RecordLine {
  try {
    const entries = JSON.parse(line);
    if (!Array.isArray(entries)) return { repeats: Array.from(entries.repeats, ([row, first]) => [row, first]) };
    const seenInEarlierPart: number[] = [];
    for (let index = 0; index < entries.length; index++) {
      if (Array.isArray(entries[index])) {
        seenInEarlierPart.push(index);
        entries[index] = entries[index][0];
      }
      if (typeof entries[index] !== 'string') throw new TypeError('an entry is not an address');
    }
    return { emails: entries, seenInEarlierPart };
  } catch (error) {
    throw new EmailsLost(error);
  }
}

/** The Failure for a job whose addresses are not those that were written. */
export class EmailsLost extends Failure {
  constructor(cause: unknown) {
    super('storage', 'The addresses of the job cannot be read: its file was lost or changed.', {
      hint: 'The data directory was changed by hand; upload the file again.',
      cause,
    });
  }
}
