import { StringDecoder } from 'node:string_decoder';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { Failure } from '../../model/failure.js';
import type { EmailWriter, JobEmails } from '../store/files.js';

/** Longer than any address may be (RFC 5321 §4.5.3.1), so cutting here changes no verdict. */
const maxEmailChars = 1000;

/** An address of a list as the record of a job has it. */
export function recordedEmail(email: string): string {
  return email.slice(0, maxEmailChars);
}

/** A line is written and read in one piece, which keeps everybody else waiting. */
const repeatsInLine = 5_000;

/** Addresses of a job as lines: one list of them each, and at last the repeats among them, in one line or several. */
export function emailLines(append: (line: string) => Promise<void>): Pick<EmailWriter, 'write' | 'writeDuplicates'> {
  return {
    write: (emails) => append(`${JSON.stringify(emails)}\n`),
    writeDuplicates: async (repeats) => {
      const pairs = repeats.entries();
      for (let left = Math.max(1, repeats.size); left > 0; left -= repeatsInLine) {
        await append(`${JSON.stringify({ repeats: next(pairs, repeatsInLine) })}\n`);
      }
    },
  };
}

/** At most so many of what is left. */
function next<Item>(items: Iterator<Item>, most: number): Item[] {
  const taken: Item[] = [];
  while (taken.length < most) {
    const { value, done } = items.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

/** The addresses of a job out of the bytes of its record; `work` names it for whoever shares the thread. */
export async function emailsIn(bytes: AsyncIterable<Buffer>, work: string): Promise<JobEmails> {
  const emails: string[] = [];
  const seenInEarlierPart = new Set<number>();
  let repeats: Map<number, number> | null = null;
  const { maybeYield } = timeSlicesFor({ priority: 'job', owner: '', work });
  for await (const line of linesIn(bytes)) {
    const rest = maybeYield();
    if (rest !== null) await rest;
    if ('repeats' in line) {
      repeats ??= new Map();
      for (const [row, first] of line.repeats) repeats.set(row, first);
      continue;
    }
    for (const at of line.seenInEarlierPart) seenInEarlierPart.add(emails.length + at);
    for (const email of line.emails) emails.push(email);
  }
  return { emails, seenInEarlierPart, duplicates: repeats };
}

/** The same for those who want nothing but the addresses, some at a time. */
export async function* emailListsIn(bytes: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  for await (const line of linesIn(bytes)) if ('emails' in line) yield line.emails;
}

type RecordLine = { emails: string[]; seenInEarlierPart: number[] } | { repeats: [row: number, first: number][] };

async function* linesIn(bytes: AsyncIterable<Buffer>): AsyncGenerator<RecordLine> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const piece of bytes) {
    const lines = decoder.write(piece).split('\n');
    // Joined by a rope and not searched again: a line in many pieces stays linear.
    lines[0] = rest + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    for (const line of lines) yield decodeLine(line);
  }
  if (rest !== '') yield decodeLine(rest);
}

function decodeLine(line: string): RecordLine {
  try {
    const entries = JSON.parse(line);
    if (!Array.isArray(entries)) return { repeats: Array.from(entries.repeats, ([row, first]) => [row, first]) };
    const seenInEarlierPart: number[] = [];
    for (let at = 0; at < entries.length; at++) {
      if (Array.isArray(entries[at])) {
        seenInEarlierPart.push(at);
        entries[at] = entries[at][0];
      }
      if (typeof entries[at] !== 'string') throw new TypeError('something in it is no address');
    }
    return { emails: entries, seenInEarlierPart };
  } catch (error) {
    throw new EmailsLost(error);
  }
}

/** Why a job whose addresses are not what was written cannot go on. */
export class EmailsLost extends Failure {
  constructor(cause: unknown) {
    super('storage', 'The addresses of the job cannot be read: its file was lost or changed.', {
      hint: 'The data directory was changed by hand; upload the file again.',
      cause,
    });
  }
}
