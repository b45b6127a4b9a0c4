import { placeVerdict, verdictCells } from '../../csv/verdict-cells.js';
import { encodeRow } from '../../csv/write-rows.js';
import type { JobResults, RowVerdict } from '../../model/job.js';
import type { Format } from '../output-flags.js';
import { sanitise } from '../sanitise.js';

interface ResultRow {
  cells: readonly string[];
  email: string;
  verdict: RowVerdict | null;
}

/** The rows of a job as text. */
export interface JobRenderer {
  begin(): string;
  row(row: ResultRow, index: number): string;
  end(rows: number): string;
}

/** The renderer of a format: CSV keeps every input column; a row that is not done has empty verdict cells, or null in JSON. */
export function openJobRenderer(format: Format, results: JobResults): JobRenderer {
  switch (format) {
    case 'json':
      return {
        begin: () => '[',
        row: (row, index) => `${index === 0 ? '' : ','}\n${toJson(row, results.columns)}`,
        end: (rows) => (rows === 0 ? ']\n' : '\n]\n'),
      };
    case 'ndjson':
      return { begin: () => '', row: (row) => `${toJson(row, results.columns)}\n`, end: () => '' };
    case 'plain':
      return { begin: () => '', row: ({ email }) => `${sanitise(email)}\n`, end: () => '' };
    case 'table':
      return {
        begin: () => '',
        row: ({ email, verdict }) => `${tableCells(verdict)}${sanitise(email)}\n`,
        end: () => '',
      };
    case 'csv':
      return csvRenderer(results);
  }
}

function csvRenderer({ columns, layout }: JobResults): JobRenderer {
  const { hasHeader, delimiter } = layout ?? { hasHeader: true, delimiter: ',' };
  const places = placeVerdict(columns, hasHeader);
  const write = (cells: readonly string[]): string => `${encodeRow(cells, delimiter)}\n`;
  return {
    begin: () => (hasHeader ? write(places.columns) : ''),
    row: ({ cells, verdict }) => write(places.place(cells, verdictCells(verdict))),
    end: () => '',
  };
}

function toJson({ cells, email, verdict }: ResultRow, columns: readonly string[]): string {
  // Pairs, so that a column named __proto__ is a column.
  const input = Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']));
  const judged = verdict ?? {
    status: null,
    sub_status: null,
    confidence: null,
    safe_to_send: null,
    did_you_mean: null,
  };
  return JSON.stringify({ email, ...judged, input });
}

function tableCells(verdict: RowVerdict | null): string {
  const status = sanitise(verdict?.status ?? '…').padEnd(9);
  return `${status}${sanitise(verdict?.sub_status ?? '').padEnd(28)}`;
}
