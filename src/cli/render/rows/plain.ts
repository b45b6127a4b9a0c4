import { sanitise } from '../../terminal/sanitise.js';
import { cellText, pick } from './pick.js';
import type { RowRenderer } from './rows.js';

/** The bare addresses, or the fields asked for with tabs between them, one row a line. */
export function plainRows(fields: readonly string[] | null): RowRenderer {
  return {
    begin: () => '',
    rows: (_rows, answers) => {
      let text = '';
      for (const { result, duplicate, empty } of answers) {
        if (empty && fields === null) continue;
        if (fields === null) text += `${sanitise(result.email)}\n`;
        else text += `${fields.map((field) => oneCell(pick({ ...result, duplicate }, field))).join('\t')}\n`;
      }
      return text;
    },
    end: () => '',
  };
}

function oneCell(value: unknown): string {
  return sanitise(cellText(value)).replaceAll('\t', ' ');
}
