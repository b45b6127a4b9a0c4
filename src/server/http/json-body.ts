import type { FastifyInstance } from 'fastify';
import { Failure } from '../../model/failure.js';

/** Twice as deep as anything that is asked for. */
const deepest = 8;
/** However it is nested, so little does no harm; nearly all bodies are shorter. */
const harmlessChars = 4_096;

const [quote, backslash, openList, closeList, openObject, closeObject] = ['"', '\\', '[', ']', '{', '}'].map((sign) =>
  sign.charCodeAt(0),
);

/** Reads JSON as the framework does, but nothing that is nested too deep. */
export function offerJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'ignore');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (isTooDeep(String(body))) done(tooDeep());
    else parse(request, String(body), done);
  });
}

/** True for brackets within brackets without end: two megabytes of them keep the collector of memory, and so everybody, busy for seconds. */
export function isTooDeep(text: string): boolean {
  if (text.length <= harmlessChars) return false;
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (isText) {
      if (sign === backslash) at++;
      else if (sign === quote) isText = false;
    } else if (sign === quote) isText = true;
    else if (sign === openList || sign === openObject) {
      if (++depth > deepest) return true;
    } else if (sign === closeList || sign === closeObject) depth--;
  }
  return false;
}

function tooDeep(): Failure {
  return new Failure('usage', 'The body is nested deeper than any request is.', { hint: 'See /openapi.json.' });
}
