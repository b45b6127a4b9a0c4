import { exitStatuses, Failure, type FailureCode } from '../model/failure.js';

/** The HTTP status of each Failure code. */
export const httpStatuses: Record<FailureCode, number> = {
  usage: 400,
  bad_input: 422,
  too_large: 413,
  unsupported: 415,
  key_missing: 401,
  key_refused: 401,
  forbidden: 403,
  no_credits: 402,
  network: 503,
  remote_error: 500,
  bad_answer: 500,
  rate_limited: 429,
  unavailable: 503,
  billed_perhaps: 500,
  not_found: 404,
  storage: 503,
  conflict: 409,
  locked: 409,
  internal: 500,
  interrupted: 503,
};

/** The code for a status whose body has none. */
const codesByStatus: Record<number, FailureCode> = {
  400: 'bad_input',
  401: 'key_refused',
  402: 'no_credits',
  403: 'key_refused',
  404: 'not_found',
  405: 'unsupported',
  409: 'conflict',
  410: 'not_found',
  411: 'bad_input',
  413: 'too_large',
  414: 'too_large',
  415: 'unsupported',
  422: 'bad_input',
  429: 'rate_limited',
  501: 'unsupported',
  503: 'unavailable',
};

/** Codes with the same meaning for caller and service. The others are about the machine they arose on. */
const sharedCodes = new Set<FailureCode>([
  'bad_input',
  'too_large',
  'unsupported',
  'key_missing',
  'key_refused',
  'no_credits',
  'rate_limited',
  'not_found',
  'conflict',
  'locked',
]);

const sentences: Partial<Record<FailureCode, string>> = {
  bad_input: 'The service does not accept the request',
  too_large: 'The request is too large for the service',
  unsupported: 'The service does not offer this operation',
  key_missing: 'The service asks for an API key',
  key_refused: 'The service refused the API key',
  no_credits: 'The account does not have enough credits',
  not_found: 'The service does not know this resource',
  conflict: 'The service says that the request conflicts with an earlier one',
  locked: 'The service is busy with this already',
  rate_limited: 'The service asks to slow down',
  unavailable: 'The service is not available right now',
};

const hints: Partial<Record<FailureCode, string>> = {
  too_large: 'Send less at once: see the setting serve.max_rows.',
  unsupported: 'The local engine can do it: add --local.',
  key_missing: 'Run "mailvet login", or set MAILVET_API_KEY.',
  key_refused: 'Check the key with "mailvet config list", or store another with "mailvet login".',
  no_credits:
    'Add credits to the account (mailvet doctor shows them), or use the local engine with --local. On your own server, an administrator adds them in the web application, under "API keys".',
  not_found: 'Check the id, and the base URL with mailvet config get base_url.',
  rate_limited: 'Wait a little, or lower the setting concurrency.',
  unavailable: 'Try again later.',
  remote_error: 'Try again later; if it persists, tell the operator.',
};

/** The body of an error response. */
export function encodeProblem(failure: Failure): { error: { code: FailureCode; message: string; hint?: string } } {
  const { code, message, hint } = failure;
  return { error: { code, message, ...(hint === null ? {} : { hint }) } };
}

/** Decodes an error response, whatever its body looks like. */
export function decodeProblem(status: number, body: unknown, retryAfterSeconds: number | null = null): Failure {
  const message = errorText(body);
  const code = codeIn(body, status) ?? codesByStatus[status] ?? 'remote_error';
  const sentence = sentences[code] ?? 'The service failed';
  const hint = hintIn(body) ?? hints[code];
  return new Failure(code, `${sentence} (HTTP ${status})${message === '' ? '.' : `: ${withFullStop(message)}`}`, {
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
  });
}

function withFullStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

const maxTextLength = 300;

/** The message in error/message/detail/errors, HTML or plain text; empty if there is none. */
export function errorText(body: unknown): string {
  return cleanText(typeof body === 'string' ? textOfPage(body) : textIn(body, 4));
}

const textFields = [
  'message',
  'error',
  'detail',
  'error_description',
  'title',
  'msg',
  'reason',
  'description',
  'errors',
];

function textIn(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (depth === 0 || typeof value !== 'object' || value === null) return '';
  if (Array.isArray(value)) {
    const parts = value.slice(0, 5).map((item) => textIn(item, depth - 1));
    return parts.filter((part) => part !== '').join('; ');
  }
  for (const field of textFields) {
    const text = Object.hasOwn(value, field) ? textIn(Reflect.get(value, field), depth - 1) : '';
    if (text !== '') return text;
  }
  // `{"errors": {"email": ["is required"]}}` has the fields as keys.
  const pairs = Object.entries(value)
    .slice(0, 5)
    .map(([name, inner]) => [name, textIn(inner, depth - 1)] as const);
  const nonEmpty = pairs.filter(([, text]) => text !== '' && depth < 4);
  return nonEmpty.map(([name, text]) => `${name}: ${text}`).join('; ');
}

/** The heading of an HTML page, or the text unchanged. */
function textOfPage(text: string): string {
  const start = text.slice(0, 20_000);
  if (!/<[a-z!]/i.test(start)) return start;
  const heading = /<(title|h1)[^<>]*>([^<]{1,500})/i.exec(start)?.[2];
  const bare = heading ?? start.replace(/<(script|style)[\s\S]*?(?:<\/\1>|$)/gi, ' ').replace(/<[^<>]*>/g, ' ');
  return bare
    .replace(/&(?:nbsp|#160);/g, ' ')
    .replace(/&amp;/g, '&')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>');
}

/** Removes control and direction characters, and bounds the length to one line. */
function cleanText(text: string): string {
  const line = text
    .slice(0, 4 * maxTextLength)
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > maxTextLength ? `${line.slice(0, maxTextLength - 1)}…` : line;
}

function errorObject(body: unknown): object | null {
  const error: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : null;
  return typeof error === 'object' && error !== null ? error : null;
}

function codeIn(body: unknown, status: number): FailureCode | null {
  const code: unknown = Reflect.get(errorObject(body) ?? {}, 'code');
  if (typeof code !== 'string' || !Object.hasOwn(exitStatuses, code)) return null;
  const failureCode = code as FailureCode;
  return sharedCodes.has(failureCode) && httpStatuses[failureCode] === status ? failureCode : null;
}

/** A hint counts only with one of our codes: it is advice on our commands. */
function hintIn(body: unknown): string | null {
  const error = errorObject(body);
  const hint: unknown = error === null ? null : Reflect.get(error, 'hint');
  const code: unknown = error === null ? null : Reflect.get(error, 'code');
  if (typeof hint !== 'string' || typeof code !== 'string' || !Object.hasOwn(exitStatuses, code)) return null;
  // Advice for clients of the API, not on our commands.
  if (/\b(?:GET|POST|DELETE) \//.test(hint)) return null;
  return cleanText(hint);
}
