import type { BulkAnswer } from '../../../model/result.js';
import { addedColumnsOf, createPartJoiner } from '../../../rows/table/verdict-columns.js';
import { encodeRow } from '../../../rows/write/encode-row.js';
import { delimiterOfFile, RecordWriter } from '../../../rows/write/write-record.js';
import {
  cellText,
  type ListLayout,
  pick,
  type RowStyle,
  type RowWriter,
  type TextRows,
  textWriter,
} from './row-writer.js';

/** The rows of the input with the verdict in added columns, or only the requested fields. */
export function openWriter(style: RowStyle): RowWriter {
  return textWriter(style.fields === null ? inputAndVerdict(style) : requestedFields(style.fields, style));
}

function delimiterOf({ path = null }: RowStyle, layout: ListLayout): string {
  return delimiterOfFile(path, layout.delimiter);
}

function inputAndVerdict(style: RowStyle): TextRows {
  let writer: RecordWriter | null = null;
  let charset: ListLayout['charset'];
  let encodeVerdict = verdictEncoder((cells) => encodeRow(cells, ','), ',');
  const joinParts = createPartJoiner();
  return {
    begin: (layout) => {
      const delimiter = delimiterOf(style, layout);
      const { preamble = '' } = layout;
      ({ charset } = layout);
      // A screen gets no byte order mark.
      const shown = style.isTty ? preamble.replace(/^(?:\ufeff|\xef\xbb\xbf)/, '') : preamble;
      writer = new RecordWriter({ ...layout, preamble: shown }, addedColumnsOf(layout), { delimiter });
      const hold = charset?.hold ?? String;
      encodeVerdict = verdictEncoder((cells) => hold(encodeRow(cells, delimiter)), delimiter);
      return writer.head();
    },
    row: (row, answer) => {
      if (writer === null) return '';
      if (row.part === undefined) return writer.record(row, () => verdictOf(answer), encodeVerdict(answer));
      const cells = joinParts(row, verdictOf(answer));
      return cells === null ? '' : writer.record(row, () => cells);
    },
    end: () => writer?.tail() ?? '',
    toBytes: (text) => charset?.toBytes(text) ?? Buffer.from(text),
  };
}

function verdictOf({ result, empty, unanswered, suppressed }: BulkAnswer): string[] {
  const { status, confidence } = result;
  if (empty || unanswered || suppressed) return [status, '', '', '', ''];
  const suggestion = 'did_you_mean' in result ? result.did_you_mean : null;
  const sub = 'sub_status' in result ? result.sub_status : '';
  const safe = 'safe_to_send' in result ? String(result.safe_to_send) : '';
  return [status, sub, String(confidence), safe, suggestion ?? ''];
}

/** Encodes the five cells of a verdict. Adjacent rows often have the same one, so the last encoding is kept. */
function verdictEncoder(
  encode: (cells: readonly string[]) => string,
  delimiter: string,
): (answer: BulkAnswer) => string {
  let status = '';
  let subStatus = '';
  let confidence = Number.NaN;
  let safe = '';
  let encoded = '';
  return (answer) => {
    const { result } = answer;
    if (answer.empty || answer.unanswered || answer.suppressed) return encode(verdictOf(answer));
    const sub = 'sub_status' in result ? result.sub_status : '';
    const isSafe = 'safe_to_send' in result ? String(result.safe_to_send) : '';
    if (result.status !== status || sub !== subStatus || result.confidence !== confidence || isSafe !== safe) {
      status = result.status;
      subStatus = sub;
      confidence = result.confidence;
      safe = isSafe;
      encoded = encode([status, subStatus, String(confidence), safe]) + delimiter;
    }
    const suggestion = 'did_you_mean' in result ? result.did_you_mean : null;
    return suggestion === null || suggestion === '' ? encoded : encoded + encode([suggestion]);
  };
}

function requestedFields(fields: readonly string[], style: RowStyle): TextRows {
  let delimiter = ',';
  let lineEnd = '\n';
  return {
    begin: (layout) => {
      delimiter = delimiterOf(style, layout);
      lineEnd = layout.lineEnd ?? '\n';
      return encodeRow(fields, delimiter) + lineEnd;
    },
    row: (_, { result, duplicate, added }) => {
      const cells = fields.map((field) => cellText(pick({ ...result, duplicate, ...added }, field)));
      return encodeRow(cells, delimiter) + lineEnd;
    },
  };
}
