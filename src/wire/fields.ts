import { Failure } from '../model/failure.js';
import type { TypeOf } from '../model/schema.js';
import type { Schema } from './schema.js';

/** An object of a foreign response, before it is decoded. */
export type Fields = Record<string, unknown>;

/** The value as an object; otherwise throws the Failure `bad_answer`, which names `what`. */
export function asFields(value: unknown, what: string): Fields {
  if (isFields(value)) return value;
  throw wrongType(what, 'an object');
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What tolerant reading needs of a schema. */
interface ReadableSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly items?: ReadableSchema;
  readonly properties?: Readonly<Record<string, ReadableSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: ReadableSchema | boolean;
}

const expectations = { boolean: 'true or false', integer: 'a number', number: 'a number', array: 'a list' } as const;
const defaults = { boolean: false, integer: 0, number: 0, string: '' } as const;

/**
 * A value of a foreign answer as its schema says. What is missing has a default, and unknown fields stay. Optional
 * fields are our additions, which count only in our form. Throws the Failure `bad_answer` for anything else.
 */
export function read<S extends Schema>(schema: S, value: unknown, name: string): TypeOf<S> {
  return readValue(schema, value, name) as TypeOf<S>;
}

function readValue(schema: ReadableSchema, value: unknown, name: string): unknown {
  const { type = '', properties, required = [], items } = schema;
  if (properties !== undefined) {
    const section = { ...(value == null ? {} : asFields(value, name)) };
    for (const [field, inner] of Object.entries(properties)) {
      if (required.includes(field)) section[field] = readValue(inner, section[field], `${name}.${field}`);
      else if (field in section && !Object.is(coerce(inner, section[field]), section[field])) delete section[field];
    }
    return section;
  }
  if (items !== undefined && Array.isArray(value)) return value.map((item) => readValue(items, item, name));
  const kind = typeof type === 'string' ? type : (type[0] ?? '');
  if (value == null || (value === '' && kind !== 'string')) {
    if (type.includes('null')) return null;
    if (kind in defaults) return defaults[kind as keyof typeof defaults];
  }
  const found = coerce(schema, value);
  if (found === undefined) throw wrongType(name, expectations[kind as keyof typeof expectations] ?? 'a string');
  return found;
}

const flags = new Map<unknown, boolean>([
  ...[true, 1, 'true', 'True'].map((value) => [value, true] as const),
  ...[false, 0, 'false', 'False'].map((value) => [value, false] as const),
]);

/** A value as its schema says; flags and numbers also from text, times also from numbers. Undefined for anything else. */
export function coerce(schema: ReadableSchema, value: unknown): unknown {
  const { type = '', format, items, additionalProperties: inner } = schema;
  if (value === null) return type.includes('null') ? null : undefined;
  if (type.includes('boolean')) return flags.get(value);
  if (type.includes('integer') || type.includes('number')) return numberIn(value) ?? undefined;
  if (format === 'date-time') return timeIn(value);
  if (type.includes('string'))
    return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined;
  const isInForm = (one: unknown): boolean => Object.is(coerce(items ?? (inner as ReadableSchema), one), one);
  if (items !== undefined) return Array.isArray(value) && value.every(isInForm) ? value : undefined;
  return isFields(value) && (typeof inner !== 'object' || Object.values(value).every(isInForm)) ? value : undefined;
}

/** A finite number or its decimal text, else null. */
export function numberIn(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^\s*[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** ISO 8601, also from Unix seconds or milliseconds. */
function timeIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || !(value > 0)) return undefined;
  const date = new Date(value < 1e11 ? value * 1_000 : value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** A non-empty text, also from a number; else null. */
export function textIn(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** Makes `--json` print the foreign object unchanged, with `ours` on top, if `view` left something out. */
export function showRaw<View extends object>(view: View, raw: Fields, ours: Fields): View {
  Object.defineProperty(view, 'toJSON', { value: () => ({ ...raw, ...ours }), enumerable: false });
  return view;
}

/** The Failure for a field of the wrong type. */
export function wrongType(what: string, expected: string): Failure {
  return new Failure('bad_answer', `The service sent an invalid answer: ${what} is not ${expected}.`, {
    hint: 'Check that the base URL points at a service with this API.',
  });
}

/** Far deeper than any response, and shallow enough for recursion. */
const maxDepth = 32;

/**
 * Parses foreign JSON: bounded in depth, and without keys that could reach a prototype. Throws the Failure
 * `bad_answer`.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    // The parser's message quotes the text, which may contain addresses.
    throw new Failure('bad_answer', 'The service sent an answer that is not JSON.', {
      hint: 'Check that the base URL points at the service, and not at a web page or a proxy.',
    });
  }
  dropUnsafeKeys(value);
  return value;
}

function dropUnsafeKeys(root: unknown): void {
  let level: object[] = isObject(root) ? [root] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new Failure('bad_answer', 'The service sent an answer that is nested too deeply.');
    const next: object[] = [];
    for (const node of level) {
      if (Array.isArray(node)) {
        for (const child of node) if (isObject(child)) next.push(child);
        continue;
      }
      if (Object.hasOwn(node, '__proto__')) Reflect.deleteProperty(node, '__proto__');
      // All keys are own keys of a parsed object; `for in` avoids an array.
      for (const key in node) {
        const child: unknown = node[key as keyof typeof node];
        if (isObject(child)) next.push(child);
      }
    }
    level = next;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
