import { sanitize } from '../../terminal/sanitize.js';
import { cellText, pick } from './pick.js';
import type { RowRenderer } from './rows.js';

/** The bare addresses, or the fields asked for with tabs between them, one row a line. */
export function plainRows(fields: readonly string[] | null): RowRenderer {
  return {
    row: (_, { result, duplicate, empty }) => {
      if (fields === null) return empty ? '' : `${sanitize(result.email)}\n`;
      return `${fields.map((field) => oneCell(pick({ ...result, duplicate }, field))).join('\t')}\n`;
    },
  };
}

function oneCell(value: unknown): string {
  return sanitize(cellText(value)).replaceAll('\t', ' ');
}
