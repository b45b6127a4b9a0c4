import { distinctNames } from '../../../model/distinct-names.js';
import type { BulkAnswer } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import { verdictColumnsOf } from '../../../rows/table/verdict-columns.js';
import { encodeRawRow, encodeRow } from '../../../rows/write/encode-row.js';
import { RecordWriter } from '../../../rows/write/write-record.js';
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
  const isTabSeparated = /\.(?:tsv|tab)$/i.test(style.path ?? '');
  return textWriter(
    style.fields === null
      ? inputAndVerdict(style, isTabSeparated)
      : requestedFields(style.fields, style, isTabSeparated),
  );
}

function inputAndVerdict({ raw = false, isTty, path = null }: RowStyle, isTabSeparated: boolean): TextRows {
  let writer: RecordWriter | null = null;
  const encode = raw ? encodeRawRow : encodeRow;
  let encodeVerdict = verdictEncoder(encode, ',');
  let parts: string[] = [];
  let addedColumns: readonly string[] = [];
  let keepsText = true;
  const addedCells = (answer: BulkAnswer): string[] => addedColumns.map((name) => answer.added?.[name] ?? '');
  return {
    begin: (inputLayout) => {
      keepsText = !isTabSeparated || inputLayout.delimiter === '\t';
      const layout = keepsText ? inputLayout : withTabs(inputLayout);
      const { columns, delimiter, emailColumns = [], preamble: given = '', isLegacy } = layout;
      addedColumns = layout.added ?? [];
      const names = distinctNames(columns);
      const emailNames = emailColumns.map((column) => names[column] ?? '');
      // A screen gets no byte order mark, and a pipe only that of the list.
      const addsMark = path !== null && isLegacy && !given.startsWith('\ufeff');
      const preamble = isTty ? given.replace('\ufeff', '') : addsMark ? `\ufeff${given}` : given;
      writer = new RecordWriter({ ...layout, preamble }, verdictColumnsOf(emailNames, addedColumns), { raw });
      encodeVerdict = verdictEncoder(encode, delimiter);
      return writer.head();
    },
    row: (inputRow, answer) => {
      if (writer === null) return '';
      const row = keepsText ? inputRow : withoutText(inputRow);
      const { part } = row;
      if (part === undefined && addedColumns.length > 0)
        return writer.record(row, () => [...verdictOf(answer), ...addedCells(answer)]);
      if (part === undefined) return writer.record(row, () => verdictOf(answer), encodeVerdict(answer));
      if (part.index === 0) parts = [];
      parts.push(...verdictOf(answer), ...addedCells(answer));
      const cells = parts;
      return part.index === part.of - 1 ? writer.record(row, () => cells) : '';
    },
  };
}

function withoutText({ text: _, ...row }: Row): Row {
  return row;
}

/** The layout with tabs, and without a `sep=` line. */
function withTabs({ headerText: _, preamble = '', ...layout }: ListLayout): ListLayout {
  return { ...layout, delimiter: '\t', preamble: preamble.replace(/^(\ufeff?)"?sep=.*(?:\r\n?|\n)/i, '$1') };
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
function verdictEncoder(encode: typeof encodeRow, delimiter: string): (answer: BulkAnswer) => string {
  let status = '';
  let subStatus = '';
  let confidence = Number.NaN;
  let safe = '';
  let encoded = '';
  return (answer) => {
    const { result } = answer;
    if (answer.empty || answer.unanswered || answer.suppressed) return encode(verdictOf(answer), delimiter);
    const sub = 'sub_status' in result ? result.sub_status : '';
    const isSafe = 'safe_to_send' in result ? String(result.safe_to_send) : '';
    if (result.status !== status || sub !== subStatus || result.confidence !== confidence || isSafe !== safe) {
      status = result.status;
      subStatus = sub;
      confidence = result.confidence;
      safe = isSafe;
      encoded = encode([status, subStatus, String(confidence), safe], delimiter) + delimiter;
    }
    const suggestion = 'did_you_mean' in result ? result.did_you_mean : null;
    return suggestion === null || suggestion === '' ? encoded : encoded + encode([suggestion], delimiter);
  };
}

function requestedFields(fields: readonly string[], { raw }: RowStyle, isTabSeparated: boolean): TextRows {
  const encode = raw ? encodeRawRow : encodeRow;
  let delimiter = ',';
  let lineEnd = '\n';
  return {
    begin: (layout) => {
      delimiter = isTabSeparated ? '\t' : layout.delimiter;
      lineEnd = layout.lineEnd ?? '\n';
      return encode(fields, delimiter) + lineEnd;
    },
    row: (_, { result, duplicate, added }) => {
      const cells = fields.map((field) => cellText(pick({ ...result, duplicate, ...added }, field)));
      return encode(cells, delimiter) + lineEnd;
    },
  };
}
