import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../async/caller.js';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { Failure } from '../../model/failure.js';
import { maxEmailsPerRequest } from '../../wire/routes.js';

/** Twice the depth of any accepted body. */
const maxDepth = 8;
/** Too short to do harm, however nested. */
const maxUncheckedChars = 4_096;

/** Ten times what is accepted: bounds the time to parse empty arrays. */
const maxValues = 10 * maxEmailsPerRequest;

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [...'"\\,[]{}'].map((sign) =>
  sign.charCodeAt(0),
);

/** A JSON parser with limits on nesting and size. Large bodies are parsed one at a time. */
export function registerJsonParser(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'ignore');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    const read = (): void => {
      const fault = faultIn(text);
      if (fault === null) parse(request, text, done);
      else done(fault);
    };
    // Many bodies may have arrived in one turn: yield to small requests.
    const turn = text.length <= maxUncheckedChars ? null : timeSlicesFor(callerOfBody(request)).maybeYield();
    if (turn === null) read();
    else void turn.then(read).catch(done);
  });
}

function callerOfBody({ caller, socket }: FastifyRequest): Caller {
  return { priority: 'bulk', owner: caller?.id ?? `from ${socket.remoteAddress}`, work: '' };
}

/** Scans a text before it is parsed; null if it is within the limits. */
export function faultIn(text: string): Failure | null {
  if (text.length <= maxUncheckedChars) return null;
  let depth = 0;
  let values = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (isText) {
      if (sign === backslash) at++;
      else if (sign === quote) isText = false;
    } else if (sign === quote) isText = true;
    else if (sign === comma) {
      if (++values > maxValues) return tooMany();
    } else if (sign === openList || sign === openObject) {
      if (++depth > maxDepth) return tooDeep();
    } else if (sign === closeList || sign === closeObject) depth--;
  }
  return null;
}

function tooDeep(): Failure {
  return new Failure('usage', 'The body is nested too deeply.', { hint: 'See /openapi.json.' });
}

function tooMany(): Failure {
  return new Failure('bad_input', 'The body holds too many values.', {
    hint: `Send at most ${maxEmailsPerRequest.toLocaleString('en-US')} addresses at a time, or upload a file.`,
  });
}

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
