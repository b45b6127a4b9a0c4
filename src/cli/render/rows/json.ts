import { addField, cellsEncoder } from '../../../model/json-text.js';
import type { BulkAnswer } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import { type ListLayout, pick, type RowStyle, type RowWriter, textWriter } from './row-writer.js';

/** One JSON document: the result of an address, the summary of a list, or the rows of a job. Several addresses are an array in a file, and get a line each elsewhere. */
export function openWriter(style: RowStyle): RowWriter {
  const { subject, isTty, path = null } = style;
  if (subject === 'address') {
    const { encode } = rowEncoder(style, 'full', isTty ? 2 : 0);
    return textWriter({ row: (row, answer) => `${encode(row, answer)}\n` });
  }
  if (subject === 'addresses' && path === null) return openLineWriter(style);
  const rows = rowEncoder(style, subject === 'addresses' ? 'full' : 'main');
  // The bulk summary of the service interface has its results before the counts.
  const isSummary = subject === 'list';
  let separator = '\n';
  return textWriter({
    begin: (layout) => `${rows.begin(layout)}${isSummary ? '{"results":[' : '['}`,
    row: (row, answer) => {
      const text = `${separator}${rows.encode(row, answer)}`;
      separator = ',\n';
      return text;
    },
    end: (summary) => `\n]${isSummary ? `,${JSON.stringify(summary).slice(1)}` : ''}\n`,
  });
}

/** NDJSON. */
export function openLineWriter(style: RowStyle): RowWriter {
  const { begin, encode } = rowEncoder(style, style.subject === 'job' ? 'main' : 'full');
  return textWriter({ begin, row: (row, answer) => `${encode(row, answer)}\n` });
}

/** Encodes a result, or the requested fields of it. What the list had besides is its `input`: an object, or cells by their columns. */
function rowEncoder({ fields, subject }: RowStyle, extent: 'full' | 'main', indent = 0) {
  let encodeCells = cellsEncoder([]);
  let isOneColumn = true;
  const inputOf = ({ cells, json }: Row): string | null => {
    const isAddressAlone = isOneColumn && cells.findLastIndex((cell) => cell !== '') < 1;
    return json ?? (isAddressAlone ? null : encodeCells(cells));
  };
  return {
    begin: ({ columns }: ListLayout): string => {
      encodeCells = cellsEncoder(columns);
      // The rows of a job are those that a service sends, with all cells.
      isOneColumn = columns.length === 1 && subject !== 'job';
      return '';
    },
    encode: (row: Row, answer: BulkAnswer): string => {
      const { duplicate, added } = answer;
      if (fields !== null) {
        const result = { ...(subject === 'job' ? mainFields(answer) : fullResult(answer)), duplicate, ...added };
        return JSON.stringify(Object.fromEntries(fields.map((name) => [name, pick(result, name)])), null, indent);
      }
      const result = extent === 'main' ? mainFields(answer) : fullResult(answer);
      const marked = duplicate || added ? { ...result, ...(duplicate && { duplicate }), ...added } : result;
      const text = JSON.stringify(marked, null, indent);
      const input = inputOf(row);
      return input === null ? text : addField(text, 'input', input);
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

function fullResult({ result, empty, suppressed }: BulkAnswer): object {
  return empty || suppressed ? { ...result, ...unchecked } : result;
}

const noVerdict = {
  status: null,
  sub_status: null,
  is_valid: null,
  confidence: null,
  safe_to_send: null,
  did_you_mean: null,
};

/** The fields of a row of a job; a service may send only four of them. All but the address are null without a verdict. */
function mainFields({ result }: BulkAnswer): object {
  const { email, status, is_valid, confidence } = result;
  if (status === '') return { email, ...noVerdict };
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
