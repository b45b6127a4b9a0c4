import type { Format } from '../../flags/output-flags.js';
import type { RowRenderer, RowStyle } from './rows.js';

/** The renderer of a format for many results; only that one is loaded. */
export async function openRowRenderer(format: Format, style: RowStyle): Promise<RowRenderer> {
  switch (format) {
    case 'ndjson':
      return (await import('./ndjson.js')).ndjsonRows(style.fields);
    case 'json':
      return (await import('./summary-json.js')).summaryRows(style.fields);
    case 'csv':
      return (await import('./csv.js')).csvRows(style.fields, style.raw);
    case 'plain':
      return (await import('./plain.js')).plainRows(style.fields);
    case 'table':
      return (await import('./table.js')).tableRows(style);
  }
}
