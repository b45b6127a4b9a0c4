import { Failure, type FailureCode } from '../model/failure.js';

interface Meaning {
  /** The HTTP status that is sent. */
  readonly status: number;
  /** The statuses that mean this where the body has no code. */
  readonly readFrom?: readonly number[];
  /** Only codes that mean the same to caller and service have one. The others are about the machine they arose on. */
  readonly sentence?: string;
  readonly hint?: string;
}

/** What each Failure code is in HTTP, and what it says of a service. */
const meanings: Record<FailureCode, Meaning> = {
  usage: { status: 400 },
  bad_input: { status: 422, readFrom: [400, 411, 422], sentence: 'The service does not accept the request' },
  too_large: {
    ...{ status: 413, readFrom: [413, 414], sentence: 'The request is too large for the service' },
    hint: 'Send less at once: see the setting serve.max_rows.',
  },
  unsupported: {
    ...{ status: 415, readFrom: [405, 415, 501], sentence: 'The service does not offer this operation' },
    hint: 'The local engine can do it: add --local.',
  },
  key_missing: {
    ...{ status: 401, sentence: 'The service asks for an API key' },
    hint: 'Run "mailvet login", or set MAILVET_API_KEY.',
  },
  key_refused: {
    ...{ status: 401, readFrom: [401, 403], sentence: 'The service refused the API key' },
    hint: 'Check the key with "mailvet config list", or store another with "mailvet login".',
  },
  forbidden: { status: 403 },
  no_credits: {
    ...{ status: 402, readFrom: [402], sentence: 'The account does not have enough credits' },
    hint: 'Add credits to the account (mailvet doctor shows them), or use the local engine with --local. On your own server, an administrator adds them in the web application, under "API keys".',
  },
  network: { status: 503 },
  remote_error: { status: 500, hint: 'Try again later; if it persists, tell the operator.' },
  bad_answer: { status: 500 },
  rate_limited: {
    ...{ status: 429, readFrom: [429], sentence: 'The service asks to slow down' },
    hint: 'Wait a little, or lower the setting concurrency.',
  },
  unavailable: {
    ...{ status: 503, readFrom: [503], sentence: 'The service is not available right now' },
    hint: 'Try again later.',
  },
  billed_perhaps: { status: 500 },
  not_found: {
    ...{ status: 404, readFrom: [404, 410], sentence: 'The service does not know this resource' },
    hint: 'Check the id, and the base URL with mailvet config get base_url.',
  },
  storage: { status: 503 },
  conflict: {
    ...{ status: 409, readFrom: [409] },
    sentence: 'The service says that the request conflicts with an earlier one',
  },
  locked: { status: 409, sentence: 'The service is busy with this already' },
  internal: { status: 500 },
  interrupted: { status: 503 },
};

/** The HTTP status of a Failure code. */
export function httpStatusOf(code: FailureCode): number {
  return meanings[code].status;
}

const codes = Object.keys(meanings) as FailureCode[];

/** The body of an error response. */
export function encodeProblem(failure: Failure): { error: { code: FailureCode; message: string; hint?: string } } {
  const { code, message, hint } = failure;
  return { error: { code, message, ...(hint === null ? {} : { hint }) } };
}

/** Decodes an error response, whatever its body looks like. */
export function decodeProblem(status: number, body: unknown, retryAfterSeconds: number | null = null): Failure {
  const message = errorText(body);
  const read = codes.find((code) => meanings[code].readFrom?.includes(status));
  const code = codeIn(body, status) ?? read ?? 'remote_error';
  const { sentence = 'The service failed', hint: ownHint } = meanings[code];
  const hint = hintIn(body) ?? ownHint;
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

/** The error of a body whose code is one of ours. */
function ownError(body: unknown): { code: FailureCode; hint: unknown } | null {
  const error: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : null;
  if (typeof error !== 'object' || error === null) return null;
  const code = codes.find((each) => each === Reflect.get(error, 'code'));
  return code === undefined ? null : { code, hint: Reflect.get(error, 'hint') };
}

function codeIn(body: unknown, status: number): FailureCode | null {
  const { code } = ownError(body) ?? {};
  const isShared = code !== undefined && meanings[code].sentence !== undefined;
  return isShared && httpStatusOf(code) === status ? code : null;
}

/** A hint counts only with one of our codes: it is advice on our commands. */
function hintIn(body: unknown): string | null {
  const hint = ownError(body)?.hint;
  // Advice for clients of the API, not on our commands.
  return typeof hint !== 'string' || /\b(?:GET|POST|DELETE) \//.test(hint) ? null : cleanText(hint);
}
