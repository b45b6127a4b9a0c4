import { amount } from '../../../model/amount.js';
import type { Row } from '../../rows.js';
import type { EmailField } from './email-field.js';

/** Gives the objects of a JSON list the cells of a table. */
interface JsonColumns {
  columns: string[];
  emailColumn: number;
  /** Fills in the cells of rows. */
  fill(rows: readonly Row[]): void;
  /** Fields that came too late to have a column. */
  warnings(): string[];
}

/** The columns are the fields of the objects in the sample, in order; a list of addresses alone has the one column. */
export function jsonColumns(sample: readonly Row[], field: EmailField, lineColumn: string): JsonColumns {
  const names = new Set<string>();
  for (const { json } of sample)
    if (json !== undefined) for (const name of Object.keys(fieldsOf(json))) names.add(name);
  if (names.size === 0 || sample.some(({ json }) => json === undefined)) names.add(field.name() ?? lineColumn);
  const columns = [...names];
  const emailColumn = Math.max(0, columns.indexOf(field.name() ?? lineColumn));
  const late = new Map<string, number>();
  return {
    columns,
    emailColumn,
    fill: (rows) => {
      for (const row of rows) {
        const { json, email } = row;
        if (json === undefined) {
          row.cells = columns.map((_, index) => (index === emailColumn ? email : ''));
          continue;
        }
        const fields = fieldsOf(json);
        const exact = fragileNumber.test(json) ? fieldsOf(quoteNumbers(json)) : fields;
        row.cells = columns.map((name) => {
          const value = fields[name];
          if (!Object.hasOwn(fields, name)) return '';
          return typeof value === 'number' ? String(exact[name]) : cellOf(value);
        });
        for (const name of Object.keys(fields)) if (!names.has(name)) late.set(name, (late.get(name) ?? 0) + 1);
      }
    },
    warnings: () => [...late].slice(0, 10).map(([name, count]) => lateNote(name, count)),
  };
}

function lateNote(name: string, count: number): string {
  return `The field ${JSON.stringify(name)} (${amount(count, 'row')}) came too late for a column of its own; NDJSON output keeps it.`;
}

/** A number that JavaScript would write otherwise: an id too long for it, `1.0`, `1e3`. */
const fragileNumber = /[\d.]{16}|\.\d*0(?!\d)|\de/i;

function quoteNumbers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (token.startsWith('"') ? token : `"${token}"`));
}

function fieldsOf(json: string): Record<string, unknown> {
  return JSON.parse(json) as Record<string, unknown>;
}

/** A value of JSON as the text of a cell. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
