import { distinctNames } from '../../../model/distinct-names.js';
import type { BulkAnswer } from '../../../model/result.js';
import { verdictColumnsOf } from '../../../rows/table/verdict-columns.js';
import { encodeRow, encodeRowAsIs } from '../../../rows/write/encode-row.js';
import { createRecordWriter, type RecordWriter } from '../../../rows/write/write-record.js';
import { cellText, pick } from './pick.js';
import type { RowRenderer } from './rows.js';

/** The input's rows with the verdict in columns of its own; with `fields`, just those. */
export function csvRows(fields: readonly string[] | null, raw = false): RowRenderer {
  return fields === null ? inputAndVerdict(raw) : chosenFields(fields, raw);
}

function inputAndVerdict(raw: boolean): RowRenderer {
  let writer: RecordWriter | null = null;
  let encodeVerdict = verdictEncoder(',');
  let parts: string[] = [];
  let added: readonly string[] = [];
  const addedTo = (answer: BulkAnswer): string[] => added.map((name) => answer.added?.[name] ?? '');
  const write: RowRenderer['row'] = (row, answer) => {
    const { part } = row;
    if (part === undefined && added.length > 0)
      return writer?.record(row, () => [...verdictOf(answer), ...addedTo(answer)]) ?? '';
    if (part === undefined) return writer?.record(row, () => verdictOf(answer), encodeVerdict(answer)) ?? '';
    if (part.index === 0) parts = [];
    parts.push(...verdictOf(answer), ...addedTo(answer));
    const whole = parts;
    return part.index === part.of - 1 ? (writer?.record(row, () => whole) ?? '') : '';
  };
  return {
    begin: (layout) => {
      const { columns, delimiter, emailColumns = [] } = layout;
      added = layout.added ?? [];
      const names = distinctNames(columns);
      const named = emailColumns.map((column) => names[column] ?? '');
      writer = createRecordWriter(layout, verdictColumnsOf(named, added), { raw });
      encodeVerdict = verdictEncoder(delimiter);
      return writer.opening();
    },
    row: write,
  };
}

function verdictOf({ result, empty, unanswered }: BulkAnswer): string[] {
  const { status, confidence } = result;
  if (empty || unanswered) return [status, '', '', '', ''];
  const meant = 'did_you_mean' in result ? result.did_you_mean : null;
  const sub = 'sub_status' in result ? result.sub_status : '';
  const safe = 'safe_to_send' in result ? String(result.safe_to_send) : '';
  return [status, sub, String(confidence), safe, meant ?? ''];
}

/** The verdict's five cells; rows in a row often share theirs, so the last one is kept. */
function verdictEncoder(delimiter: string): (answer: BulkAnswer) => string {
  let status = '';
  let subStatus = '';
  let confidence = Number.NaN;
  let safe = '';
  let encoded = '';
  return (answer) => {
    const { result } = answer;
    if (answer.empty || answer.unanswered) return encodeRow(verdictOf(answer), delimiter);
    const sub = 'sub_status' in result ? result.sub_status : '';
    const sure = 'safe_to_send' in result ? String(result.safe_to_send) : '';
    if (result.status !== status || sub !== subStatus || result.confidence !== confidence || sure !== safe) {
      status = result.status;
      subStatus = sub;
      confidence = result.confidence;
      safe = sure;
      encoded = encodeRow([status, subStatus, String(confidence), safe], delimiter) + delimiter;
    }
    const meant = 'did_you_mean' in result ? result.did_you_mean : null;
    return meant === null || meant === '' ? encoded : encoded + encodeRow([meant], delimiter);
  };
}

function chosenFields(fields: readonly string[], raw: boolean): RowRenderer {
  const encode = raw ? encodeRowAsIs : encodeRow;
  let delimiter = ',';
  let lineEnd = '\n';
  return {
    begin: (layout) => {
      delimiter = layout.delimiter;
      lineEnd = layout.lineEnd ?? '\n';
      return encode(fields, delimiter) + lineEnd;
    },
    row: (_, { result, duplicate }) => {
      const cells = fields.map((field) => cellText(pick({ ...result, duplicate }, field)));
      return encode(cells, delimiter) + lineEnd;
    },
  };
}
