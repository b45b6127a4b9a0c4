import type { TextSource } from './decode/open-text.js';
import { EmailField, JsonColumns } from './json/json-fields.js';
import { createNdjsonScanner, findNestedList, JsonArrayScanner } from './json/scan-json.js';
import { ListStatsCollector } from './list-stats.js';
import { countRows, listSource, type RowBudget, type RowScanner, readRows } from './read-rows.js';
import { createLineScanner, createTextScanner, keepLines, textUnfolding } from './scan-lines.js';

/** The column of a list without columns. */
export const lineColumn = 'email';

/** Reads text as a list without columns: lines, or any text with addresses in it. */
export function openLines(text: TextSource, format: 'lines' | 'text', budget?: RowBudget) {
  const isText = format === 'text';
  const scanner = isText
    ? createTextScanner(text.charset, textUnfolding(text.sample) ?? keepLines)
    : createLineScanner(text.charset);
  const collector = new ListStatsCollector();
  const counted = countRows(scanner, budget, (rows) => {
    for (const row of rows) {
      row.email = collector.addCell(row.email, row.line ?? 0, row.email);
      collector.addRow(row.email, row.line ?? 0);
    }
  });
  const place = isText ? 'the text' : 'the list';
  const source = listSource(text, counted, collector, { columns: [lineColumn], place, budget });
  const isPlain = (): boolean => !isText && source.skippedLines() === 0 && collector.stats.empty === 0;
  return {
    ...source,
    format,
    emailColumn: 0,
    emailColumns: [0],
    summarize: () => (isPlain() ? null : source.summarize()),
  };
}

function openScanner(text: TextSource, format: 'json' | 'ndjson', field: EmailField) {
  const nested = format === 'json' && /^\s*\{/.test(text.sample) ? findNestedList(text.sample) : null;
  const scanner = format === 'json' ? new JsonArrayScanner(field, nested !== null) : createNdjsonScanner(field);
  return { scanner, nested };
}

/** Reads text as JSON: an array, an object with one in it, or a value on each line. */
export function openJson(
  encoded: TextSource,
  format: 'json' | 'ndjson',
  { column, budget }: { column?: string | undefined; budget?: RowBudget | undefined } = {},
) {
  const text = encoded.decoded();
  const field = new EmailField(column);
  const { scanner, nested } = openScanner(text, format, field);
  // The sample has the names of the columns.
  const sample = scanner.push(text.sample.slice(nested?.at ?? 0));
  if (text.isComplete) sample.push(...scanner.end());
  field.assertFound();
  const collector = new ListStatsCollector();
  const table = new JsonColumns(sample, field, lineColumn);
  const { columns, emailColumn } = table;
  const rest: RowScanner = {
    push: (piece) => [...sample.splice(0), ...scanner.push(piece)],
    end: () => [...sample.splice(0), ...(text.isComplete ? [] : scanner.end())],
    skippedLines: () => scanner.skippedLines(),
    warnings: () => scanner.warnings(),
  };
  const counted = countRows(rest, budget, (rows) => {
    table.fill(rows);
    for (const row of rows) {
      const { line = 0, cells } = row;
      row.email = collector.addCell(row.email, line, cells[emailColumn] ?? '');
      collector.addRow(row.email, line);
    }
  });
  const place = `the field ${JSON.stringify(columns[emailColumn])}`;
  const source = listSource(text, counted, collector, { columns, place, budget, start: text.sample.length });
  const isTable = (): boolean => columns.length > 1 || collector.stats.empty > 0 || source.skippedLines() > 0;
  const hints = nested === null ? [] : [`The list in "${nested.path}" was read, and nothing else of the JSON.`];
  return {
    ...source,
    format,
    emailColumn,
    emailColumns: [emailColumn],
    summarize: () => (isTable() ? source.summarize() : null),
    notes: () => [...hints, ...source.notes()],
    columnWarnings: () => table.warnings(),
  };
}

/** The raw text of each object of a JSON list, whatever its fields. */
export async function* readJsonObjects(encoded: TextSource): AsyncGenerator<string> {
  const text = encoded.decoded();
  const { scanner, nested } = openScanner(text, 'json', new EmailField());
  const { push, end } = { push: (piece: string) => scanner.push(piece), end: () => scanner.end() };
  for await (const rows of readRows(text, { push, end }, nested?.at ?? 0))
    for (const { json } of rows) if (json !== undefined) yield json;
}
