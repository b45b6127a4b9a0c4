import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Failure } from '../../model/failure.js';
import { type Input, openBytes } from '../../rows/read/decode/byte-source.js';
import { unreadable } from './classify-failure.js';
import { parseJson, readEvent, splitObjects } from './read-events.js';
import { isLogLine, readLog } from './read-log.js';
import { readMessage } from './read-message.js';
import { type LocatedReading, readTable, type TableOptions } from './read-table.js';
import { splitMessages } from './split-messages.js';

/** What was read together, and what its parts are. */
interface ReadBatch {
  unit: 'message' | 'event' | 'row' | 'line';
  readings: readonly LocatedReading[];
}

interface ReadOptions extends TableOptions {
  /** Called with a sentence about a file that was skipped. */
  onSkipped(sentence: string): void;
}

/** Reads mailboxes, messages, events, tables and mail logs, in order and in batches. A path may be a folder; a stream is standard input. */
export async function* readInputs(
  inputs: readonly (string | Readable)[],
  options: ReadOptions,
): AsyncGenerator<ReadBatch> {
  for (const input of inputs) {
    if (typeof input !== 'string') {
      yield* readInput({ stream: input }, 'stdin', options);
      continue;
    }
    const stats = await stat(input).catch((cause: unknown) => {
      throw unreadableInput(input, cause);
    });
    if (stats.isDirectory()) yield* readFolder(input, options);
    else yield* readInput({ path: input }, input, options);
  }
}

function unreadableInput(path: string, cause: unknown): Failure {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    return new Failure('bad_input', `There is no file or folder ${path}.`, { hint: 'Check the path.', cause });
  }
  return new Failure('bad_input', `${path} cannot be read (${code}).`, { hint: 'Check its permissions.', cause });
}

/** Files of mail programs that hold no messages. */
const otherFiles = /^(?:\.|dovecot|courier|maildirfolder$|subscriptions$)/;

/** All files of a folder and its subfolders. The `tmp` of a Maildir holds incomplete messages. */
async function* readFolder(folder: string, options: ReadOptions): AsyncGenerator<ReadBatch> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw unreadableInput(folder, cause);
  });
  const isMaildir = entries.some((entry) => entry.isDirectory() && (entry.name === 'cur' || entry.name === 'new'));
  const names = entries
    .filter((entry) => (entry.isDirectory() ? !(isMaildir && entry.name === 'tmp') : !otherFiles.test(entry.name)))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of names) {
    const path = join(folder, entry.name);
    try {
      if (entry.isDirectory()) yield* readFolder(path, options);
      else if (entry.isFile() || entry.isSymbolicLink()) yield* readInput({ path }, path, options);
    } catch (thrown) {
      if (options.signal.aborted || !(thrown instanceof Failure)) throw thrown;
      // A mail program may have moved it.
      options.onSkipped(`${path} was skipped: ${thrown.message}`);
    }
  }
}

async function* readInput(input: Input, name: string, options: ReadOptions): AsyncGenerator<ReadBatch> {
  const bytes = await openBytes(input, { signal: options.signal });
  try {
    const first = await bytes.read();
    if (first === null) return;
    const start = Buffer.from(first);
    const pieces = startingWith(start, bytes.read);
    const kind = kindOf(start, name);
    // When the last line of a log was written, at the latest.
    const changedAt = 'path' in input ? Math.min(Date.now(), (await stat(input.path)).mtimeMs) : Date.now();
    if (kind === 'log') yield* withUnit('line', readLog(pieces, name, changedAt, options.onSkipped));
    else if (kind === 'json') yield* withUnit('event', readEvents(pieces, name, options));
    else if (kind === 'csv') yield* withUnit('row', readTable(pieces, name, options));
    else yield* withUnit('message', readMail(pieces, name));
  } finally {
    await bytes.close();
  }
}

async function* withUnit(
  unit: ReadBatch['unit'],
  readings: AsyncIterable<LocatedReading | LocatedReading[]>,
): AsyncGenerator<ReadBatch> {
  for await (const reading of readings) yield { unit, readings: Array.isArray(reading) ? reading : [reading] };
}

/** Copies each piece, since the next read, which starts meanwhile, reuses its memory. */
async function* startingWith(first: Buffer, read: () => Promise<Uint8Array | null>): AsyncGenerator<Uint8Array> {
  for (let next: Promise<Uint8Array | null> = Promise.resolve(first); ; ) {
    const piece = await next;
    if (piece === null) return;
    const copy = Buffer.from(piece);
    next = read();
    next.catch(() => {});
    yield copy;
  }
}

/** Detects the kind by the extension, otherwise by the first bytes: no message starts with a brace or a list of names. */
function kindOf(start: Buffer, name: string): 'mail' | 'json' | 'csv' | 'log' {
  const extension = /\.(\w+?)(?:\.gz)?$/.exec(basename(name))?.[1]?.toLowerCase() ?? '';
  if (['csv', 'tsv', 'tab'].includes(extension)) return 'csv';
  const text = start
    .toString('utf8', 0, 4_000)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (/^(?:\{|\[\s*(?:\{|\]|$))/.test(text)) return 'json';
  const [firstLine = ''] = text.split(/[\r\n]/, 1);
  if (isLogLine(firstLine)) return 'log';
  const isHeader = /^(?:From |[\w-]+\s*:)/.test(firstLine);
  return !isHeader && /^[^,;\t|]{1,60}[,;\t|]/.test(firstLine) && !firstLine.includes('\0') ? 'csv' : 'mail';
}

async function* readMail(pieces: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<LocatedReading> {
  for await (const { bytes, offset } of splitMessages(pieces)) {
    const reading = await readMessage(bytes);
    const source = `${name}:${offset}`;
    if (reading.type !== 'bounce' || reading.noticeId !== '') yield { ...reading, source };
    else yield { ...reading, noticeId: createHash('sha256').update(bytes).digest('hex'), source };
  }
}

async function* readEvents(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  { onSkipped }: ReadOptions,
): AsyncGenerator<LocatedReading> {
  let number = 0;
  let bounceCount = 0;
  for await (const text of splitObjects(pieces)) {
    const source = `${name}:${++number}`;
    const value = parseJson(text);
    const unreadableEvent = { type: 'bounce', bounces: [noAddress], noticeId: '' } as const;
    for (const reading of value === null ? [unreadableEvent] : readEvent(value)) {
      if (reading.type !== 'bounce') yield { ...reading, source };
      else {
        bounceCount++;
        const noticeId = reading.noticeId || createHash('sha256').update(text).digest('hex');
        yield { ...reading, bounces: [...reading.bounces], noticeId, source };
      }
    }
  }
  if (bounceCount === 0)
    onSkipped(`${name} has no bounce or delivery of Amazon SES or Postmark. Convert other events to CSV.`);
}

const noAddress = { address: '', date: '', ...unreadable, reporting_mta: '', message_id: '' };
