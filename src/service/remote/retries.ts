import { type Clock, sleep } from '../../async/clock.js';
import { formatAmount } from '../../model/amount.js';
import { Failure, type FailureCode } from '../../model/failure.js';
import { renderDuration } from '../../model/text/time.js';
import { parseJson } from '../../wire/fields.js';
import { decodeProblem } from '../../wire/problem.js';
import type { Route } from '../../wire/route.js';
import { NoResponse } from './exchange.js';
import type { Http, HttpRequest, HttpResponse } from './http.js';

/** One operation, which may take several requests. */
export interface Call extends Pick<HttpRequest, 'path' | 'timeoutMs' | 'contentType' | 'accept' | 'stream'> {
  route: Route;
  /** Created for each attempt, since a stream can be read only once. */
  body?: () => Pick<HttpRequest, 'body' | 'contentLength'>;
  /** The number of addresses it is charged for. */
  credits: number;
  /** Overrides the setting. */
  retries?: number | undefined;
  /** Ends waiting and further attempts. */
  signal?: AbortSignal | undefined;
  /** Cancels an open request; `signal` by default. */
  hardSignal?: AbortSignal | undefined;
}

interface Policy {
  retries: number;
  clock: Clock;
  /** In [0, 1): jitter, the fraction cut off a delay. */
  random(): number;
  root: URL;
  note(text: string): void;
  trace(text: string): void;
}

const maxRedirects = 3;
const maxWaitMs = 300_000;
const gatewayErrors = new Set([502, 504, 520, 522, 524]);
const retryableKinds = new Set<NoResponse['kind']>(['connect', 'timeout', 'dropped']);

/**
 * Retries until there is a response or a retry cannot help: obeys Retry-After, backs off with jitter, and never repeats a
 * charge on its own.
 */
export function createRetries(http: Http, policy: Policy): (call: Call) => Promise<HttpResponse> {
  const { clock } = policy;
  // A Retry-After holds for every request of this run.
  let pausedUntil = 0;
  /** Of requests that wait now: parallel ones fail for the same reason, which is said once. */
  const notedReasons = new Set<string>();

  async function wait(ms: number, call: Call): Promise<void> {
    try {
      await sleep(clock, ms, call.signal);
    } catch (cause) {
      throw new Failure('interrupted', 'Interrupted.', { cause });
    }
  }

  async function attempt(call: Call): Promise<HttpResponse | FailedAttempt> {
    const started = clock.elapsed();
    const elapsedMs = () => Math.round(clock.elapsed() - started);
    const { method, path: route } = call.route;
    try {
      const answer = await followRedirects(http, call, policy.root);
      policy.trace(`${method} ${route}: ${answer.status} in ${elapsedMs()} ms`);
      return answer.status < 300 ? answer : errorResponse(answer, call, clock.now());
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      policy.trace(`${method} ${route}: ${error.kind} ${error.systemCode} after ${elapsedMs()} ms`);
      return noResponseFailure(error, call, policy.root.origin);
    }
  }

  return async (call) => {
    const { retries = policy.retries } = call;
    for (let tries = 0; ; tries++) {
      while (pausedUntil > clock.elapsed()) await wait(pausedUntil - clock.elapsed(), call);
      if (call.signal?.aborted) throw new Failure('interrupted', 'Interrupted.');
      const outcome = await attempt(call);
      if (!('failure' in outcome)) return outcome;
      const { failure, isRetryable, maybeCharged, waitMs } = outcome;
      if (maybeCharged) throw maybeChargedFailure(failure, call);
      if (isRetryable && waitMs !== null && waitMs > maxWaitMs) throw tooLongToWait(failure, waitMs);
      if (!isRetryable || tries >= retries) throw failure;
      const pause = waitMs ?? backoffMs(tries, policy.random());
      if (waitMs !== null) pausedUntil = Math.max(pausedUntil, clock.elapsed() + waitMs);
      const reason = failure.message;
      const isNoted = notedReasons.has(reason);
      if (!isNoted) {
        notedReasons.add(reason);
        policy.note(`${reason} Trying again in ${renderDuration(pause)} (${tries + 1} of ${retries}).`);
      }
      try {
        await wait(pause, call);
      } finally {
        if (!isNoted) notedReasons.delete(reason);
      }
    }
  };
}

function tooLongToWait({ code, message, retryAfterSeconds }: Failure, waitMs: number): Failure {
  const pause = formatAmount(Math.ceil(waitMs / 60_000), 'minute');
  return new Failure(code, `${message} The service asks to wait ${pause}, which is longer than mailvet waits.`, {
    hint: `Run the command again in ${pause}.`,
    retryAfterSeconds,
  });
}

