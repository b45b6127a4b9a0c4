import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { Failure } from '../../model/failure.js';
import { openTable } from '../../rows/open-rows.js';
import { type Input, openBytes } from '../../rows/read/decode/byte-source.js';
import { type Classified, unreadable } from './classify-failure.js';
import { bareId } from './parse-notice.js';
import { type DayMonthOrder, isAmbiguous, orderOf, readDate } from './read-date.js';
import { bouncesOf, classifyTyped, namesFailure, parseJson, readEvent, splitObjects } from './read-events.js';
import { type MessageReading, readMessage } from './read-message.js';
import { splitMessages } from './split-messages.js';

/** What was read, and where it is: `inbox.mbox:18432` is a byte, `events.csv:12` a record. */
type LocatedReading = MessageReading & { source: string };
type ReadItem = LocatedReading & { unit: 'message' | 'event' | 'row' };

interface ReadOptions {
  signal: AbortSignal;
  /** The columns of a CSV with the address and the reply; otherwise found by their names. */
  column?: string | undefined;
  replyColumn?: string | undefined;
  /** Called with a sentence about a file that was skipped. */
  onSkipped(sentence: string): void;
  /** Called after a CSV with bounces whose date is unknown. */
  onUndated?(dates: UndatedRows): void;
}

/** Why bounces of a CSV have no date. */
export interface UndatedRows {
  name: string;
  /** The column with the dates; null if there is none. */
  column: string | null;
  /** The number of dates in which day and month cannot be told apart, and of others that cannot be read. */
  ambiguous: number;
  unreadable: number;
}

