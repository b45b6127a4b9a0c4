import { formatAmount } from '../../../model/amount.js';
import type { Row } from '../../rows.js';
import { findField, nestedFields } from '../../table/nested-fields.js';
import type { EmailField } from './email-field.js';

/** Converts the objects of a JSON list to cells of a table. */
export class JsonColumns {
  readonly columns: string[];
  readonly emailColumn: number;
  readonly #names: ReadonlySet<string>;
  /** Fields without a column, and in how many rows. */
  readonly #fieldsWithoutColumn = new Map<string, number>();

  /** The address is in a nested object, so every field of nested objects has a column. */
  readonly #isNested: boolean;

  /** The columns are the fields of the objects in the sample, in order; a list of addresses alone has one column. */
  constructor(sample: readonly Row[], field: EmailField, lineColumn: string) {
    const emailName = field.name ?? lineColumn;
    const objects = sample.flatMap(({ json }) => (json === undefined ? [] : [fieldsOf(json)]));
    this.#isNested = !objects.some((object) => Object.hasOwn(object, emailName)) && emailName.includes('.');
    const names = new Set(objects.flatMap((object) => this.#namesIn(object)));
    if (names.size === 0 || sample.some(({ json }) => json === undefined)) names.add(emailName);
    this.#names = names;
    this.columns = [...names];
    this.emailColumn = Math.max(0, this.columns.indexOf(emailName));
  }

  /** Sets the cells of rows. */
  fill(rows: readonly Row[]): void {
    for (const row of rows) {
      const { json, email } = row;
      if (json === undefined) row.cells = this.columns.map((_, index) => (index === this.emailColumn ? email : ''));
      else this.#fillObject(row, json);
    }
  }

  #fillObject(row: Row, json: string): void {
    const fields = fieldsOf(json);
    const exact = inexactNumber.test(json) ? fieldsOf(markNumbers(json)) : fields;
    row.cells = this.columns.map((name) => cellOf(findField(exact, name)?.value));
    for (const name of this.#namesIn(fields))
      if (!this.#names.has(name)) this.#fieldsWithoutColumn.set(name, (this.#fieldsWithoutColumn.get(name) ?? 0) + 1);
  }

  #namesIn(object: Record<string, unknown>): string[] {
    if (!this.#isNested) return Object.keys(object);
    // Without its object, a row has no value for the columns of its fields.
    return [...nestedFields(object)].flatMap(([path, value]) => (value === null ? [] : [path]));
  }

  /** Sentences about fields that occurred too late to have a column. */
  warnings(): string[] {
    return [...this.#fieldsWithoutColumn].slice(0, 10).map(([name, count]) => lateFieldNote(name, count));
  }
}

function lateFieldNote(name: string, count: number): string {
  return `The field ${JSON.stringify(name)} (${formatAmount(count, 'row')}) came too late for a column of its own; NDJSON output keeps it.`;
}

/** A number that JavaScript would write otherwise: a long id, `1.0`, `1e3`. */
const inexactNumber = /[\d.]{16}|\.\d*0(?!\d)|\de/i;

/** JSON with its numbers as texts between marks, so that parsing keeps them as they are written. */
function markNumbers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') ? token : `"\\u0001${token}\\u0001"`,
  );
}

function fieldsOf(json: string): Record<string, unknown> {
  return JSON.parse(json) as Record<string, unknown>;
}

/** A JSON value as the text of a cell. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value).replace(/"\\u0001([-\d.eE+]+)\\u0001"/g, '$1');
  return String(value).replace(/^\u0001([-\d.eE+]+)\u0001$/, '$1');
}
