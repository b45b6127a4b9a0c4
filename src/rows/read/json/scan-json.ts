import { formatAmount } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import { jsonOnOneLine } from '../../../model/json-text.js';
import type { Row } from '../../rows.js';
import { containsAddress } from '../find-addresses.js';
import type { RowScanner } from '../read-rows.js';
import { LineSplitter, lineRow, scanByLine } from '../scan-lines.js';
import type { EmailField } from './json-fields.js';

const maxElementChars = 1024 * 1024;
const maxDepth = 64;

/** The row of a JSON value; an object keeps its text. A number, a boolean or an array is a Failure that names the place. */
function rowOf(value: unknown, text: string, field: EmailField, line: number, place: (line: number) => string): Row {
  const email = field.recordAddress(value);
  if (typeof value === 'string') return lineRow(value, line);
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongValue(place(line), value);
  // Exports have gaps: null, and an object without the field, is a row without an address.
  const row = lineRow(email ?? '', line);
  return value === null ? row : { ...row, json: jsonOnOneLine(text) };
}

/** Scans one JSON value per line. A line that is not JSON is a row with that text. */
export function createNdjsonScanner(field: EmailField): RowScanner {
  let invalid = 0;
  const scanner = scanByLine(new LineSplitter(maxElementChars), (line, number) => {
    const text = line.trim();
    if (text === '') return null;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      invalid++;
      return [lineRow(text, number)];
    }
    return [rowOf(value, text, field, number, (line) => `Line ${line} of the NDJSON`)];
  });
  const invalidLines = (): string[] =>
    invalid === 0 ? [] : [`${formatAmount(invalid, 'line is', 'lines are')} not JSON, judged as text.`];
  return { ...scanner, warnings: () => [...invalidLines(), ...scanner.warnings()] };
}

/** Scans a JSON array element by element, and holds one of them at most. Malformed JSON is a Failure that says where. */
export class JsonArrayScanner implements RowScanner {
  /** The current element, and what was read behind it. */
  #text = '';
  /** The position of `#text` in the input. */
  #offset = 0;
  /** Where the current element starts in `#text`, and where scanning continues. */
  #start = 0;
  #next = 0;
  /** 0 before the array, 1 between its elements. */
  #depth = 0;
  #inString = false;
  #hasEnded = false;
  #elements = 0;

  /** `isNested`: what follows the array belongs to objects around it, and is ignored. */
  constructor(
    private readonly field: EmailField,
    private readonly isNested = false,
  ) {}

  push(piece: string): Row[] {
    const rows: Row[] = [];
    this.#offset += this.#start;
    this.#next -= this.#start;
    this.#text = this.#text.slice(this.#start) + piece;
    this.#start = 0;
    const mark = /["\\[\]{},]/g;
    for (mark.lastIndex = this.#next; !this.#hasEnded; mark.lastIndex = this.#next) {
      const at = mark.exec(this.#text)?.index;
      if (at === undefined) break;
      this.#next = at + 1;
      this.#step(at, rows);
    }
    this.#next = Math.max(this.#next, this.#text.length);
    if (this.#hasEnded) this.#skipRest();
    else if (this.#text.length - this.#start > maxElementChars) throw this.#tooLong(this.#elements + 1);
    return rows;
  }

  end(): Row[] {
    if (!this.#hasEnded) throw this.#malformed('it ends before the array does', this.#text.length);
    return [];
  }

  skippedLines(): number {
    return 0;
  }

  warnings(): string[] {
    return [];
  }

  #step(at: number, rows: Row[]): void {
    const char = this.#text.charAt(at);
    if (this.#inString) {
      // The next character is escaped.
      if (char === '\\') this.#next++;
      else if (char === '"') this.#inString = false;
    } else if (this.#depth === 0) this.#openArray(char, at);
    else if (char === '"') this.#inString = true;
    else if (char === '[' || char === '{') {
      if (++this.#depth > maxDepth + 1) throw this.#malformed(`the values are nested more than ${maxDepth} deep`, at);
    } else if (this.#depth > 1) this.#depth -= char === ']' || char === '}' ? 1 : 0;
    else if (char === ']') {
      this.#hasEnded = true;
      if (this.#elements > 0 || this.#text.slice(this.#start, at).trim() !== '') this.#finish(at, rows);
      else this.#start = at + 1;
    } else this.#finish(char === ',' ? at : at + 1, rows);
  }

  #openArray(char: string, at: number): void {
    if (char === '{') throw noListFailure();
    if (char !== '[' || this.#text.slice(0, at).trim() !== '') throw this.#malformed('an array must start with [', at);
    this.#depth = 1;
    this.#start = at + 1;
  }

  #finish(end: number, rows: Row[]): void {
    this.#elements++;
    const untrimmed = this.#text.slice(this.#start, end);
    const text = untrimmed.trim();
    if (text === '') throw this.#malformed('a value is missing', end);
    if (text.length > maxElementChars) throw this.#tooLong(this.#elements);
    this.#start += untrimmed.length - untrimmed.trimStart().length;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (thrown) {
      const failure = this.#malformed(`element ${this.#elements} of the array is not a JSON value`, this.#start);
      failure.cause = thrown;
      throw failure;
    }
    rows.push(rowOf(value, text, this.field, this.#elements, (line) => `Element ${line} of the JSON array`));
    this.#start = end + 1;
  }

  /** After the array. */
  #skipRest(): void {
    const rest = this.#text.slice(this.#start);
    const at = this.isNested ? -1 : rest.search(/\S/);
    if (at !== -1) throw this.#malformed('something follows the end of the array', this.#start + at);
    this.#start = this.#text.length;
  }

  #malformed(what: string, at: number): Failure {
    return new Failure('bad_input', `The JSON is malformed at character ${this.#offset + at + 1}: ${what}.`, {
      hint: 'Give an array of strings or of objects. For one value per line, use --input ndjson.',
    });
  }

  #tooLong(number: number): Failure {
    return this.#malformed(`element ${number} of the array is longer than ${maxElementChars} characters`, this.#start);
  }
}

function wrongValue(place: string, value: unknown): Failure {
  const what = Array.isArray(value) ? 'an array' : typeof value === 'number' ? 'a number' : String(value);
  return new Failure('bad_input', `${place} is ${what}; it must be a string or an object.`, {
    hint: 'Give an array of addresses, or of objects with a field for the address.',
  });
}

function noListFailure(): Failure {
  return new Failure('bad_input', 'The JSON is one object, and no list of addresses was found in it.', {
    hint: 'Give an array of strings or of objects, an object with such an array in it, or one object per line (NDJSON).',
  });
}

/** The first array within objects that has an address in it, and where it starts; null if the sample has none. */
export function findNestedList(sample: string): { path: string; at: number } | null {
  const names: string[] = [];
  let name = '';
  let found: { path: string; at: number } | null = null;
  let depth = 0;
  for (const { 0: token, index } of sample.matchAll(/"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|[{}[\]]/g)) {
    if (token.startsWith('"')) {
      if (found !== null && containsAddress(token.slice(1, -1))) return found;
      name = token.slice(1, -1);
    } else if (token === '[') {
      if (depth++ === 0) found = { path: [...names.slice(1), name].join('.'), at: index };
    } else if (token === ']') {
      if (--depth === 0) found = null;
    } else if (depth === 0) {
      if (token === '{') names.push(name);
      else names.pop();
    }
  }
  return null;
}
