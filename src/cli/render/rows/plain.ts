import { sanitize } from '../../terminal/sanitize.js';
import { cellText, pick, type RowStyle, type RowWriter, textWriter } from './row-writer.js';

/** One address per line, or the requested fields separated by tabs. */
export function openWriter({ fields }: RowStyle): RowWriter {
  return textWriter({
    row: (_, { result, duplicate, empty, added }) => {
      if (fields === null) return empty ? '' : `${sanitize(result.email)}\n`;
      const cells = fields.map((field) => sanitize(cellText(pick({ ...result, duplicate, ...added }, field))));
      return `${cells.map((cell) => cell.replaceAll('\t', ' ')).join('\t')}\n`;
    },
  });
}
