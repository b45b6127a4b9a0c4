import { type AnswerOf, type CallOf, pathOf, type RouteName, routes } from '../../wire/routes.js';

/** False while the server does not respond. */
export const isServerReachable = createObservable(true);
/** True from a 401 until the next sign-in. */
export const hasSessionEnded = createObservable(false);

/** Incremented by a 403: the role of the user may have changed. */
export const refusals = createObservable(0);

/** Incremented when the credits of the user may have changed. */
export const creditChanges = createObservable(0);

/** Calls the server; throws a `Problem`. */
export async function call<Name extends RouteName>(
  name: Name,
  options: CallOf<Name> & { id?: string; signal?: AbortSignal },
): Promise<AnswerOf<Name>> {
  const {
    id = '',
    signal,
    query = {},
    body,
  } = options as {
    id?: string;
    signal?: AbortSignal;
    query?: Record<string, string | number>;
    body?: unknown;
  };
  const path = pathOf(routes[name], { id, query });
  const json = body === undefined ? null : JSON.stringify(body);
  return JSON.parse(await send(routes[name].method, path, json, signal)) as AnswerOf<Name>;
}

/** The text of a successful response; throws a `Problem`, or the abort error. */
async function send(method: string, path: string, json: string | null, signal?: AbortSignal): Promise<string> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(path, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      ...(json !== null && { body: json, headers: { 'content-type': 'application/json' } }),
      ...(signal !== undefined && { signal }),
    });
    text = await answer.text();
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    isServerReachable.set(false);
    throw noAnswerProblem();
  }
  updateSignals(answer.status, path);
  if (!answer.ok) throw problemIn(answer.status, text, answer.headers.get('retry-after'));
  return text;
}

/** Where 401 means a wrong secret, not the end of a session. */
const signInPaths = [routes.signIn, routes.setUp, routes.checkInvitation, routes.acceptInvitation].map(
  ({ path }) => path,
);

/** A check, a list that starts or continues, and the refund of a canceled one. */
const creditPaths = /^\/app\/check$|\/(?:confirm|resume|cancel|check-again)(?:\?|$)/;

/** Updates the signals by the status of a response. */
export function updateSignals(status: number, path: string): void {
  // A proxy answers if it cannot reach the server.
  isServerReachable.set(status !== 502 && status !== 504);
  if (status === 401 && !signInPaths.some((each) => each === path)) hasSessionEnded.set(true);
  if (status === 403 && path !== routes.session.path) refusals.set(refusals.value() + 1);
  if (status === 402 || (status < 300 && creditPaths.test(path))) creditChanges.set(creditChanges.value() + 1);
}

/** The error of a request, with or without a response. */
export class Problem extends Error {
  /** 0 without a response. */
  readonly status: number;
  readonly hint: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, message: string, hint: string | null = null, retryAfterSeconds: number | null = null) {
    super(message);
    this.status = status;
    this.hint = hint;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** A later retry may succeed. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }
}

export function noAnswerProblem(): Problem {
  return new Problem(0, 'The server does not respond.', 'Check that mailvet serve is running, and your network.');
}

/** Decodes an error response. */
export function problemIn(status: number, text: string, retryAfter: string | null): Problem {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  const { message, hint } = errorIn(text);
  return new Problem(
    status,
    message ?? `The server answered with an error (HTTP ${status}).`,
    hint,
    Number.isFinite(seconds) ? seconds : null,
  );
}

function errorIn(text: string): { message: string | null; hint: string | null } {
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown; hint?: unknown } } | null;
    const { message, hint } = body?.error ?? {};
    return {
      message: typeof message === 'string' ? message : null,
      hint: typeof hint === 'string' ? hint : null,
    };
  } catch {
    // A proxy may answer with its own page.
    return { message: null, hint: null };
  }
}

export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new Problem(-1, `Something went wrong in this page: ${reason}`, 'Reload the page.');
}

/** An observable value. */
export interface Observable<Value> {
  value(): Value;
  set(value: Value): void;
  /** Returns the function that removes the listener. */
  listen(listener: (value: Value) => void): () => void;
}

/** Listeners are called only on changes. */
function createObservable<Value>(initial: Value): Observable<Value> {
  let current = initial;
  const listeners = new Set<(value: Value) => void>();
  return {
    value: () => current,
    set: (value) => {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener(value);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
