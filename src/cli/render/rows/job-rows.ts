import type { JobResults, RowVerdict } from '../../../model/job.js';
import { encodeRow } from '../../../rows/write/encode-row.js';
import { verdictCells, verdictColumns } from '../../../rows/write/verdict-columns.js';
import { createRecordWriter } from '../../../rows/write/write-record.js';
import { encodeResultObject, flatRow, type ResultRow } from '../../../wire/results-codec.js';
import type { Format } from '../../flags/output-flags.js';
import { sanitise } from '../../terminal/sanitise.js';
import { cellText, pickAll } from './pick.js';

/** A row of a job, with what stands in columns of ours beside the verdict's. */
export interface JobRow extends ResultRow {
  added?: Readonly<Record<string, string>>;
}

/** The rows of a job as text. */
export interface JobRenderer {
  begin(): string;
  row(row: JobRow, index: number): string;
  end(rows: number): string;
}

/** The renderer of a format, with `fields` of just those: CSV keeps every input column; a row that is not done has empty verdict cells, or null in JSON. */
export function openJobRenderer(
  format: Format,
  results: JobResults,
  fields: readonly string[] | null,
  added: readonly string[] = [],
): JobRenderer {
  if (fields !== null) return fieldsRenderer(format, fields, results.layout?.delimiter ?? ',');
  switch (format) {
    case 'json':
      return jsonArray((row) => encodeResultObject(row, results.columns, row.added));
    case 'ndjson':
      return {
        begin: () => '',
        row: (row) => `${encodeResultObject(row, results.columns, row.added)}\n`,
        end: () => '',
      };
    case 'plain':
      return { begin: () => '', row: ({ email }) => `${sanitise(email)}\n`, end: () => '' };
    case 'table':
      return {
        begin: () => '',
        row: ({ email, verdict }) => `${tableCells(verdict)}${sanitise(email)}\n`,
        end: () => '',
      };
    case 'csv':
      return csvRenderer(results, added);
  }
}

function fieldsRenderer(format: Format, fields: readonly string[], delimiter: string): JobRenderer {
  const picked = (row: JobRow) => pickAll({ ...flatRow(row), ...row.added }, fields);
  const cells = (row: JobRow): string[] => Object.values(picked(row)).map(cellText);
  switch (format) {
    case 'json':
      return jsonArray((row) => JSON.stringify(picked(row)));
    case 'ndjson':
      return { begin: () => '', row: (row) => `${JSON.stringify(picked(row))}\n`, end: () => '' };
    case 'csv':
      return {
        begin: () => `${encodeRow(fields, delimiter)}\n`,
        row: (row) => `${encodeRow(cells(row), delimiter)}\n`,
        end: () => '',
      };
    case 'plain':
    case 'table':
      return { begin: () => '', row: (row) => `${cells(row).map(sanitise).join('\t')}\n`, end: () => '' };
  }
}

function jsonArray(render: (row: JobRow) => string): JobRenderer {
  return {
    begin: () => '[',
    row: (row, index) => `${index === 0 ? '' : ','}\n${render(row)}`,
    end: (rows) => (rows === 0 ? ']\n' : '\n]\n'),
  };
}

function csvRenderer(
  { columns, layout = { hasHeader: true, delimiter: ',' } }: JobResults,
  added: readonly string[],
): JobRenderer {
  const writer = createRecordWriter({ columns, ...layout }, [...verdictColumns, ...added]);
  return {
    begin: writer.opening,
    row: (row) =>
      writer.record(row, () => [...verdictCells(row.verdict), ...added.map((name) => row.added?.[name] ?? '')]),
    end: () => '',
  };
}

function tableCells(verdict: RowVerdict | null): string {
  const status = sanitise(verdict?.status ?? '…').padEnd(9);
  return `${status}${sanitise(verdict?.sub_status ?? '').padEnd(28)}`;
}
