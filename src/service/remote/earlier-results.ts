import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { isOwnFile } from '../../disk/own-file.js';
import { isGone } from '../../disk/process-identity.js';
import { distinctNames } from '../../model/distinct-names.js';
import { Failure } from '../../model/failure.js';
import { emptyVerdict, suppressedVerdict } from '../../model/job.js';
import type { BulkItem } from '../../model/result.js';
import { quotedName } from '../../model/text/shell-word.js';
import { statuses } from '../../model/verdict.js';
import { type CsvTable, openTable } from '../../rows/open-rows.js';
import { openText } from '../../rows/read/decode/open-text.js';
import { asReadFailure } from '../../rows/read/decode/read-failure.js';
import { extractAddress } from '../../rows/read/find-addresses.js';
import { EmailField } from '../../rows/read/json/email-field.js';
import { cellOf } from '../../rows/read/json/json-columns.js';
import { readJsonObjects } from '../../rows/read/open-list.js';
import { changeColumn, prefixedColumn, verdictColumns } from '../../rows/table/verdict-columns.js';
import { noAnswer, type VerdictItem } from '../dedupe/run-verdicts.js';

/**
 * The results of an earlier run as CSV, xlsx, JSON or NDJSON, complete or truncated, in one or several files. `column` is
 * the email column of a CSV.
 */
export async function openEarlierResults(files: readonly string[], column?: string) {
  const paths = (await Promise.all(files.map(findEarlierFiles))).flat();
  if (paths.length === 0) {
    throw new Failure('bad_input', `There are no earlier results in ${files[0]}.`, {
      hint: 'Give --resume the file that the interrupted run wrote.',
    });
  }
  const opened = await Promise.all(paths.map((each) => openResultsIn(each, column)));
  return {
    /** The run did not wait for its open requests, so some missing results may have been charged. */
    wasKilled: paths.some((each) => each.endsWith('.tmp')),
    answers: concatenate(opened),
  };
}

async function* concatenate<Item>(sources: readonly AsyncIterable<Item>[]): AsyncGenerator<Item> {
  for (const source of sources) yield* source;
}

/** A result of an earlier run; with its row, if that is requested. */
export type EarlierItem = BulkItem & { row?: EarlierRow };

/** The row of an earlier result: its cells by their columns, and the text of an object of a JSON list. */
interface EarlierRow {
  cells: Readonly<Record<string, string>>;
  json?: string;
}

/** Which results to read, and whether with their rows. */
interface ReadingOptions {
  withSuppressed?: boolean;
  withRows?: boolean;
}

