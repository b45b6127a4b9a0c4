import type { Row } from '../rows.js';
import type { TextSource } from './decode/open-text.js';
import { EmailField } from './json/email-field.js';
import { findNestedList } from './json/find-nested-list.js';
import { JsonColumns } from './json/json-columns.js';
import { createNdjsonScanner, JsonArrayScanner } from './json/scan-json.js';
import { charsetNotes, ListStatsCollector } from './list-stats.js';
import { type RowBudget, type RowScanner, readRows, takeRows } from './read-rows.js';
import { createLineScanner, createTextScanner } from './scan-lines.js';
import { keepLines, textUnfolding } from './text-kinds.js';

/** The column of a list without columns. */
export const lineColumn = 'email';

/** Reads text as a list without columns: lines, or any text with addresses in it. */
export function openLines(text: TextSource, format: 'lines' | 'text', budget?: RowBudget) {
  const { charset } = text;
  const scanner =
    format === 'lines'
      ? createLineScanner(charset)
      : createTextScanner(charset, textUnfolding(text.sample) ?? keepLines);
  const collector = new ListStatsCollector();
  const columns = [lineColumn];
  const toRows = (found: Row[]): Row[] => {
    const rows = takeRows(found, budget);
    for (const row of rows) row.email = collector.addLine(row.email, row.line ?? 0);
    return rows;
  };
  return {
    ...listSource(text, scanner, toRows, { budget }),
    format,
    columns,
    emailColumn: 0,
    emailColumns: [0],
    stats: () => collector.stats,
    summarize: () => {
      if (format === 'text') return collector.summarize('the text', columns);
      const skipped = scanner.skippedLines();
      const isPlain = skipped === 0 && collector.stats.empty === 0;
      return isPlain ? null : collector.summarize('the list', columns, skipped);
    },
    notes: () => [...charsetNotes(charset), ...collector.notes(columns)],
    warnings: () => [
      ...text.warnings,
      ...scanner.warnings(),
      ...collector.warnings(),
      ...(format === 'lines' ? collector.lineWarnings() : []),
    ],
  };
}

/** Reads text as JSON: an array, an object with one in it, or a value on each line. */
export function openJson(
  encoded: TextSource,
  format: 'json' | 'ndjson',
  { column, budget }: { column?: string; budget?: RowBudget } = {},
) {
  const text = encoded.decoded();
  const field = new EmailField(column);
  const nested = format === 'json' && /^\s*\{/.test(text.sample) ? findNestedList(text.sample) : null;
  const start = nested?.at ?? 0;
  const scanner: RowScanner =
    format === 'json' ? new JsonArrayScanner(field, nested?.depth ?? 0) : createNdjsonScanner(field);
  const sample = scanner.push(text.sample.slice(start));
  if (text.isComplete) sample.push(...scanner.end());
  field.assertFound();
  const collector = new ListStatsCollector();
  const table = new JsonColumns(sample, field, lineColumn);
  const { columns, emailColumn } = table;
  const toRows = (found: Row[]): Row[] => {
    const rows = takeRows(found, budget);
    table.fill(rows);
    for (const row of rows) {
      const { line = 0, cells } = row;
      row.email = collector.addCell(row.email, line, cells[emailColumn] ?? '');
      collector.addRow(row.email, line);
    }
    return rows;
  };
  const hints = nested === null ? [] : [`The list in "${nested.path}" was read, and nothing else of the JSON.`];
  return {
    ...listSource(text, scanner, toRows, { budget, sample }),
    format,
    columns,
    emailColumn,
    emailColumns: [emailColumn],
    stats: () => collector.stats,
    summarize: () => {
      const skipped = scanner.skippedLines();
      const isTable = columns.length > 1 || collector.stats.empty > 0 || skipped > 0;
      return isTable
        ? collector.summarize(`the field ${JSON.stringify(columns[emailColumn])}`, columns, skipped)
        : null;
    },
    notes: () => [...hints, ...collector.notes(columns)],
    warnings: () => [...text.warnings, ...scanner.warnings(), ...collector.warnings()],
    columnWarnings: () => table.warnings(),
  };
}

/** What the sources of lines and of JSON have in common. With a sample, the text after it is read. */
function listSource(
  text: TextSource,
  scanner: RowScanner,
  toRows: (found: Row[]) => Row[],
  { budget, sample }: { budget?: RowBudget | undefined; sample?: Row[] },
) {
  const { totalBytes, bytesRead, isComplete, close } = text;
  const push = (piece: string): Row[] => toRows(scanner.push(piece));
  const end = (): Row[] => (sample !== undefined && isComplete ? [] : toRows(scanner.end()));
  // Emptied, so that a slow reader does not hold the sample in memory.
  const rest = sample !== undefined && { start: text.sample.length, first: () => toRows(sample.splice(0)) };
  return {
    hasHeader: false,
    delimiter: ',',
    totalBytes,
    bytesRead,
    chunks: readRows(text, { push, end }, { budget, ...rest }),
    skippedLines: () => scanner.skippedLines(),
    close,
  };
}

/** The raw text of each object of a JSON list, whatever its fields. */
export async function* readJsonObjects(encoded: TextSource): AsyncGenerator<string> {
  const text = encoded.decoded();
  const nested = findNestedList(text.sample);
  const scanner = new JsonArrayScanner(new EmailField(), nested?.depth);
  for await (const rows of readRows(
    text,
    { push: (piece) => scanner.push(piece), end: () => scanner.end() },
    { start: nested?.at ?? 0 },
  )) {
    for (const { json } of rows) if (json !== undefined) yield json;
  }
}
