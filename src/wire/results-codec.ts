import type { JobResultRow, JobResults, RowVerdict } from '../model/job.js';
import { addField, cellsEncoder, jsonOnOneLine } from '../model/json-text.js';
import { text } from '../model/schema.js';
import { asFields, type Fields, isFields, parseJson, read } from './fields.js';
import { list } from './schema.js';
import { decodeVerdict } from './validation-codec.js';

/** A job's rows as lines: first `{"columns":[…],"layout":{…}}`, then one row per line. */
export const resultLinesType = 'application/x-ndjson';

export const resultFormats = ['csv', 'json', 'ndjson'] as const;
export type ResultFormat = (typeof resultFormats)[number];

const maxBatchRows = 500;
const texts = list(text);

type ResultHead = Pick<JobResults, 'columns' | 'emailColumns' | 'layout'>;

export function encodeResultHead({ columns, emailColumns = [], layout }: ResultHead): string {
  const { hasHeader, delimiter, preamble, lineEnd, charset } = layout ?? {};
  const shown = preamble === undefined ? undefined : (charset?.show(preamble) ?? preamble);
  const fields = { has_header: hasHeader, delimiter, preamble: shown, line_end: lineEnd };
  const several = emailColumns.length > 1 ? { email_columns: emailColumns } : {};
  return `${JSON.stringify({ columns, ...several, ...(layout && { layout: fields }) })}\n`;
}

/** Undefined if the service does not send it, or in another form. */
function decodeLayout(value: unknown): JobResults['layout'] {
  if (!isFields(value)) return undefined;
  const { has_header: hasHeader, delimiter, preamble = '', line_end: lineEnd = '\n' } = value;
  const isKnown = typeof hasHeader === 'boolean' && typeof preamble === 'string';
  if (!isKnown || typeof delimiter !== 'string' || delimiter.length !== 1) return undefined;
  return { hasHeader, delimiter, preamble, lineEnd: lineEnd === '\r\n' ? '\r\n' : '\n' };
}

export function encodeResultRow(row: JobResultRow): string {
  const { cells, email, part, verdict, json } = row;
  return `${JSON.stringify({ cells, email, part, verdict, json })}\n`;
}

const noVerdict = {
  status: null,
  sub_status: null,
  confidence: null,
  safe_to_send: null,
  did_you_mean: null,
  is_valid: null,
};

/** The verdict and address of a row; each field null until it is answered. */
function flatRow({ email, verdict }: Pick<JobResultRow, 'email' | 'verdict'>): Record<string, unknown> {
  return { email, ...(verdict === null ? noVerdict : { ...verdict, is_valid: verdict.status === 'valid' }) };
}

/**
 * Encodes rows as JSON objects: the verdict, `added`, and in `input` the object of a JSON list, or all cells by
 * unambiguous column names. Surplus cells are named as in a table without a header.
 */
export function resultObjectEncoder(
  columns: readonly string[],
): (row: JobResultRow, added?: Readonly<Record<string, string | boolean>>) => string {
  const encodeCells = cellsEncoder(columns);
  return ({ cells, email, verdict, json }, added = {}) =>
    addField(JSON.stringify({ ...flatRow({ email, verdict }), ...added }), 'input', json ?? encodeCells(cells));
}

async function readHead(first: IteratorResult<string>): Promise<ResultHead> {
  const head = first.done ? {} : asFields(parseJson(first.value), 'head of the rows');
  const layout = decodeLayout(head['layout']);
  const columns = read(texts, head['columns'], 'columns');
  const emailColumns = Array.isArray(head['email_columns']) ? head['email_columns'].filter((at) => at in columns) : [];
  return { columns, ...(emailColumns.length > 1 && { emailColumns }), ...(layout && { layout }) };
}

/** Decodes a job's rows. Throws the Failure `bad_answer`, while iterating, on a bad line. */
export async function decodeResultLines(lines: AsyncIterable<string>): Promise<JobResults> {
  const iterator = lines[Symbol.asyncIterator]();
  const first = await iterator.next();
  const head = await readHead(first).catch(async (error: unknown) => {
    // The response would stay open.
    await iterator.return?.();
    throw error;
  });
  async function* rows(): JobResults['rows'] {
    let batch: JobResultRow[] = [];
    try {
      for (let line = await iterator.next(); !line.done; line = await iterator.next()) {
        if (line.value.trim() !== '') batch.push(decodeRow(asFields(parseJson(line.value), 'row')));
        if (batch.length < maxBatchRows) continue;
        yield batch;
        batch = [];
      }
    } catch (error) {
      // Rows before a broken line are delivered.
      if (batch.length > 0) yield batch;
      throw error;
    } finally {
      await iterator.return?.();
    }
    if (batch.length > 0) yield batch;
  }
  return { ...head, rows: rows(), close: async () => void (await iterator.return?.()) };
}

function decodeRow(raw: Fields): JobResultRow {
  const { verdict, json } = raw;
  return {
    cells: read(texts, raw['cells'], 'cells'),
    email: read(text, raw['email'], 'email'),
    ...partIn(raw['part']),
    verdict: isFields(verdict) ? rowVerdictIn(verdict) : null,
    ...(typeof json === 'string' && isFields(parseJson(json)) && { json: jsonOnOneLine(json) }),
  };
}

function partIn(part: unknown): Pick<JobResultRow, 'part'> {
  const { index, of } = isFields(part) ? part : {};
  return typeof index === 'number' && typeof of === 'number' && index < of ? { part: { index, of } } : {};
}

function rowVerdictIn(raw: Fields): RowVerdict {
  const { is_valid: _, ...verdict } = decodeVerdict(raw);
  return verdict;
}
