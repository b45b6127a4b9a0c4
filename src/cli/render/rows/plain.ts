import { sanitize } from '../../terminal/sanitize.js';
import { cellText, pick, type RowStyle, type RowWriter, textWriter } from './row-writer.js';

/** One address per line, or the requested fields separated by tabs. */
export function openWriter({ fields }: RowStyle): RowWriter {
  return textWriter({
    row: (_, { result, duplicate, empty }) => {
      if (fields === null) return empty ? '' : `${sanitize(result.email)}\n`;
      return `${fields.map((field) => oneCell(pick({ ...result, duplicate }, field))).join('\t')}\n`;
    },
  });
}

function oneCell(value: unknown): string {
  return sanitize(cellText(value)).replaceAll('\t', ' ');
}
