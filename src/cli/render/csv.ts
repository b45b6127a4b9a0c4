import { encodeRow } from '../../csv/write-rows.js';
import type { BulkAnswer } from '../../model/result.js';
import { cellText, pick } from './pick.js';
import type { RowRenderer } from './rows.js';

/** The columns that a verdict adds to the input's own. */
export const verdictColumns = [
  'mailvet_status',
  'mailvet_sub_status',
  'mailvet_confidence',
  'mailvet_safe_to_send',
  'mailvet_did_you_mean',
];

/** The input's rows with the verdict in new columns at the end; with `fields`, just those. */
export function csvRows(fields: readonly string[] | null): RowRenderer {
  return fields === null ? inputAndVerdict() : chosenFields(fields);
}

function inputAndVerdict(): RowRenderer {
  let delimiter = ',';
  let width = 1;
  const verdicts = new Map<string, string>();
  return {
    begin: (layout) => {
      delimiter = layout.delimiter;
      width = layout.columns.length;
      return layout.hasHeader ? `${encodeRow([...layout.columns, ...verdictColumns], delimiter)}\n` : '';
    },
    rows: (rows, answers) => {
      let text = '';
      for (let index = 0; index < answers.length; index++) {
        const row = rows[index];
        const answer = answers[index];
        if (row === undefined || answer === undefined) continue;
        const { cells } = row;
        const verdict = encodeVerdict(answer, delimiter, verdicts);
        text += `${encodeRow(cells.length === width ? cells : fitted(cells, width), delimiter)}${delimiter}${verdict}`;
        // What a long row has too much goes last, so that the verdict stands in its own columns.
        text += cells.length > width ? `${delimiter}${encodeRow(cells.slice(width), delimiter)}\n` : '\n';
      }
      return text;
    },
    end: () => '',
  };
}

/** Exactly as many cells as there are columns. */
function fitted(cells: readonly string[], width: number): readonly string[] {
  return Array.from({ length: width }, (_, index) => cells[index] ?? '');
}

const maxVerdicts = 4096;

/** The verdict's five cells; few combinations make up any list, so each is encoded once. */
function encodeVerdict({ result }: BulkAnswer, delimiter: string, known: Map<string, string>): string {
  const subStatus = 'sub_status' in result ? result.sub_status : '';
  const safe = 'safe_to_send' in result ? String(result.safe_to_send) : '';
  const meant = 'did_you_mean' in result ? (result.did_you_mean ?? '') : '';
  const key = `${result.status}\0${subStatus}\0${result.confidence}\0${safe}`;
  let encoded = known.get(key);
  if (encoded === undefined) {
    encoded = encodeRow([result.status, subStatus, String(result.confidence), safe], delimiter);
    if (known.size < maxVerdicts) known.set(key, encoded);
  }
  return encoded + delimiter + (meant === '' ? '' : encodeRow([meant], delimiter));
}

function chosenFields(fields: readonly string[]): RowRenderer {
  let delimiter = ',';
  return {
    begin: (layout) => {
      delimiter = layout.delimiter;
      return `${encodeRow(fields, delimiter)}\n`;
    },
    rows: (_rows, answers) => {
      let text = '';
      for (const { result, duplicate } of answers) {
        const cells = fields.map((field) => cellText(pick({ ...result, duplicate }, field)));
        text += `${encodeRow(cells, delimiter)}\n`;
      }
      return text;
    },
    end: () => '',
  };
}