/** JSON reformatted by another program; ours has one result per line. */
const reformattedJsonStart = /^\s*(?:\{\s*\n|\[[ \t]*\{|\[\s*\n[ \t]+\{|\{"results":[ \t]*\[[ \t]*\{)/;

/**
 * The results of exactly that file. A non-empty file without results is a Failure: all of them would be requested
 * again.
 */
export async function openResultsIn(
  path: string,
  column?: string,
  options: ReadingOptions = {},
): Promise<AsyncIterable<readonly EarlierItem[]>> {
  const { start, isPacked } = await readStart(path);
  if (!/^\s*[[{]/.test(start)) return fromTable(path, column, options);
  const lines = reformattedJsonStart.test(start) ? objectsIn(path) : isPacked ? unpackedLinesIn(path) : linesIn(path);
  return fromObjects(lines, path, new EmailField(column), options);
}

/**
 * Newer leftovers of the file, oldest first: those of interrupted runs (`.partial`, `.partial.2` …) and of killed ones
 * (`.NAME.….tmp`); else the file itself, if it exists.
 */
export async function findEarlierFiles(path: string): Promise<string[]> {
  const folder = dirname(path);
  const name = basename(path);
  /** Whether the file is of a run that has ended. Without a process in its name, that is unknown. */
  const isOfEndedRun = (identity: string): boolean => isGone(identity) || /^[0-9a-f]{12}$/.test(identity);
  const isLeftover = (each: string): boolean =>
    (each.startsWith(`.${name}.`) &&
      each.endsWith('.tmp') &&
      isOfEndedRun(each.slice(name.length + 2, -'.tmp'.length))) ||
    (each.startsWith(`${name}.partial`) && /^\.partial(?:\.\d+)?$/.test(each.slice(name.length)));
  const names = await readdir(folder).catch(() => []);
  const leftovers = names.filter(isLeftover).map((each) => join(folder, each));
  const fileWrittenAt = await writtenAt(path);
  const pieces = await Promise.all(
    leftovers.map(async (piece) => ({ piece, at: (await isOwnFile(piece)) ? await writtenAt(piece) : 0 })),
  );
  const newerPieces = pieces.filter(({ at }) => at > fileWrittenAt).sort((one, other) => one.at - other.at);
  if (newerPieces.length > 0) return newerPieces.map(({ piece }) => piece);
  return fileWrittenAt > 0 ? [path] : [];
}

/** The modification time of a non-empty file, else 0. */
async function writtenAt(path: string): Promise<number> {
  const stats = await stat(path).catch(() => null);
  return stats?.isFile() && stats.size > 0 ? stats.mtimeMs : 0;
}

/** RFC 1952 §2.3.1: the two bytes that every gzip file starts with. */
const gzipStart = Buffer.of(0x1f, 0x8b);
const startLength = 100;

async function readStart(path: string): Promise<{ start: string; isPacked: boolean }> {
  const bytes: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path, { end: startLength - 1 })) bytes.push(chunk);
  } catch (error) {
    throw asReadFailure(error, JSON.stringify(path));
  }
  const head = Buffer.concat(bytes);
  if (!head.subarray(0, 2).equals(gzipStart)) return { start: head.toString(), isPacked: false };
  const text = await openText({ path });
  await text.close();
  return { start: text.sample.slice(0, startLength), isPacked: true };
}

const chunkLength = 1_000;

/** NDJSON and our summary have one result per line. Other lines, and a truncated one, are skipped. */
async function* fromObjects(
  lines: AsyncIterable<string>,
  path: string,
  field: EmailField,
  { withSuppressed = false, withRows = false }: ReadingOptions,
): AsyncGenerator<readonly EarlierItem[]> {
  let items: EarlierItem[] = [];
  let results = 0;
  let otherObjects = 0;
  for await (const line of lines) {
    const text = line.trim().replace(/,$/, '');
    const fields = fieldsIn(text);
    const raw = fields === null ? null : verdictIn(fields, field);
    if (raw === null) continue;
    if (!isResult(raw)) {
      otherObjects++;
      continue;
    }
    results++;
    const item = fields?.[changeColumn] === 'gone' ? null : itemOf(raw, withSuppressed);
    if (item !== null) items.push(withRows && fields !== null ? { ...item, row: rowIn(fields, text) } : item);
    if (items.length < chunkLength) continue;
    yield items;
    items = [];
  }
  if (results === 0 && otherObjects > 0) throw noResultsFailure(path);
  yield items;
}

/** A result has the cells of its row as `input`; an object of a JSON list has our fields next to its own. */
function rowIn(fields: Record<string, unknown>, text: string): EarlierRow {
  const { input } = fields;
  const isOwnObject = typeof fields['mailvet_status'] === 'string';
  const named = typeof input === 'object' && input !== null && !isOwnObject ? input : fields;
  const cells = Object.entries(named).map(([name, value]) => [name, cellOf(value)]);
  return { cells: Object.fromEntries(cells), ...(isOwnObject && { json: text }) };
}

/** Opened lazily: lines that come earlier would be lost. */
async function* linesIn(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}

async function* unpackedLinesIn(path: string): AsyncGenerator<string> {
  const text = await openText({ path });
  try {
    let rest = '';
    for (let piece = await text.read(); piece !== null; piece = await text.read()) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    yield rest;
  } finally {
    await text.close();
  }
}

async function* objectsIn(path: string): AsyncGenerator<string> {
  try {
    yield* readJsonObjects(await openText({ path }));
  } catch (error) {
    throw noResultsFailure(path, error);
  }
}

function fieldsIn(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

type RawItem = Partial<VerdictItem> & { reasons?: unknown };

function isResult({ email, status, confidence = 0 }: RawItem): boolean {
  return typeof email === 'string' && typeof status === 'string' && typeof confidence === 'number';
}

/** Another run may have other suppression lists; a row without an address has no answer. */
function isAnswer(status: string, withSuppressed: boolean): boolean {
  return status !== '' && status !== emptyVerdict.status && (withSuppressed || status !== suppressedVerdict.status);
}

/** Null for an unanswered address. */
function itemOf(raw: RawItem, withSuppressed: boolean): BulkItem | null {
  const { email = '', status = '', is_valid = status === 'valid', confidence = 0 } = raw;
  const { sub_status, safe_to_send, did_you_mean } = raw;
  if (!isAnswer(status, withSuppressed)) return null;
  if (sub_status === noAnswer || (Array.isArray(raw.reasons) && raw.reasons.includes('not_answered'))) return null;
  const item: VerdictItem = { email, status, is_valid: is_valid === true, confidence };
  if (typeof sub_status === 'string') item.sub_status = sub_status;
  if (typeof safe_to_send === 'boolean') item.safe_to_send = safe_to_send;
  if (typeof did_you_mean === 'string' || did_you_mean === null) item.did_you_mean = did_you_mean;
  return item;
}

/** Our fields in an object of a JSON list, next to its own. */
function verdictIn(raw: Record<string, unknown>, field: EmailField): Partial<VerdictItem> {
  if (typeof raw['mailvet_status'] !== 'string') return raw;
  const fields = verdictColumns.map((name) => [name.replace('mailvet_', ''), raw[name]]);
  return { ...Object.fromEntries(fields), email: field.recordAddress(raw) ?? '' };
}

/** The verdict columns by name; without a header, after those of the input. */
async function* fromTable(
  path: string,
  column: string | undefined,
  { withSuppressed = false, withRows = false }: ReadingOptions,
): AsyncGenerator<readonly EarlierItem[]> {
  const table = await openTable({ path }, column === undefined ? {} : { column });
  try {
    const places = findVerdictColumns(table, path, column !== undefined);
    const names = distinctNames(table.columns);
    const change = table.columns.indexOf(changeColumn);
    const rowOf = (cells: readonly string[]): EarlierRow => ({
      cells: Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])),
    });
    for await (const rows of table.chunks) {
      // A row of several addresses is repeated for each of them.
      const records = rows.filter(({ part }) => part === undefined || part.index === 0);
      yield records.flatMap(({ cells }) => {
        // An address that was gone by then has its verdict from before.
        if (cells[change] === 'gone') return [];
        const items = places.flatMap((place) => itemAt(cells, place, withSuppressed) ?? []);
        return withRows ? items.map((item) => ({ ...item, row: rowOf(cells) })) : items;
      });
    }
  } finally {
    await table.close();
  }
}

/** The columns of the address and its verdict. */
interface VerdictColumns {
  email: number;
  verdict: readonly number[];
  /** Found by their position: other columns may follow those of the verdict. */
  isGuessed?: boolean;
}

function findVerdictColumns(table: CsvTable, path: string, isNamed: boolean): VerdictColumns[] {
  const { columns, emailColumns, hasHeader } = table;
  const all = columns.map((_, index) => index);
  const names = distinctNames(columns);
  const columnSets = (isNamed ? emailColumns : all).flatMap((email) => {
    const verdict = verdictColumns.map((name) => columns.indexOf(prefixedColumn(names[email] ?? '', name)));
    return verdict[0] === -1 ? [] : [{ email, verdict }];
  });
  if (columnSets.length > 0) return columnSets;
  const [email, ...others] = emailColumns;
  const unprefixed = verdictColumns.map((name) => columns.indexOf(name));
  const firstVerdictColumn = columns.length - emailColumns.length * verdictColumns.length;
  const hasSingleColumn = email !== undefined && others.length === 0;
  if (unprefixed[0] !== -1 && hasSingleColumn) return [{ email, verdict: unprefixed }];
  if (!hasHeader && firstVerdictColumn > 0) {
    return emailColumns.map((emailColumn, setIndex) => ({
      email: emailColumn,
      isGuessed: true,
      verdict: verdictColumns.map((_, index) => firstVerdictColumn + setIndex * verdictColumns.length + index),
    }));
  }
  if (unprefixed[0] !== -1 && others.length > 0) {
    throw new Failure('bad_input', `${quotedName(path)} has the verdicts of one column, but --column names several.`, {
      hint: 'Give the output of a run over the same columns.',
    });
  }
  throw noResultsFailure(path);
}

function noResultsFailure(path: string, cause?: unknown): Failure {
  return new Failure('bad_input', `${quotedName(path)} has no results of an earlier run.`, {
    hint: 'It must be the CSV, Excel (xlsx), JSON or NDJSON of an earlier run, with all its columns.',
    cause,
  });
}

function itemAt(cells: readonly string[], columns: VerdictColumns, withSuppressed: boolean): VerdictItem | null {
  const { email: emailColumn, verdict, isGuessed = false } = columns;
  const [status = '', subStatus = '', confidence = '', safe = '', didYouMean = ''] = verdict.map(
    (column) => cells[column] ?? '',
  );
  const email = extractAddress(cells[emailColumn] ?? '');
  // The last row may be truncated within its verdict.
  if (status === '' || subStatus === noAnswer || email === '' || cells.length <= Math.max(...verdict)) return null;
  if (!isAnswer(status, withSuppressed)) return null;
  if (isGuessed && !(statuses as readonly string[]).includes(status)) return null;
  const item: VerdictItem = { email, status, is_valid: status === 'valid', confidence: Number(confidence) || 0 };
  // A valid address needs no reason.
  if (subStatus !== '' || status === 'valid') item.sub_status = subStatus;
  if (safe !== '') item.safe_to_send = safe === 'true';
  if (didYouMean !== '') item.did_you_mean = didYouMean;
  return item;
}
