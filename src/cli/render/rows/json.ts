import { addField, cellsEncoder } from '../../../model/json-text.js';
import type { BulkAnswer } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import { withVerdict } from '../../../rows/write/json-verdict.js';
import { type ListLayout, pickAll, type RowStyle, type RowWriter, type TextRows, textWriter } from './row-writer.js';

/** One JSON document: the result of an address, the summary of a list, or the rows of a job. Several addresses are an array in a file, and get a line each elsewhere. */
export async function openWriter(style: RowStyle): Promise<RowWriter> {
  const { subject, fields, isTty, path = null } = style;
  switch (subject) {
    case 'address':
      return textWriter(oneResult(fields, isTty));
    case 'addresses':
      return path === null ? openLineWriter(style) : textWriter(resultArray(fields));
    case 'list':
      return textWriter(listSummary(fields));
    case 'job':
      return (await import('./job-json.js')).jobArray(fields);
  }
}

/** NDJSON. An object of the input is written with the verdict added. */
export async function openLineWriter({ subject, fields }: RowStyle): Promise<RowWriter> {
  if (subject === 'job') return (await import('./job-json.js')).jobLines(fields);
  const cells = tableCells(fields);
  return textWriter({
    begin: cells.begin,
    row: (row, answer) => `${cells.addTo(encodeLine(row, answer, fields), row)}\n`,
  });
}

/** Adds the cells of a table to its results, as `input`. Requested fields, addresses alone, and objects have none. */
function tableCells(fields: readonly string[] | null) {
  let encode: ReturnType<typeof cellsEncoder> | null = null;
  let isOneColumn = false;
  return {
    begin: ({ columns }: ListLayout): string => {
      encode = fields === null ? cellsEncoder(columns) : null;
      isOneColumn = columns.length === 1;
      return '';
    },
    addTo: (json: string, { cells, json: object }: Row): string => {
      if (encode === null || object !== undefined) return json;
      const isAddressAlone = isOneColumn && cells.findLastIndex((cell) => cell !== '') < 1;
      return isAddressAlone ? json : addField(json, 'input', encode(cells));
    },
  };
}

/** What a row that was not checked has no value for. */
const unchecked = {
  details: null,
  catchall: null,
  ai_enhancement: null,
  performance: null,
  metadata: null,
  reasons: [],
  canonical: null,
};

function encodeLine({ json }: Row, answer: BulkAnswer, fields: readonly string[] | null): string {
  const { duplicate, added, empty, suppressed } = answer;
  const result = empty || suppressed ? { ...answer.result, ...unchecked } : answer.result;
  if (fields !== null) return JSON.stringify(pickAll({ ...result, duplicate, ...added }, fields));
  if (json !== undefined) return withVerdict(json, answer);
  return JSON.stringify(duplicate || added ? { ...result, ...(duplicate && { duplicate }), ...added } : result);
}

function oneResult(fields: readonly string[] | null, isTty: boolean): TextRows {
  return {
    row: (_, { result, added }) =>
      `${JSON.stringify(fields === null ? result : pickAll({ ...result, ...added }, fields), null, isTty ? 2 : 0)}\n`,
  };
}

function resultArray(fields: readonly string[] | null): TextRows {
  let separator = '\n';
  return {
    begin: () => '[',
    row: (row, answer) => {
      const line = `${separator}${encodeLine(row, answer, fields)}`;
      separator = ',\n';
      return line;
    },
    end: () => '\n]\n',
  };
}

/** The fields of a row of a job; a service may send only the first four. */
function shortResult(result: BulkAnswer['result']): Record<string, unknown> {
  const { email, status, is_valid, confidence } = result;
  return {
    email,
    status,
    ...('sub_status' in result && { sub_status: result.sub_status }),
    is_valid,
    confidence,
    ...('safe_to_send' in result && { safe_to_send: result.safe_to_send }),
    ...('did_you_mean' in result && { did_you_mean: result.did_you_mean }),
  };
}

/** The bulk summary of the service interface, with its results before the counts. */
function listSummary(fields: readonly string[] | null): TextRows {
  let separator = '\n';
  const cells = tableCells(fields);
  return {
    begin: (layout) => `${cells.begin(layout)}{"results":[`,
    row: (row, answer) => {
      const { json } = row;
      const { result, duplicate, added } = answer;
      const item =
        fields === null
          ? { ...shortResult(result), ...(duplicate && { duplicate }), ...added }
          : pickAll({ ...result, duplicate, ...added }, fields);
      const text = json === undefined || fields !== null ? JSON.stringify(item) : withVerdict(json, answer);
      const line = `${separator}${cells.addTo(text, row)}`;
      separator = ',\n';
      return line;
    },
    end: (summary) => `\n],${JSON.stringify(summary).slice(1)}\n`,
  };
}