interface FailedAttempt {
  failure: Failure;
  /** A retry may help. */
  isRetryable: boolean;
  /** The request may have been executed and charged. */
  maybeCharged: boolean;
  /** The delay the service asks for. */
  waitMs: number | null;
}

function errorResponse(answer: HttpResponse, call: Call, now: number): FailedAttempt {
  const waitMs = retryAfterMs(answer.retryAfter, now);
  const failure = decodeProblem(answer.status, bodyOf(answer), waitMs === null ? null : Math.ceil(waitMs / 1_000));
  const isGatewayError = gatewayErrors.has(answer.status);
  return {
    failure,
    isRetryable: isGatewayError || answer.status === 429 || answer.status === 503,
    maybeCharged: isGatewayError && call.route.isBillable === true,
    waitMs,
  };
}

function bodyOf({ contentType, text }: HttpResponse): unknown {
  if (!/json/i.test(contentType) && !/^\s*[[{"]/.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    return /json/i.test(contentType) ? '' : text;
  }
}

function noResponseFailure(error: NoResponse, call: Call, origin: string): FailedAttempt {
  const maybeCharged = error.sent && call.route.isBillable === true;
  const chargeNote = maybeCharged ? ' The request may have been charged.' : '';
  const service = `The service at ${origin}`;
  const failed = (code: FailureCode, message: string, hint?: string): FailedAttempt => {
    const isRetryable = retryableKinds.has(error.kind);
    const failure = new Failure(code, message, hint === undefined ? {} : { hint });
    return { failure, isRetryable, maybeCharged: maybeCharged && isRetryable, waitMs: null };
  };
  const { kind, message } = error;
  const doctor = 'mailvet doctor shows what works from here.';
  if (kind === 'aborted') return failed('interrupted', `Interrupted.${chargeNote}`);
  if (kind === 'too_large' || kind === 'garbled')
    return failed('bad_answer', `${service} sent no usable response. ${message}${chargeNote}`);
  const [problem, hint] = {
    untrusted: ['could not be verified', 'For a private CA, set NODE_EXTRA_CA_CERTS to its file.'],
    setup: ['cannot be reached', `Check the base URL, and HTTPS_PROXY and HTTP_PROXY; ${doctor}`],
    connect: ['cannot be reached', `Check the base URL and the network; ${doctor}`],
    timeout: ['did not respond', 'Try again, or allow more time with --set timeout=1m.'],
    dropped: ['did not respond', 'Try again, or allow more time with --set timeout=1m.'],
  }[kind];
  return failed('network', `${service} ${problem}. ${message}`, hint);
}

function maybeChargedFailure(failure: Failure, call: Call): Failure {
  const charge =
    call.credits === 0
      ? 'The request may have been charged'
      : `The request may have been charged (${formatAmount(call.credits, 'credit')})`;
  return new Failure('billed_perhaps', `${failure.message} ${charge}, so it was not sent again.`, {
    hint: 'Check the credits of the account before sending it again.',
    cause: failure,
  });
}

async function followRedirects(http: Http, call: Call, root: URL): Promise<HttpResponse> {
  const { method } = call.route;
  const { path, timeoutMs, contentType, accept, stream, signal, hardSignal = signal } = call;
  let request: HttpRequest = { method, path, timeoutMs, contentType, accept, stream, signal: hardSignal };
  for (let hops = 0; ; hops++) {
    const answer = await http.send({ ...request, ...call.body?.() });
    if (answer.status < 300 || answer.status >= 400) return answer;
    const from = request.wholePath ? request.path : root.pathname + request.path;
    const { location } = answer;
    const base = root.origin + from;
    const target = location !== null && URL.canParse(location, base) ? new URL(location, base) : null;
    if (method !== 'GET' || target === null || target.origin !== root.origin || hops >= maxRedirects) {
      throw redirectRefused(answer.status, target, root.origin);
    }
    request = { ...request, path: target.pathname + target.search, wholePath: true };
  }
}

/** The key is sent only to its own origin. */
function redirectRefused(status: number, target: URL | null, origin: string): Failure {
  if (target === null)
    return new Failure('remote_error', `The service sent a redirect without a usable Location (HTTP ${status}).`);
  const destination = target.origin === origin ? 'another path' : target.origin;
  return new Failure(
    'remote_error',
    `The service redirects to ${destination} (HTTP ${status}); the key was not sent there.`,
    {
      hint: 'If that is the right address, set it with --base-url or mailvet config set base_url.',
    },
  );
}

/** Retry-After in milliseconds (RFC 9110 §10.2.3: seconds, or a date), or null. */
export function retryAfterMs(header: string | null, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text), 1e9) * 1_000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function backoffMs(tries: number, random: number): number {
  const ceiling = Math.min(20_000, 500 * 2 ** tries);
  return Math.round(ceiling * (0.5 + random / 2));
}
