import type { RowVerdict } from '../../../model/job.js';
import type { BulkAnswer } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import { flatRow, resultObjectEncoder } from '../../../wire/results-codec.js';
import { type ListLayout, pickAll, type RowWriter, textWriter } from './row-writer.js';

/** The rows of a job as an array of objects with the cells by their columns. */
export function jobArray(fields: readonly string[] | null): RowWriter {
  const encoder = rowEncoder(fields);
  let separator = '\n';
  return textWriter({
    begin: (layout) => `${encoder.begin(layout)}[`,
    row: (row, answer) => {
      const text = `${separator}${encoder.encode(row, answer)}`;
      separator = ',\n';
      return text;
    },
    end: () => (separator === '\n' ? ']\n' : '\n]\n'),
  });
}

/** The rows of a job as objects, one per line. */
export function jobLines(fields: readonly string[] | null): RowWriter {
  const { begin, encode } = rowEncoder(fields);
  return textWriter({ begin, row: (row, answer) => `${encode(row, answer)}\n` });
}

function rowEncoder(fields: readonly string[] | null) {
  let encodeObject = resultObjectEncoder([]);
  return {
    begin: ({ columns }: ListLayout): string => {
      encodeObject = resultObjectEncoder(columns);
      return '';
    },
    encode: ({ cells, email, json }: Row, answer: BulkAnswer): string => {
      const { result, duplicate, added } = answer;
      const resultRow = { cells, email: result.email || email, verdict: verdictOf(answer), ...(json && { json }) };
      if (fields === null) return encodeObject(resultRow, { ...(duplicate && { duplicate }), ...added });
      return JSON.stringify(pickAll({ ...flatRow(resultRow), duplicate, ...added }, fields));
    },
  };
}

/** Null if there is no verdict yet. */
function verdictOf({ result }: BulkAnswer): RowVerdict | null {
  const { status, confidence } = result;
  if (status === '') return null;
  return {
    status,
    sub_status: 'sub_status' in result ? result.sub_status : '',
    confidence,
    safe_to_send: 'safe_to_send' in result && result.safe_to_send,
    did_you_mean: 'did_you_mean' in result ? result.did_you_mean : null,
  };
}
