import { Failure } from '../../../model/failure.js';
import type { Row } from '../../rows.js';
import type { RowScanner } from '../pump-rows.js';
import { createLineSplitter, singleCell } from '../scan-lines.js';
import type { EmailField } from './email-field.js';

const maxElementChars = 1024 * 1024;
const maxDepth = 64;

/** What a JSON value is as a row; an object is kept as it stood. */
function rowOf(value: unknown, raw: string, field: EmailField): Row {
  const email = field.of(value);
  if (typeof value === 'string') return singleCell(value);
  // An export has holes: null, and an object without the field, has no address.
  const row = singleCell(email ?? '');
  return typeof value === 'object' && value !== null ? { ...row, json: raw } : row;
}

/** One JSON value per line. A line that is no JSON is a row all the same, to be judged as it stands. */
export function createNdjsonScanner(field: EmailField, maxChars = maxElementChars): RowScanner {
  const splitter = createLineSplitter(maxChars);
  let broken = 0;
  let values = 0;
  const toRow = (line: string): Row => {
    values++;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      broken++;
      return singleCell(line);
    }
    if (Array.isArray(value)) throw neither(`Line ${values} of the NDJSON`, value);
    return rowOf(value, line, field);
  };
  let passedOver = 0;
  const toRows = (lines: string[]): Row[] => {
    const filled = lines.map((line) => line.trim()).filter((line) => line !== '');
    passedOver += lines.length - filled.length;
    return filled.map(toRow);
  };
  return {
    push: (text) => toRows(splitter.push(text)),
    end: () => toRows(splitter.end()),
    passedOver: () => passedOver,
    cut: splitter.cut,
    broken: () => broken,
  };
}

type Expect = 'array' | 'value or end' | 'value' | 'comma or end' | 'nothing';

/**
 * A JSON array, element by element, without holding more than one of them. Malformed JSON is a Failure that says where. `within` is how
 * many objects the array lies in, whose rest is passed over.
 */
export function createJsonScanner(field: EmailField, within = 0, maxChars = maxElementChars): RowScanner {
  let open = within;
  let text = '';
  let offset = 0;
  let elements = 0;
  let expect: Expect = 'array';
  let start = -1;
  let depth = 0;
  let inString = false;
  let escaped = false;

  const broken = (what: string, at: number): Failure =>
    new Failure('bad_input', `The JSON is malformed at character ${offset + at + 1}: ${what}.`, {
      hint: 'Give an array of strings or of objects. Where it is one value per line, use --input ndjson.',
    });

  const tooLong = (): Failure =>
    broken(`element ${elements} of the array is longer than ${maxChars} characters`, start);

  const finish = (end: number, rows: Row[]): void => {
    const raw = text.slice(start, end);
    elements++;
    if (raw.length > maxChars) throw tooLong();
    let value: unknown;
    try {
      value = JSON.parse(raw);
    } catch (thrown) {
      const failure = broken(`element ${elements} of the array is not a JSON value`, start);
      failure.cause = thrown;
      throw failure;
    }
    if (typeof value !== 'string' && (typeof value !== 'object' || Array.isArray(value)))
      throw neither(`Element ${elements} of the JSON array`, value);
    rows.push(rowOf(value, raw, field));
    start = -1;
    expect = 'comma or end';
  };

  /** What follows the array within the objects that it lies in. */
  const passOver = (char: string): void => {
    if (char === '"') inString = true;
    else if (char === '{' || char === '[') open++;
    else if (char === '}' || char === ']') open--;
  };

  /** What a character outside of every element may be. */
  const between = (char: string, at: number): void => {
    if (expect === 'nothing' && open > 0) {
      passOver(char);
      return;
    }
    if (expect === 'array') {
      if (char !== '[') throw char === '{' ? notAnArray() : broken('an array must start with [', at);
      expect = 'value or end';
    } else if (char === ']' && (expect === 'value or end' || expect === 'comma or end')) {
      expect = 'nothing';
    } else if (char === ',' && expect === 'comma or end') {
      expect = 'value';
    } else if (expect === 'nothing') {
      throw broken('something follows the end of the array', at);
    } else if (expect === 'comma or end') {
      throw broken('a comma or ] is missing', at);
    } else if (char === ',' || char === ']' || char === '}') {
      throw broken('a value is missing', at);
    } else {
      start = at;
    }
  };

  const step = (at: number, rows: Row[]): void => {
    const char = text.charAt(at);
    if (inString) {
      if (escaped) escaped = false;
      else if (char === '\\') escaped = true;
      else if (char === '"') {
        inString = false;
        if (depth === 0 && start !== -1) finish(at + 1, rows);
      }
      return;
    }
    const blank = char === ' ' || char === '\n' || char === '\r' || char === '\t';
    // A number, true, false or null ends where something else begins.
    if (start !== -1 && depth === 0 && (blank || char === ',' || char === ']')) finish(at, rows);
    if (blank) return;
    if (start === -1) {
      between(char, at);
      if (start === -1) return;
    }
    if (char === '"') inString = true;
    else if (char === '{' || char === '[') {
      if (++depth > maxDepth) throw broken(`the values are nested more than ${maxDepth} deep`, at);
    } else if ((char === '}' || char === ']') && --depth === 0) finish(at + 1, rows);
  };

  return {
    push(piece) {
      const rows: Row[] = [];
      const from = start === -1 ? 0 : text.length - start;
      const kept = start === -1 ? '' : text.slice(start);
      offset += text.length - kept.length;
      if (start !== -1) start = 0;
      text = kept + piece;
      for (let at = from; at < text.length; at++) step(at, rows);
      if (start !== -1 && text.length - start > maxChars) {
        elements++;
        throw tooLong();
      }
      return rows;
    },
    end() {
      if (expect !== 'nothing' || open > 0) throw broken('it ends before the array does', text.length);
      return [];
    },
    passedOver: () => 0,
  };
}

function neither(place: string, value: unknown): Failure {
  const what = Array.isArray(value) ? 'an array' : typeof value === 'number' ? 'a number' : String(value);
  return new Failure('bad_input', `${place} is ${what}; it must be a string or an object.`, {
    hint: 'Give an array of addresses, or of objects with a field for the address.',
  });
}

function notAnArray(): Failure {
  return new Failure('bad_input', 'The JSON is one object, and no list of addresses was found in it.', {
    hint: 'Give an array of strings or of objects, an object with such an array in it, or one object per line (NDJSON).',
  });
}
