import { isUtf8 } from 'node:buffer';
import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../async/caller.js';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { Failure } from '../../model/failure.js';
import { maxEmailsPerRequest } from '../../wire/api.js';

/** Twice the depth of any accepted body. */
const maxDepth = 8;
/** Shorter texts are parsed fast, however nested. */
const maxUncheckedChars = 4_096;

/** Ten times what is accepted: bounds the time to parse empty arrays. */
const maxValues = 10 * maxEmailsPerRequest;

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [...'"\\,[]{}'].map((sign) =>
  sign.charCodeAt(0),
);

/** A JSON parser with limits on nesting and size. Large bodies are parsed one at a time. */
export function registerJsonParser(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'ignore');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const unreadable = bodyFault(request, body as Buffer);
    if (unreadable !== null) {
      done(unreadable);
      return;
    }
    const text = String(body);
    const read = (): void => {
      const fault = findJsonFault(text);
      if (fault === null) parse(request, text, done);
      else done(fault);
    };
    // Many bodies may have arrived in one turn: yield to small requests.
    const turn = text.length <= maxUncheckedChars ? null : timeSlicesFor(callerOfBody(request)).maybeYield();
    if (turn === null) read();
    else void turn.then(read).catch(done);
  });
}

/** A compressed body, or bytes that are not UTF-8 (RFC 8259 §8.1), which would be read as other characters. */
function bodyFault({ headers }: FastifyRequest, body: Buffer): Failure | null {
  const { 'content-encoding': coding = 'identity' } = headers;
  if (coding.trim().toLowerCase() !== 'identity') {
    return new Failure('unsupported', 'This path does not accept a Content-Encoding.', {
      hint: 'Send the body uncompressed.',
    });
  }
  return isUtf8(body) ? null : new Failure('usage', 'The body is not UTF-8.', { hint: 'Send JSON in UTF-8.' });
}

function callerOfBody({ caller, socket }: FastifyRequest): Caller {
  return { priority: 'bulk', owner: caller?.id ?? `from ${socket.remoteAddress}`, taskId: '' };
}

/** Scans a text before it is parsed: a Failure above the limits, else null. */
export function findJsonFault(text: string): Failure | null {
  if (text.length <= maxUncheckedChars) return null;
  let depth = 0;
  let values = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === backslash) index++;
      else if (code === quote) isInString = false;
    } else if (code === quote) isInString = true;
    else if (code === comma) {
      if (++values > maxValues) return tooManyValues();
    } else if (code === openList || code === openObject) {
      if (++depth > maxDepth) return nestedTooDeep();
    } else if (code === closeList || code === closeObject) depth--;
  }
  return null;
}

function nestedTooDeep(): Failure {
  return new Failure('usage', 'The body is nested too deeply.', { hint: 'See /openapi.json.' });
}

function tooManyValues(): Failure {
  return new Failure('bad_input', 'The body contains too many values.', {
    hint: `Send at most ${maxEmailsPerRequest.toLocaleString('en-US')} addresses at a time, or upload a file.`,
  });
}

const isMalformed = Symbol('malformed');

/**
 * Parses a query string; a repeated parameter becomes a list. A plus sign stays a plus sign (RFC 3986 §3.4), since
 * addresses contain it.
 */
export function parseQuery(query: string): Record<string, unknown> {
  let hasFailed = false;
  const decode = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      hasFailed = true;
      return '';
    }
  };
  const options = { decodeURIComponent: decode, maxKeys: 0 };
  const parameters = parse(query.replaceAll('+', '%2B'), '&', '=', options);
  return hasFailed ? Object.assign(parameters, { [isMalformed]: true }) : parameters;
}

/** The Failure for an unreadable query. The parser must not throw: Fastify does not catch there. */
export function queryFault(parameters: unknown): Failure | null {
  if (!isObject(parameters) || !(isMalformed in parameters)) return null;
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
