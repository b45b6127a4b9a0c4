import { type AppCall, type AppCalls, appPath, appRoutes } from '../../wire/app.js';

/** False while the server does not respond. */
export const isServerReachable = createObservable(true);
/** True from a 401 until the next sign-in. */
export const hasSessionEnded = createObservable(false);

/** Incremented by a 403: the role of the user may have changed. */
export const refusals = createObservable(0);

/** Incremented when the credits of the user may have changed. */
export const creditChanges = createObservable(0);

type CallOptions<Call extends AppCall> = Omit<AppCalls[Call], 'answer'> & { id?: string; signal?: AbortSignal };

/** Calls the server; throws a `Problem`. */
export async function call<Call extends AppCall>(
  name: Call,
  options: CallOptions<Call>,
): Promise<AppCalls[Call]['answer']> {
  const { id, signal, query, body } = options as {
    id?: string;
    signal?: AbortSignal;
    query?: Record<string, string | number | undefined>;
    body?: unknown;
  };
  const route = appRoutes[name];
  const path = appPath(route, { ...(id !== undefined && { id }), ...(query !== undefined && { query }) });
  const text = await send(route.method, path, body === undefined ? null : JSON.stringify(body), signal);
  return JSON.parse(text) as AppCalls[Call]['answer'];
}

/** The text of a successful response; throws a `Problem`, or the abort error. */
export async function send(method: string, path: string, json: string | null, signal?: AbortSignal): Promise<string> {
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
const signInPaths = [appRoutes.signIn, appRoutes.setUp, appRoutes.checkInvitation, appRoutes.acceptInvitation].map(
  (route) => appPath(route),
);

/** A check, a list that starts or continues, and the refund of a canceled one. */
const creditPaths = /^\/app\/check$|\/(?:confirm|resume|retry-unknown)$|\?only=cancel$/;

/** Updates the signals by the status of a response. */
export function updateSignals(status: number, path: string): void {
  // A proxy answers if it cannot reach the server.
  isServerReachable.set(status !== 502 && status !== 504);
  if (status === 401 && !signInPaths.includes(path)) hasSessionEnded.set(true);
  if (status === 403 && path !== appPath(appRoutes.session)) refusals.set(refusals.value() + 1);
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
