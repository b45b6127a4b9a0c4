import { StringDecoder } from 'node:string_decoder';
import type { EmailWriter, ListedEmail } from '../store/files.js';
import { sliceRows } from '../store/job-record.js';
import { DataLost } from '../store/records.js';

/** Longer than any address may be (RFC 5321 §4.5.3.1), so cutting here changes no verdict. */
const maxEmailChars = 1000;

/** The entry of a row that was deleted with its address: the list has it no more. */
export const deletedRow = '\0';

/** An address as the file of a job has it. */
export function recordedEmail(email: string): string {
  return email.slice(0, maxEmailChars);
}

export function addressOf(listed: ListedEmail): string {
  return typeof listed === 'string' ? listed : listed[0];
}

/** Encodes the addresses of a job, each slice as a line. `flush` appends what is left. */
export function emailLines(append: (line: string) => Promise<void>): Pick<EmailWriter, 'write'> & {
  flush(): Promise<void>;
} {
  const emails: ListedEmail[] = [];
  const appendSlice = (): Promise<void> => append(`${JSON.stringify(emails.splice(0, sliceRows))}\n`);
  return {
    write: async (added) => {
      for (const email of added) emails.push(email);
      while (emails.length >= sliceRows) await appendSlice();
    },
    flush: async () => {
      if (emails.length > 0) await appendSlice();
    },
  };
}

/** Decodes the addresses of a job, or of one slice. */
export async function* decodeEmails(bytes: AsyncIterable<Buffer>, slice?: number): AsyncGenerator<ListedEmail[]> {
  let place = 0;
  for await (const line of linesIn(bytes)) if (slice === undefined || slice === place++) yield decodeLine(line);
}

/** The lines of a file, without their ends. */
export async function* linesIn(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let unfinished = '';
  for await (const piece of bytes) {
    const lines = decoder.write(piece).split('\n');
    // Joined by a rope and not searched again: a line in many pieces stays linear.
    lines[0] = unfinished + (lines[0] ?? '');
    unfinished = lines.pop() ?? '';
    yield* lines;
  }
  if (unfinished !== '') yield unfinished;
}

function decodeLine(line: string): ListedEmail[] {
  try {
    const emails: unknown = JSON.parse(line);
    if (!Array.isArray(emails) || !emails.every(isListed)) throw new TypeError('not a list of addresses');
    return emails;
  } catch (error) {
    throw new EmailsLost(error);
  }
}

function isListed(entry: unknown): boolean {
  if (!Array.isArray(entry)) return typeof entry === 'string';
  return typeof entry[0] === 'string' && (entry[1] === undefined || Number.isSafeInteger(entry[1]));
}

/** The Failure for a job whose addresses are not those that were written. */
export class EmailsLost extends DataLost {
  constructor(cause: unknown, message = 'The addresses of the job cannot be read: its file was lost or changed.') {
    super(message, { hint: 'The data directory was changed by hand; upload the file again.', cause });
  }
}
