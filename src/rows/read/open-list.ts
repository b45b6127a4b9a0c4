import type { InputFormat, Row } from '../rows.js';
import type { TextSource } from './decode/open-text.js';
import { textKind } from './find-addresses.js';
import { createEmailField } from './json/email-field.js';
import { findInnerList } from './json/find-inner-list.js';
import { jsonColumns } from './json/json-columns.js';
import { createJsonScanner, createNdjsonScanner } from './json/scan-json.js';
import { openAccount } from './list-account.js';
import { pumpRows } from './pump-rows.js';
import { createLineScanner, createTextScanner } from './scan-lines.js';

/** What the addresses of a list without columns stand under. */
export const lineColumn = 'email';

/** Reads text as a list without columns: lines, JSON, NDJSON, or any text with addresses in it. */
export function openList(text: TextSource, format: Exclude<InputFormat, 'csv'>, column?: string) {
  const field = createEmailField(column);
  const inner = format === 'json' && /^\s*\{/.test(text.sample) ? findInnerList(text.sample) : null;
  const kind = format === 'lines' || format === 'text' ? textKind(text.sample) : null;
  const scanner = {
    lines: () => createLineScanner(),
    text: () => createTextScanner(kind?.join),
    json: () => createJsonScanner(field, inner?.depth ?? 0),
    ndjson: () => createNdjsonScanner(field),
  }[format]();
  const pump = pumpRows(text, scanner, inner?.at ?? 0);
  const isJson = format === 'json' || format === 'ndjson';
  const sample = isJson ? pump.takeSample() : [];
  field.assertFound();
  const account = openAccount(isJson ? '--input text' : '--split-cells');
  const table = isJson ? jsonColumns(sample, field, lineColumn) : null;
  const columns = table?.columns ?? [lineColumn];
  const emailColumn = table?.emailColumn ?? 0;
  let number = 0;
  const toRows = (rows: Row[]): Row[] => {
    table?.fill(rows);
    if (table === null) for (const { email } of rows) account.countLine(email, ++number);
    else {
      for (const row of rows) {
        number++;
        const { json, email, cells } = row;
        if (json !== undefined) row.email = account.filled(email, number, cells[emailColumn] ?? '');
        account.count(row.email, number);
      }
    }
    return rows;
  };
  const source = pump.source(toRows, toRows(sample));
  const said: string[] = [];
  if (inner !== null) said.push(`The list in "${inner.path}" was read, and nothing else of the JSON.`);
  if (kind !== null && format === 'lines') {
    said.push(`The list looks like ${kind.name}; --input text takes the addresses out of it.`);
  }
  return {
    ...source,
    format,
    columns,
    emailColumn,
    emailColumns: [emailColumn],
    hasHeader: false,
    delimiter: ',',
    figures: () => account.figures,
    passedOver: scanner.passedOver,
    account: () => {
      if (format === 'text') return account.sentence('the text', columns);
      const passed = scanner.passedOver();
      if (format === 'lines') return passed === 0 ? null : account.sentence('the list', columns, passed);
      const isTable = columns.length > 1 || account.figures.empty > 0 || passed > 0;
      return isTable ? account.sentence(`the field ${JSON.stringify(columns[emailColumn])}`, columns, passed) : null;
    },
    // What a text looks like says already what to do about it.
    notes: () => [...said, ...source.notes(), ...(kind === null ? account.notes(columns) : [])],
    columnWarnings: () => table?.warnings() ?? [],
  };
}

/** The objects of a JSON list just as they stand, whatever their fields, and however it is laid out. */
export async function* jsonObjectsIn(text: TextSource): AsyncGenerator<string> {
  const inner = findInnerList(text.sample);
  const scanner = createJsonScanner(createEmailField(undefined), inner?.depth);
  const { chunks } = pumpRows(text, scanner, inner?.at).source((rows) => rows);
  for await (const rows of chunks) for (const { json } of rows) if (json !== undefined) yield json;
}
