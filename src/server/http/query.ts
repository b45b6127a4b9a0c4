import { Failure } from '../../model/failure.js';

const isBroken = Symbol('broken');

/** Without anything that objects bring along. What `Object.create(null)` makes is several times slower to make and to read. */
class Parameters {
  [name: string | symbol]: unknown;
}
Object.setPrototypeOf(Parameters.prototype, null);
Reflect.deleteProperty(Parameters.prototype, 'constructor');

/**
 * The parameters of a query string; a repeated one becomes a list. A plus sign is a plus sign (RFC 3986 §3.4), since addresses hold
 * pluses and no good one holds a bare space, which forms write so.
 */
export function parseQuery(query: string): Record<string, unknown> {
  if (query === '') return {};
  const parameters = new Parameters();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decoded(pair.slice(equals + 1));
    if (name === null || value === null) {
      parameters[isBroken] = true;
      continue;
    }
    const before = parameters[name];
    if (before === undefined) parameters[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else parameters[name] = [before, value];
  }
  return parameters;
}

function decoded(part: string): string | null {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** The Failure for a query that could not be read. The parser itself must not throw: nobody catches there. */
export function queryFault(parameters: unknown): Failure | null {
  if (!isObject(parameters) || !(isBroken in parameters)) return null;
  return new Failure('usage', 'The query string is not properly escaped.', {
    hint: 'Write each special character as % and two hexadecimal digits, in UTF-8.',
  });
}

/** Turns the decimal digits of parameters that a schema calls integers into numbers, and leaves every other text as it is. */
export function readIntegers(schema: unknown, parameters: unknown): void {
  if (!isObject(schema) || !isObject(schema['properties']) || !isObject(parameters)) return;
  for (const [name, property] of Object.entries(schema['properties'])) {
    const value = parameters[name];
    if (!isObject(property) || property['type'] !== 'integer' || typeof value !== 'string') continue;
    if (/^\d{1,15}$/.test(value)) parameters[name] = Number(value);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
