import { distinctNames } from '../model/distinct-names.js';
import { type JobResultRow, type JobResults, type RowVerdict, unpairedKinds } from '../model/job.js';
import { asFields, asFlag, asNumber, asText, type Fields, isFields, textIn, wrongType } from './fields.js';
import { parseJson } from './json.js';
import { decodeStatus } from './validation-codec.js';

/** The media type of a job's rows as lines: first `{"columns":[…]}`, then one row a line. */
export const resultLinesType = 'application/x-ndjson';

/** The formats in which the rows of a job can be requested. */
export const resultFormats = ['csv', 'json', 'ndjson'] as const;
export type ResultFormat = (typeof resultFormats)[number];

const rowsAtOnce = 500;

/** The first line of a job's rows. */
export function encodeResultHead(columns: readonly string[]): string {
  return `${JSON.stringify({ columns })}\n`;
}

/** One row of a job, as a line. */
export function encodeResultRow(row: JobResultRow): string {
  const { cells, email, verdict, unpaired } = row;
  return `${JSON.stringify({ cells, email, verdict, unpaired })}\n`;
}

/** While a row is not done. */
const noVerdict = { status: null, sub_status: null, confidence: null, safe_to_send: null, did_you_mean: null };

/** The fields of a row's verdict with its address; each null while there is none. */
export function flatRow({ email, verdict }: Pick<JobResultRow, 'email' | 'verdict'>): Record<string, unknown> {
  return { email, ...(verdict ?? noVerdict) };
}

/**
 * Encodes rows of a job for those who read JSON, over HTTP or from the command line: a row's verdict, what else is `added`, and in `input`
 * all of its cells, by columns that are told apart. What a long row has too much is named as in a table without a header.
 */
export function resultObjectEncoder(
  columns: readonly string[],
): (row: JobResultRow, added?: Readonly<Record<string, string>>) => string {
  let names = distinctNames(columns);
  return ({ cells, email, verdict }, added = {}) => {
    const width = Math.max(columns.length, cells.findLastIndex((cell) => cell !== '') + 1);
    if (names.length < width) names = distinctNames([...names, ...madeUpNames(names.length, width)]);
    // Pairs, so that a column named __proto__ is a column.
    const input = Object.fromEntries(names.slice(0, width).map((name, index) => [name, cells[index] ?? '']));
    return JSON.stringify({ ...flatRow({ email, verdict }), ...added, input });
  };
}

function madeUpNames(from: number, end: number): string[] {
  return Array.from({ length: end - from }, (_, index) => `column_${from + index + 1}`);
}

/** A job's rows, from their lines. Throws the Failure `bad_answer`, while iterating, on a line that is none. */
export async function decodeResultLines(lines: AsyncIterable<string>): Promise<JobResults> {
  const iterator = lines[Symbol.asyncIterator]();
  const first = await iterator.next();
  const head = first.done ? {} : asFields(parseJson(first.value), 'head of the rows');
  const columns = columnsIn(head['columns']);
  const email = Math.max(
    0,
    columns.findIndex((column) => /^e-?mail/i.test(column)),
  );
  async function* rows(): JobResults['rows'] {
    let some: JobResultRow[] = [];
    try {
      for (let line = await iterator.next(); !line.done; line = await iterator.next()) {
        if (line.value.trim() !== '') some.push(decodeRow(asFields(parseJson(line.value), 'row'), columns, email));
        if (some.length < rowsAtOnce) continue;
        yield some;
        some = [];
      }
    } catch (error) {
      // Whoever breaks off has said this much.
      if (some.length > 0) yield some;
      throw error;
    } finally {
      await iterator.return?.();
    }
    if (some.length > 0) yield some;
  }
  return { columns, rows: rows() };
}

/** A job's rows, from one JSON answer: an array of rows, or an object with them in rows/results/items/data. */
export function decodeResultList(value: unknown): JobResults {
  const envelope = isFields(value) ? value : {};
  const list = Array.isArray(value)
    ? value
    : ['rows', 'results', 'items', 'data'].map((name) => envelope[name]).find(Array.isArray);
  if (list === undefined) throw wrongType('rows', 'a list');
  const raws = list.map((row: unknown) => asFields(row, 'row'));
  const columns = Array.isArray(envelope['columns']) ? columnsIn(envelope['columns']) : columnsOf(raws[0] ?? {});
  const email = Math.max(
    0,
    columns.findIndex((column) => /^e-?mail/i.test(column)),
  );
  async function* rows(): JobResults['rows'] {
    yield raws.map((raw) => decodeRow(raw, columns, email));
  }
  return { columns, rows: rows() };
}

function columnsIn(value: unknown): string[] {
  if (!Array.isArray(value)) throw wrongType('columns', 'a list of names');
  return value.map((column) => asText(column, 'column'));
}

const verdictFields = new Set([
  'status',
  'sub_status',
  'confidence',
  'safe_to_send',
  'is_valid',
  'did_you_mean',
  'reasons',
]);

/** A row without cells has its columns in `input`, or as its own fields. */
function columnsOf(raw: Fields): string[] {
  if (isFields(raw['input'])) return Object.keys(raw['input']);
  const names = Object.keys(raw).filter((name) => !verdictFields.has(name) && typeof raw[name] !== 'object');
  return names.length > 0 ? names : ['email'];
}

function decodeRow(raw: Fields, columns: readonly string[], emailColumn: number): JobResultRow {
  const named = isFields(raw['input']) ? raw['input'] : raw;
  const cells = Array.isArray(raw['cells'])
    ? raw['cells'].map(cellText)
    : columns.map((column) => (Object.hasOwn(named, column) ? cellText(named[column]) : ''));
  const email = typeof raw['email'] === 'string' ? raw['email'] : (cells[emailColumn] ?? '');
  // A row that is not done has the fields of a verdict, and nothing in them.
  const verdict = 'verdict' in raw ? raw['verdict'] : decodeStatus(raw) === null ? null : raw;
  const unpaired = unpairedKinds.find((kind) => kind === raw['unpaired']);
  return { cells, email, verdict: isFields(verdict) ? decodeVerdict(verdict) : null, ...(unpaired && { unpaired }) };
}

/** An object of a row is shown as it came: its own `toString`, should it have one, is no business of ours. */
function cellText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function decodeVerdict(raw: Fields): RowVerdict {
  const status = decodeStatus(raw) ?? 'unknown';
  return {
    status,
    sub_status: asText(raw['sub_status'], 'sub_status'),
    confidence: asNumber(raw['confidence'], 'confidence'),
    safe_to_send: status === 'valid' && asFlag(raw['safe_to_send'], 'safe_to_send'),
    did_you_mean: textIn(raw['did_you_mean']),
  };
}
