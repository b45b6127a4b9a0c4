import { Failure } from '../../../model/failure.js';
import { nearestName } from '../../../model/nearest-name.js';
import type { Row } from '../../rows.js';
import { nameRank } from '../email-column.js';

const maxListedNames = 30;

/** Finds the address in the values of a JSON list: in the requested field, otherwise in the one whose name says that it is an address. */
export class EmailField {
  readonly #requested: string | undefined;
  /** The field where the first address was found. An object without it may have its address in another one. */
  #name: string | undefined;
  readonly #names = new Set<string>();
  #objects = 0;
  #strings = 0;
  #found = 0;

  constructor(requested?: string) {
    this.#requested = requested;
    this.#name = requested;
  }

  /** The field that addresses were found in; undefined if there was none yet. */
  get name(): string | undefined {
    return this.#name;
  }

  /** A string itself, or the address in an object; null if there is none. */
  recordAddress(value: unknown): string | null {
    if (typeof value === 'string') {
      this.#strings++;
      return value;
    }
    if (!isObject(value)) return null;
    this.#objects++;
    const field = this.#fieldOf(value);
    const text = field === undefined ? null : textOf(valueAt(value, field));
    if (text !== null) this.#found++;
    return text;
  }

  /** Throws if there were objects and none had an address, or none had the requested field. */
  assertFound(): void {
    // Strings among the objects are addresses too, but they do not make up for a requested field that is missing.
    if (this.#objects === 0 || this.#found > 0 || (this.#strings > 0 && this.#requested === undefined)) return;
    const names = [...this.#names];
    const listed = names.map((name) => JSON.stringify(name)).join(', ');
    const near = this.#requested === undefined ? null : nearestName(this.#requested, names);
    if (this.#requested !== undefined) {
      throw new Failure(
        'usage',
        `The JSON objects have no field ${JSON.stringify(this.#requested)} with a text in it.`,
        {
          hint: `${near === null ? '' : `Did you mean ${JSON.stringify(near)}? `}The fields are: ${listed}.`,
        },
      );
    }
    throw new Failure('bad_input', 'No field of the JSON objects looks like an email address.', {
      hint: `Name one with --column, or take addresses out with --input text. The fields are: ${listed}.`,
    });
  }

  #fieldOf(object: object): string | undefined {
    const names = Object.keys(object);
    if (this.#found === 0) {
      for (const name of names) if (this.#names.size < maxListedNames) this.#names.add(name);
      this.#name = this.#requested ?? bestNamed(names) ?? this.#name;
      return this.#name;
    }
    const isKnown = this.#requested !== undefined || valueAt(object, this.#name ?? '') !== undefined;
    return isKnown ? this.#name : bestNamed(names);
  }
}

/** The name that says most clearly that it is an address. */
function bestNamed(names: readonly string[]): string | undefined {
  return names.find((name) => nameRank(name) === 2) ?? names.find((name) => nameRank(name) === 1);
}

/** An address, or several in an array. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
  return isList ? value.join(', ') : null;
}

/** Converts the objects of a JSON list to cells of a table. */
export class JsonColumns {
  readonly columns: string[];
  readonly emailColumn: number;
  /** Fields without a column. */
  readonly #lateFields = new Set<string>();

  /** The columns are the fields of the objects in the sample, in order; a list of addresses alone has one column. */
  constructor(sample: readonly Row[], field: EmailField, lineColumn: string) {
    const emailName = field.name ?? lineColumn;
    const names = new Set(sample.flatMap(({ json }) => (json === undefined ? [] : Object.keys(JSON.parse(json)))));
    if (names.size === 0 || sample.some(({ json }) => json === undefined)) names.add(emailName);
    this.columns = [...names];
    this.emailColumn = Math.max(0, this.columns.indexOf(emailName));
  }

  /** Sets the cells of rows. */
  fill(rows: readonly Row[]): void {
    for (const row of rows) {
      const { json, email } = row;
      if (json === undefined) row.cells = this.columns.map((_, index) => (index === this.emailColumn ? email : ''));
      else {
        const object = JSON.parse(inexactNumber.test(json) ? markNumbers(json) : json) as object;
        row.cells = this.columns.map((name, index) => {
          const value = valueAt(object, name);
          return (index === this.emailColumn ? textOf(value) : null) ?? cellOf(value);
        });
        for (const name of Object.keys(object)) if (!this.columns.includes(name)) this.#lateFields.add(name);
      }
    }
  }

  /** Sentences about fields that occurred too late to have a column. */
  warnings(): string[] {
    const names = [...this.#lateFields].slice(0, 10).map((name) => JSON.stringify(name));
    return names.length === 0 ? [] : [`No column has ${names.join(', ')}, which came too late; NDJSON output has it.`];
  }
}

/** A number that JavaScript would write otherwise: a long id, `1.0`, `1e3`. */
const inexactNumber = /[\d.]{16}|\.\d*0(?!\d)|\de/i;

/** JSON with its numbers as texts between marks, so that parsing keeps them as they are written. */
function markNumbers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') ? token : `"\\u0001${token}\\u0001"`,
  );
}

/** A JSON value as the text of a cell. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value).replace(/"\\u0001([-\d.eE+]+)\\u0001"/g, '$1');
  return String(value).replace(/^\u0001([-\d.eE+]+)\u0001$/, '$1');
}

/** The value of an object's own field; undefined if there is none. */
function valueAt(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
