import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../async/caller.js';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { Failure } from '../../model/failure.js';
import { maxEmailsPerRequest } from '../../wire/routes.js';

/** Twice the depth of any accepted body. */
const deepest = 8;
/** Too short to do harm, however nested. */
const harmlessChars = 4_096;

/** Ten times what is accepted: bounds the time to parse empty arrays. */
const mostValues = 10 * maxEmailsPerRequest;

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
    const turn = text.length <= harmlessChars ? null : timeSlicesFor(shareOfBody(request)).maybeYield();
    if (turn === null) read();
    else void turn.then(read).catch(done);
  });
}

function shareOfBody({ caller, socket }: FastifyRequest): Caller {
  return { priority: 'bulk', owner: caller?.id ?? `from ${socket.remoteAddress}`, work: '' };
}

/** Scans a text before it is parsed; null if it is within the limits. */
export function faultIn(text: string): Failure | null {
  if (text.length <= harmlessChars) return null;
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
      if (++values > mostValues) return tooMany();
    } else if (sign === openList || sign === openObject) {
      if (++depth > deepest) return tooDeep();
    } else if (sign === closeList || sign === closeObject) depth--;
  }
  return null;
}

function tooDeep(): Failure {
  return new Failure('usage', 'The body is nested deeper than any request is.', { hint: 'See /openapi.json.' });
}

function tooMany(): Failure {
  return new Failure('bad_input', 'The body holds more than any request does.', {
    hint: `Send at most ${maxEmailsPerRequest.toLocaleString('en-US')} addresses at a time, or upload a file.`,
  });
}
