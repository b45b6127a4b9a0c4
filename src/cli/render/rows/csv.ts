import type { BulkAnswer } from '../../../model/result.js';
import { encodeRow } from '../../../rows/write/encode-row.js';
import { placeVerdict, type VerdictPlaces } from '../../../rows/write/verdict-columns.js';
import { cellText, pick } from './pick.js';
import type { RowRenderer } from './rows.js';

/** The input's rows with the verdict in columns of its own; with `fields`, just those. */
export function csvRows(fields: readonly string[] | null): RowRenderer {
  return fields === null ? inputAndVerdict() : chosenFields(fields);
}

function inputAndVerdict(): RowRenderer {
  let delimiter = ',';
  let width = 1;
  let encodeVerdict = verdictEncoder(delimiter);
  let placeInside: VerdictPlaces['place'] | null = null;
  return {
    begin: (layout) => {
      delimiter = layout.delimiter;
      encodeVerdict = verdictEncoder(delimiter);
      width = layout.columns.length;
      const { columns, follows, place } = placeVerdict(layout.columns, layout.hasHeader);
      placeInside = follows ? null : place;
      return layout.hasHeader ? `${encodeRow(columns, delimiter)}\n` : '';
    },
    rows: (rows, answers) => {
      let text = '';
      for (let index = 0; index < answers.length; index++) {
        const row = rows[index];
        const answer = answers[index];
        if (row === undefined || answer === undefined) continue;
        const { cells } = row;
        if (placeInside !== null) {
          text += `${encodeRow(placeInside(cells, verdictOf(answer)), delimiter)}\n`;
          continue;
        }
        const verdict = encodeVerdict(answer);
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

function verdictOf({ result }: BulkAnswer): string[] {
  const meant = 'did_you_mean' in result ? result.did_you_mean : null;
  const { status, confidence } = result;
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
  return ({ result }) => {
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
