import type { RowVerdict } from '../../../model/job.js';
import type { BulkAnswer } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import { flatRow, resultObjectEncoder } from '../../../wire/results-codec.js';
import { pickAll, type RowWriter, textWriter } from './row-writer.js';

/** The rows of a job as one array of objects, each with its cells by their columns. */
export function jobArray(fields: readonly string[] | null): RowWriter {
  return objects(fields, { begin: '[', first: '\n', between: ',\n', end: ']\n' });
}

/** The same objects, one per line. */
export function jobLines(fields: readonly string[] | null): RowWriter {
  return objects(fields, { begin: '', first: '', between: '\n', end: '' });
}

/** What is written around the objects. */
interface Frame {
  begin: string;
  /** Before the first one, and before each other. */
  first: string;
  between: string;
  end: string;
}

function objects(fields: readonly string[] | null, frame: Frame): RowWriter {
  let encodeObject = resultObjectEncoder([]);
  let isFirst = true;
  const encode = (row: Row, answer: BulkAnswer): string => {
    const { result, added } = answer;
    const shown = {
      cells: row.cells,
      email: result.email === '' ? row.email : result.email,
      verdict: verdictOf(answer),
    };
    if (fields === null) return encodeObject(shown, added);
    return JSON.stringify(pickAll({ ...flatRow(shown), ...added }, fields));
  };
  return textWriter({
    begin: (layout) => {
      encodeObject = resultObjectEncoder(layout.columns);
      return frame.begin;
    },
    row: (row, answer) => {
      const before = isFirst ? frame.first : frame.between;
      isFirst = false;
      return before + encode(row, answer);
    },
    end: () => (isFirst ? frame.end : `\n${frame.end}`),
  });
}

/** The verdict of an answer; null while there is none. */
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
