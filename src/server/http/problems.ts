import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { asFailure, Failure, type FailureCode } from '../../model/failure.js';
import { listFormats } from '../../wire/api.js';
import { encodeProblem, httpStatusOf } from '../../wire/problem.js';

/** Codes whose messages describe this machine (paths, resolver, bugs). Callers get these messages instead. */
const publicMessages: Partial<Record<FailureCode, string>> = {
  internal: 'Something went wrong inside the service.',
  storage: 'The service cannot use its store right now.',
  network: 'The service cannot reach the network right now.',
  remote_error: 'A service that this one depends on has failed.',
  bad_answer: 'A service that this one depends on has failed.',
  billed_perhaps: 'A service that this one depends on has failed.',
  interrupted: 'The service is stopping.',
  locked: 'The service is busy with its store right now.',
};

/** Hints for callers of the API, instead of hints for the command line. */
const apiHints: Partial<Record<FailureCode, string>> = {
  not_found: 'GET /api/v1/bulk/jobs lists the jobs of this key.',
  no_credits: 'Validate fewer addresses, or ask the operator for more. GET /api/v1/credits shows the balance.',
  key_refused: 'Ask the operator for a key.',
  bad_input: `The file must have a column of email addresses, as ${listFormats}.`,
};
/** Hints for users of the pages. */
const pageHints: Partial<Record<FailureCode, string>> = {
  not_found: 'The Lists page shows your lists.',
  no_credits: 'Check fewer addresses, or ask the operator for more. The menu with your name shows the balance.',
};
const mentionsCli = /\bmailvet [a-z]|--[a-z]|MAILVET_/;

const contentTypeHint = 'Send JSON with the header Content-Type: application/json, or a file as multipart/form-data.';
const jsonHint = 'Send a JSON object; /openapi.json describes the body of each path.';

const fastifyErrors: Record<string, [FailureCode, string, hint?: string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported',
    'This path does not accept the Content-Type of the body.',
    contentTypeHint,
  ],
  FST_INVALID_MULTIPART_CONTENT_TYPE: ['unsupported', 'The body must be multipart/form-data.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['too_large', 'The body is too large.'],
  FST_REQ_FILE_TOO_LARGE: ['too_large', 'The file is too large.'],
  FST_PARTS_LIMIT: ['too_large', 'The form has too many parts.'],
  FST_FILES_LIMIT: ['too_large', 'The form has too many files.'],
  FST_FIELDS_LIMIT: ['too_large', 'The form has too many fields.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['usage', 'The body is empty, although its Content-Type says JSON.', jsonHint],
  FST_ERR_CTP_INVALID_JSON_BODY: ['usage', 'The body is not JSON.', jsonHint],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['usage', 'The body is not as long as its Content-Length says.'],
  FST_ERR_BAD_URL: ['usage', 'The path is not properly escaped.'],
};

/** Converts anything thrown by a handler to a Failure. */
export function failureOf(thrown: unknown): Failure {
  if (isMissingModule(thrown)) return programReplaced(thrown);
  if (thrown instanceof Failure) return thrown;
  const error = thrown as Partial<FastifyError> | null;
  if (error?.validation !== undefined) return invalidRequest(error);
  const description = fastifyErrors[error?.code ?? ''];
  if (description !== undefined) {
    const [code, message, hint] = description;
    return new Failure(code, message, { cause: thrown, ...(hint !== undefined && { hint }) });
  }
  if (error?.statusCode === 400) return new Failure('usage', 'The request cannot be read.', { cause: thrown });
  if (error?.code === 'ECONNRESET' || error?.code === 'ERR_STREAM_PREMATURE_CLOSE') {
    return new Failure('usage', 'The request ended before it was complete.', { cause: thrown });
  }
  return asFailure(thrown);
}

/** A part that is loaded at its first use, and that an update of the installation has removed. */
export function isMissingModule(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { code } = thrown as NodeJS.ErrnoException;
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND' || isMissingModule(thrown.cause);
}

function programReplaced(cause: unknown): Failure {
  return new Failure('unavailable', 'The program was replaced while this server was running.', {
    cause,
    hint: 'Ask the operator to restart the server, then reload the page or send the request again.',
  });
}

/** Names the field and never its value, which may be an address. */
function invalidRequest({ validation, validationContext }: Partial<FastifyError>): Failure {
  const [first] = validation ?? [];
  const kind = validationContext === 'querystring' ? 'parameter' : 'field';
  const params: Record<string, unknown> = first?.params ?? {};
  if (first?.keyword === 'required') {
    return new Failure('bad_input', `The ${kind} ${String(params['missingProperty'])} is missing.`);
  }
  const path = first?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  if (path === '') return new Failure('bad_input', 'The body must be a JSON object.', { hint: jsonHint });
  // A repeated query parameter is a list.
  const once = first?.keyword === 'type' && kind === 'parameter' ? ', given once' : '';
  return new Failure(
    'bad_input',
    `The ${kind} ${path} ${describeRule(first?.keyword, params, first?.message)}${once}.`,
  );
}

function describeRule(
  keyword: string | undefined,
  params: Record<string, unknown>,
  message: string | undefined,
): string {
  switch (keyword) {
    case 'type':
      return `must be ${[params['type']].flat().map(nameOfType).join(' or ')}`;
    case 'maxItems':
      return `must not contain more than ${Number(params['limit']).toLocaleString('en-US')} items`;
    case 'maxLength':
      return `must not be longer than ${String(params['limit'])} characters`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
    default:
      return message ?? 'is not valid';
  }
}

function nameOfType(type: unknown): string {
  const names: Record<string, string> = { string: 'a string', integer: 'a whole number', array: 'a list' };
  return names[String(type)] ?? String(type);
}

export function sendProblem(reply: FastifyReply, failure: Failure, status = httpStatusOf(failure.code)): FastifyReply {
  const { code, hint } = failure;
  const message = publicMessages[code];
  const publicFailure =
    message !== undefined
      ? new Failure(code, message, hintFor(code, hint))
      : hint !== null && mentionsCli.test(hint)
        ? new Failure(code, failure.message, publicHint(code, reply.request))
        : failure;
  const retryAfter = failure.retryAfterSeconds ?? (status === 503 || code === 'locked' ? 5 : null);
  if (retryAfter !== null) reply.header('retry-after', String(retryAfter));
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(encodeProblem(publicFailure)));
}

function publicHint(code: FailureCode, { session, routeOptions }: FastifyRequest): { hint?: string } {
  const isPage = session != null || routeOptions.config.isWeb === true;
  const hint = isPage ? (pageHints[code] ?? apiHints[code]) : (apiHints[code] ?? 'See /openapi.json.');
  return hint === undefined ? {} : { hint };
}

function hintFor(code: FailureCode, hint: string | null): { hint?: string } {
  if (code === 'internal') return { hint: 'Report the X-Request-Id of this response to the operator.' };
  return code === 'interrupted' || hint === null ? {} : { hint: 'Try again later.' };
}

export function sendNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendProblem(
    reply,
    new Failure('not_found', 'There is no such path.', {
      hint: 'Check the base URL: the interface is under /api/v1. See /openapi.json.',
    }),
  );
}
