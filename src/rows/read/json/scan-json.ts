import { formatAmount } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import { jsonOnOneLine } from '../../../model/json-text.js';
import type { Row } from '../../rows.js';
import { type RowScanner, truncatedWarnings } from '../read-rows.js';
import { LineSplitter, lineRow } from '../scan-lines.js';
import type { EmailField } from './email-field.js';

const defaultMaxElementChars = 1024 * 1024;
const maxDepth = 64;

/** The row of a JSON value; an object keeps its text. A number, a boolean or an array is a Failure that names the place. */
function rowOf(value: unknown, text: string, field: EmailField, line: number, place: () => string): Row {
  const email = field.recordAddress(value);
  if (typeof value === 'string') return lineRow(value, line);
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongValue(place(), value);
  // Exports have gaps: null, and an object without the field, is a row without an address.
  const row = lineRow(email ?? '', line);
  return value === null ? row : { ...row, json: jsonOnOneLine(text) };
}

/** Scans one JSON value per line. A line that is not JSON is a row with that text. */
export function createNdjsonScanner(field: EmailField, maxChars = defaultMaxElementChars): RowScanner {
  const splitter = new LineSplitter(maxChars);
  let invalid = 0;
  let skipped = 0;
  let number = 0;
  const toRow = (line: string): Row => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      invalid++;
      return lineRow(line, number);
    }
    return rowOf(value, line, field, number, () => `Line ${number} of the NDJSON`);
  };
  const toRows = (lines: string[]): Row[] => {
    const rows: Row[] = [];
    for (const line of lines) {
      number++;
      const text = line.trim();
      if (text === '') skipped++;
      else rows.push(toRow(text));
    }
    return rows;
  };
  return {
    push: (text) => toRows(splitter.push(text)),
    end: () => toRows(splitter.end()),
    skippedLines: () => skipped,
    warnings: () => [...invalidWarnings(invalid), ...truncatedWarnings(splitter.truncatedLines)],
  };
}

function invalidWarnings(count: number): string[] {
  if (count === 0) return [];
  const stand = count === 1 ? 'it stands' : 'they stand';
  return [`${formatAmount(count, 'line is', 'lines are')} not JSON, judged as ${stand}.`];
}

/** What may come next outside of an element. `outer`: the rest of the objects around the array. */
type State = 'array' | 'value or end' | 'value' | 'comma or end' | 'outer' | 'end';

const noElement = -1;

/** Scans a JSON array element by element, and holds one of them at most. Malformed JSON is a Failure that says where. */
export class JsonArrayScanner implements RowScanner {
  readonly #field: EmailField;
  readonly #maxChars: number;
  #state: State = 'array';
  /** How many objects around the array are not closed yet. */
  #outerDepth: number;
  #text = '';
  /** The position of `#text` in the input. */
  #offset = 0;
  /** Where the current element starts in `#text`. */
  #start = noElement;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #elements = 0;

  /** `outerDepth` is the number of objects that the array is nested in; the rest of them is ignored. */
  constructor(field: EmailField, outerDepth = 0, maxChars = defaultMaxElementChars) {
    this.#field = field;
    this.#outerDepth = outerDepth;
    this.#maxChars = maxChars;
  }

  push(piece: string): Row[] {
    const rows: Row[] = [];
    const carried = this.#start === noElement ? '' : this.#text.slice(this.#start);
    this.#offset += this.#text.length - carried.length;
    if (this.#start !== noElement) this.#start = 0;
    this.#text = carried + piece;
    for (let index = carried.length; index < this.#text.length; index++) this.#step(index, rows);
    if (this.#start !== noElement && this.#text.length - this.#start > this.#maxChars) {
      this.#elements++;
      throw this.#tooLong();
    }
    return rows;
  }

  end(): Row[] {
    if (this.#state !== 'end') throw this.#malformed('it ends before the array does', this.#text.length);
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
      if (this.#isEscaped) this.#isEscaped = false;
      else if (char === '\\') this.#isEscaped = true;
      else if (char === '"') {
        this.#inString = false;
        if (this.#depth === 0 && this.#start !== noElement) this.#finish(at + 1, rows);
      }
      return;
    }
    const isBlank = char === ' ' || char === '\n' || char === '\r' || char === '\t';
    // A number, true, false or null ends before the next blank, comma or bracket.
    const endsElement = isBlank || char === ',' || char === ']' || char === '}';
    if (this.#start !== noElement && this.#depth === 0 && endsElement) this.#finish(at, rows);
    if (isBlank) return;
    if (this.#start === noElement) {
      this.#readBetweenElements(char, at);
      if (this.#start === noElement) return;
    }
    if (char === '"') this.#inString = true;
    else if (char === '{' || char === '[') {
      if (++this.#depth > maxDepth) throw this.#malformed(`the values are nested more than ${maxDepth} deep`, at);
    } else if ((char === '}' || char === ']') && --this.#depth === 0) this.#finish(at + 1, rows);
  }

  /** Reads a character outside of every element. */
  #readBetweenElements(char: string, at: number): void {
    switch (this.#state) {
      case 'outer':
        this.#skipOuter(char);
        return;
      case 'array':
        if (char !== '[') throw char === '{' ? noListFailure() : this.#malformed('an array must start with [', at);
        this.#state = 'value or end';
        return;
      case 'comma or end':
        if (char === ',') this.#state = 'value';
        else if (char === ']') this.#state = this.#outerDepth > 0 ? 'outer' : 'end';
        else throw this.#malformed('a comma or ] is missing', at);
        return;
      case 'end':
        throw this.#malformed('something follows the end of the array', at);
      default:
        if (char === ']' && this.#state === 'value or end') this.#state = this.#outerDepth > 0 ? 'outer' : 'end';
        else if (char === ',' || char === ']' || char === '}') throw this.#malformed('a value is missing', at);
        else this.#start = at;
    }
  }

  #skipOuter(char: string): void {
    if (char === '"') this.#inString = true;
    else if (char === '{' || char === '[') this.#outerDepth++;
    else if (char === '}' || char === ']') this.#outerDepth--;
    if (this.#outerDepth === 0) this.#state = 'end';
  }

  #finish(end: number, rows: Row[]): void {
    const text = this.#text.slice(this.#start, end);
    this.#elements++;
    if (text.length > this.#maxChars) throw this.#tooLong();
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (thrown) {
      const failure = this.#malformed(`element ${this.#elements} of the array is not a JSON value`, this.#start);
      failure.cause = thrown;
      throw failure;
    }
    const number = this.#elements;
    rows.push(rowOf(value, text, this.#field, number, () => `Element ${this.#elements} of the JSON array`));
    this.#start = noElement;
    this.#state = 'comma or end';
  }

  #malformed(what: string, at: number): Failure {
    return new Failure('bad_input', `The JSON is malformed at character ${this.#offset + at + 1}: ${what}.`, {
      hint: 'Give an array of strings or of objects. For one value per line, use --input ndjson.',
    });
  }

  #tooLong(): Failure {
    return this.#malformed(
      `element ${this.#elements} of the array is longer than ${this.#maxChars} characters`,
      this.#start,
    );
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
