import { sanitise } from '../../terminal/sanitise.js';
import { cellText, pick } from './pick.js';
import type { RowRenderer } from './rows.js';

/** The bare addresses, or the fields asked for with tabs between them, one row a line. */
export function plainRows(fields: readonly string[] | null): RowRenderer {
  return {
    row: (_, { result, duplicate, empty }) => {
      if (fields === null) return empty ? '' : `${sanitise(result.email)}\n`;
      return `${fields.map((field) => oneCell(pick({ ...result, duplicate }, field))).join('\t')}\n`;
    },
  };
}

function oneCell(value: unknown): string {
  return sanitise(cellText(value)).replaceAll('\t', ' ');
}
