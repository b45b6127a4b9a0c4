import { Failure } from '../model/failure.js';

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

/** A boolean, also from "true"/"false" and 1/0; `fallback` if there is none. */
export function asFlag(value: unknown, what: string, fallback = false): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null || value === undefined) return fallback;
  if (value === 1 || value === 'true' || value === 'True') return true;
  if (value === 0 || value === 'false' || value === 'False') return false;
  throw wrongType(what, 'true or false');
}

/** A finite number, also from its decimal text; `fallback` if there is none. */
export function asNumber(value: unknown, what: string, fallback = 0): number {
  if (value === null || value === undefined || value === '') return fallback;
  const number = numberIn(value);
  if (number === null) throw wrongType(what, 'a number');
  return number;
}

/** A finite number or its decimal text, else null. */
export function numberIn(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^\s*[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** A text, also from a number; `fallback` if there is none. */
export function asText(value: unknown, what: string, fallback = ''): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return fallback;
  if (typeof value === 'number') return String(value);
  throw wrongType(what, 'a string');
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