/** Reads mailboxes, messages, events and tables, in order. A path may be a folder; a stream is standard input. */
export async function* readInputs(
  inputs: readonly (string | Readable)[],
  options: ReadOptions,
): AsyncGenerator<ReadItem> {
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
async function* readFolder(folder: string, options: ReadOptions): AsyncGenerator<ReadItem> {
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

async function* readInput(input: Input, name: string, options: ReadOptions): AsyncGenerator<ReadItem> {
  const bytes = await openBytes(input, { signal: options.signal });
  try {
    const first = await bytes.read();
    if (first === null) return;
    const start = Buffer.from(first);
    const pieces = startingWith(start, bytes.read);
    const kind = kindOf(start, name);
    if (kind === 'json') yield* withUnit('event', readEvents(pieces, name, options));
    else if (kind === 'csv') yield* withUnit('row', readTable(pieces, name, options));
    else yield* withUnit('message', readMail(pieces, name));
  } finally {
    await bytes.close();
  }
}

async function* withUnit(unit: ReadItem['unit'], readings: AsyncIterable<LocatedReading>): AsyncGenerator<ReadItem> {
  for await (const reading of readings) yield { ...reading, unit };
}

/** Copies each piece: the next read reuses its memory, and a stream reads ahead. */
async function* startingWith(first: Buffer, read: () => Promise<Uint8Array | null>): AsyncGenerator<Uint8Array> {
  for (let piece: Uint8Array | null = first; piece !== null; piece = await read()) yield Buffer.from(piece);
}

/** Detects the kind by the extension, otherwise by the first bytes: no message starts with a brace or a list of names. */
function kindOf(start: Buffer, name: string): 'mail' | 'json' | 'csv' {
  const extension = /\.(\w+?)(?:\.gz)?$/.exec(basename(name))?.[1]?.toLowerCase() ?? '';
  if (['csv', 'tsv', 'tab'].includes(extension)) return 'csv';
  const text = start
    .toString('utf8', 0, 4_000)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (/^(?:\{|\[\s*(?:\{|\]|$))/.test(text)) return 'json';
  const [firstLine = ''] = text.split(/[\r\n]/, 1);
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
  if (bounceCount === 0) onSkipped(`${name} has no bounce of Amazon SES or Postmark. Convert other events to CSV.`);
}

const noAddress = { address: '', date: '', ...unreadable, reporting_mta: '', message_id: '' };

/** Names of columns. Of replies, exact names come before words that may be a subject. */
const columnNames = {
  reply: /^(?:smtp|remote|server|full|bounce)?[ _-]?(?:reply|response|diagnostic(?:[ _-]?codes?)?|details?)$/i,
  replyText:
    /^(?:(?:bounce|error|failure|smtp)?[ _-]?(?:reason|message|error|description)|(?:smtp|dsn)[ _-]?(?:code|status|diag)|status[ _-]?(?:message|text))$/i,
  type: /^(?:bounce|event|record)?[ _-]?type$/i,
  event: /^event(?:[ _-]?name)?$/i,
  date: /^(?:date|time|timestamp|when|(?:bounced|created|received|occurred)?[ _-]?(?:at|on|date|time))$/i,
  id: /^(?:smtp|internet|original)?[ _-]?message[ _-]?id$/i,
  status: /^(?:(?:dsn|enhanced|smtp)?[ _-]?status(?:[ _-]?code)?)$/i,
};

async function* readTable(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  { column, replyColumn, signal, onUndated }: ReadOptions,
): AsyncGenerator<LocatedReading> {
  const input = { stream: Readable.from(pieces, { objectMode: false }), name: JSON.stringify(name) };
  const table = await openTable(input, { signal, ...(column !== undefined && { column }) });
  const { columns, emailColumn } = table;
  const find = (pattern: RegExp): number =>
    columns.findIndex((each, at) => at !== emailColumn && pattern.test(each.trim()));
  const findReply = (): number => {
    const exact = find(columnNames.reply);
    return exact === -1 ? find(columnNames.replyText) : exact;
  };
  const reply = replyColumn === undefined ? findReply() : columnAt(columns, replyColumn);
  const [type, event] = [find(columnNames.type), find(columnNames.event)];
  if (emailColumn === null || (reply === -1 && type === -1 && event === -1))
    throw noColumn(name, columns, emailColumn === null);
  const [date, id, status] = [find(columnNames.date), find(columnNames.id), find(columnNames.status)];
  const undated = { name, column: columns[date]?.trim() ?? null, ambiguous: 0, unreadable: 0 };
  let bounceCount = 0;
  for await (const { reading, dateText, order } of withOrder(readRows())) {
    if (reading.type === 'bounce') {
      bounceCount++;
      const found = readDate(dateText, { now: Date.now(), order });
      for (const bounce of reading.bounces) bounce.date = found;
      if (found === '' && dateText !== '') undated[isAmbiguous(dateText) ? 'ambiguous' : 'unreadable']++;
    }
    yield reading;
  }
  const { ambiguous, unreadable: others } = undated;
  if (bounceCount > 0 && (date === -1 || ambiguous + others > 0)) onUndated?.(undated);

  async function* readRows(): AsyncGenerator<TableRow> {
    // The parser drops empty lines.
    let line = 1 + countLines(table.preamble) + (table.hasHeader ? Math.max(1, countLines(table.headerText)) : 0);
    for await (const rows of table.chunks) {
      for (const { cells, email, text = '' } of rows) {
        const source = `${name}:${line}`;
        line += Math.max(1, countLines(text));
        const cell = (at: number): string => cells[at]?.trim() ?? '';
        const row = { dateText: cell(date), length: text.length };
        const code = /^[45]\.\d{1,3}\.\d{1,3}$/.exec(cell(status))?.[0] ?? null;
        const stated = cell(type) || cell(event) || (/bounce|defer/i.test(cell(status)) ? cell(status) : '');
        const hasFailed = cell(reply) !== '' || code !== null || namesFailure(stated);
        const classify = (address: string): Classified | null =>
          hasFailed ? classifyTyped(stated, address, cell(reply), code) : null;
        const common = { date: '', reporting_mta: '', message_id: bareId(cell(id)) };
        const bounces = bouncesOf(email, cell(reply), common, classify);
        // Without an address, only a clear failure is more than some other row.
        if (bounces.length === 0 || (email === '' && classify('')?.kind === 'unreadable')) {
          yield { ...row, reading: { type: /defer|delay/i.test(stated) ? 'delay' : 'other', source } };
          continue;
        }
        const noticeId = createHash('sha256').update(cells.join('\0')).digest('hex');
        yield { ...row, reading: { type: 'bounce', bounces, noticeId, source } };
      }
    }
  }
}

interface TableRow {
  reading: LocatedReading;
  dateText: string;
  /** The characters of the row. */
  length: number;
}

const sampleLength = 4_000_000;

/** Adds the order of day and month, which the first rows prove. It is null if they prove none, or both. */
async function* withOrder(rows: AsyncIterable<TableRow>): AsyncGenerator<TableRow & { order: DayMonthOrder | null }> {
  let sample: TableRow[] | null = [];
  let length = 0;
  const orders = new Set<DayMonthOrder>();
  const orderFound = (): DayMonthOrder | null => (orders.size === 1 ? ([...orders][0] ?? null) : null);
  for await (const row of rows) {
    if (sample === null) {
      yield { ...row, order: orderFound() };
      continue;
    }
    sample.push(row);
    const order = orderOf(row.dateText);
    if (order !== null) orders.add(order);
    length += row.length;
    if (length < sampleLength) continue;
    for (const each of sample) yield { ...each, order: orderFound() };
    sample = null;
  }
  for (const each of sample ?? []) yield { ...each, order: orderFound() };
}

function countLines(text = ''): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0;
}

/** Finds a column by its name, or by its number from 1. */
function columnAt(columns: readonly string[], wanted: string): number {
  const byName = columns.findIndex((each) => each.trim().toLowerCase() === wanted.trim().toLowerCase());
  if (byName !== -1) return byName;
  const number = Number(wanted);
  if (Number.isInteger(number) && number >= 1 && number <= columns.length) return number - 1;
  throw new Failure('usage', `There is no column "${wanted}".`, { hint: `The columns are: ${columns.join(', ')}.` });
}

function noColumn(name: string, columns: readonly string[], isAddress: boolean): Failure {
  const what = isAddress ? 'addresses' : 'replies';
  const flag = isAddress ? '--column' : '--reply-column';
  return new Failure('bad_input', `No column of ${name} looks like ${what}.`, {
    hint: `Name one with ${flag} NAME or NUMBER. The columns are: ${columns.join(', ')}.`,
  });
}
