import type { Corrections, InputFormat, Row, RowSource } from '../rows.js';
import type { BookFormat } from './book/open-book.js';
import type { TextSource } from './decode/open-text.js';
import { EmailField } from './json/email-field.js';
import { findNestedList } from './json/find-nested-list.js';
import { JsonColumns } from './json/json-columns.js';
import { createNdjsonScanner, JsonArrayScanner } from './json/scan-json.js';
import { ListStatsCollector } from './list-stats.js';
import { type RowBudget, RowReader, type RowScanner } from './row-reader.js';
import { createLineScanner, createTextScanner } from './scan-lines.js';
import { mailText, textKind } from './text-kinds.js';

/** The column of a list without columns. */
export const lineColumn = 'email';

/** The start of a summary that `bulk` wrote. */
const summaryStart = '{"results":[\n';

/** Reads text as a list without columns: lines, JSON, NDJSON, or any text with addresses in it. */
export function openList(
  text: TextSource,
  format: Exclude<InputFormat, 'csv' | BookFormat>,
  { column, budget, isSampled }: { column?: string; budget?: RowBudget; isSampled?: boolean } = {},
) {
  const field = new EmailField(column);
  const nested = format === 'json' && /^\s*\{/.test(text.sample) ? findNestedList(text.sample) : null;
  const kind = format === 'lines' || format === 'text' ? textKind(text.sample) : null;
  const scanners: Partial<Record<InputFormat, () => RowScanner>> = {
    lines: () => createLineScanner(),
    json: () => new JsonArrayScanner(field, nested?.depth ?? 0),
    ndjson: () => createNdjsonScanner(field),
  };
  const layout = format === 'mail' ? mailText : { unfold: kind?.unfold ?? (() => null) };
  const createOther = (): RowScanner => createTextScanner(layout);
  const scanner = (scanners[format] ?? createOther)();
  const reader = new RowReader(text, scanner, nested?.at ?? 0);
  const isJson = format === 'json' || format === 'ndjson';
  const sample = isJson ? reader.takeSample() : [];
  field.assertFound();
  const collector = new ListStatsCollector(isJson && column === undefined ? '--input text' : null, { isSampled });
  const table = isJson ? new JsonColumns(sample, field, lineColumn) : null;
  const columns = table?.columns ?? [lineColumn];
  const emailColumn = table?.emailColumn ?? 0;
  const toRows = createRowCounter(table, collector);
  const source = reader.source(toRows, { sample, ...(budget !== undefined && { budget }) });
  const hints: string[] = [];
  if (nested !== null) hints.push(`The list in "${nested.path}" was read, and nothing else of the JSON.`);
  if (kind !== null && format === 'lines') {
    hints.push(`The list looks like ${kind.name}; --input text takes the addresses out of it.`);
  }
  const isSummary = text.sample.startsWith(summaryStart);
  const json: RowSource['json'] = nested === null ? 'array' : isSummary ? 'summary' : { path: nested.path };
  return {
    ...source,
    format,
    ...(format === 'json' && { json }),
    columns,
    emailColumn,
    emailColumns: [emailColumn],
    hasHeader: false,
    delimiter: ',',
    stats: () => collector.stats,
    skippedLines: () => scanner.skippedLines(),
    summarize: () => {
      if (scanners[format] === undefined) return collector.summarize('the text', columns);
      const skipped = scanner.skippedLines();
      if (format === 'lines')
        return skipped === 0 && collector.stats.empty === 0
          ? null
          : collector.summarize('the list', columns, { skippedLines: skipped });
      const isTable = columns.length > 1 || collector.stats.empty > 0 || skipped > 0;
      return isTable
        ? collector.summarize(`the field ${JSON.stringify(columns[emailColumn])}`, columns, { skippedLines: skipped })
        : null;
    },
    // The hint about the kind of text covers what the notes would say.
    notes: (results?: Corrections) => [
      ...hints,
      ...source.notes(),
      ...(kind === null ? collector.notes(columns, results) : []),
    ],
    warnings: () => [...source.warnings(), ...(format === 'lines' ? collector.lineWarnings() : [])],
    columnWarnings: () => table?.warnings() ?? [],
  };
}

/** Fills in the cells of JSON rows, and counts all rows. */
function createRowCounter(table: JsonColumns | null, collector: ListStatsCollector): (rows: Row[]) => Row[] {
  let number = 0;
  if (table === null) {
    return (rows) => {
      for (const row of rows) {
        number += row.lineStep ?? 1;
        row.email = collector.addLine(row.email, number);
        collector.deferTo(row, number);
      }
      return rows;
    };
  }
  return (rows) => {
    table.fill(rows);
    for (const row of rows) {
      number += row.lineStep ?? 1;
      row.email = collector.addCell(row.email, number, row.cells[table.emailColumn] ?? '');
      collector.addRow(row.email, number);
      collector.deferTo(row, number);
    }
    return rows;
  };
}

/** The raw text of each object of a JSON list, whatever its fields. */
export async function* readJsonObjects(text: TextSource): AsyncGenerator<string> {
  const nested = findNestedList(text.sample);
  const scanner = new JsonArrayScanner(new EmailField(), nested?.depth);
  const { chunks } = new RowReader(text, scanner, nested?.at).source((rows) => rows);
  for await (const rows of chunks) for (const { json } of rows) if (json !== undefined) yield json;
}
