import { Failure } from '../../model/failure.js';

const isBroken = Symbol('broken');

/** Without inherited properties. `Object.create(null)` is several times slower. */
class Parameters {
  [name: string | symbol]: unknown;
}
Object.setPrototypeOf(Parameters.prototype, null);
Reflect.deleteProperty(Parameters.prototype, 'constructor');

/**
 * Parses a query string; a repeated parameter becomes a list. A plus sign stays a plus sign (RFC 3986 §3.4), since
 * addresses hold it.
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

/** The Failure for an unreadable query. The parser must not throw: Fastify does not catch there. */
export function queryFault(parameters: unknown): Failure | null {
  if (!isObject(parameters) || !(isBroken in parameters)) return null;
  return new Failure('usage', 'The query string is not properly escaped.', {
    hint: 'Write each special character as % and two hexadecimal digits, in UTF-8.',
  });
}

/** Converts the digits of integer parameters to numbers and leaves other text as it is. */
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
