import type { RowVerdict } from '../../../model/job.js';
import type { BulkAnswer } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import { flatRow, resultObjectEncoder } from '../../../wire/results-codec.js';
import type { Format } from '../../flags/output-flags.js';
import { openRowRenderer } from './open-renderer.js';
import { pickAll } from './pick.js';
import type { RowRenderer, RowStyle } from './rows.js';

/** The renderer of a format for the rows of a job: as for any list, but that JSON has each row with its cells by their columns. */
export async function openJobRenderer(format: Format, style: RowStyle): Promise<RowRenderer> {
  if (format === 'json') return jsonRows(style.fields, { begin: '[', between: ',\n', end: ']\n' });
  if (format === 'ndjson') return jsonRows(style.fields, { begin: '', between: '\n', end: '' });
  return openRowRenderer(format, style);
}

/** What stands around and between the rows. */
interface Frame {
  begin: string;
  between: string;
  end: string;
}

function jsonRows(fields: readonly string[] | null, frame: Frame): RowRenderer {
  let encodeObject = resultObjectEncoder([]);
  let first = true;
  const isArray = frame.begin !== '';
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
  return {
    begin: (layout) => {
      encodeObject = resultObjectEncoder(layout.columns);
      return frame.begin;
    },
    row: (row, answer) => {
      const before = first ? (isArray ? '\n' : '') : frame.between;
      first = false;
      return before + encode(row, answer);
    },
    end: () => (first ? frame.end : `\n${frame.end}`),
  };
}

/** Null while there is none. */
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
