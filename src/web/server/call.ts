import { type AppCall, type AppCalls, appPath, appRoutes } from '../../wire/app.js';
import { noAnswer, problemIn } from './problem.js';
import { createSignal } from './signals.js';

/** False while the server does not respond. */
export const reachable = createSignal(true);
/** True from a 401 until the next sign-in. */
export const sessionEnded = createSignal(false);

type Wishes<Call extends AppCall> = Omit<AppCalls[Call], 'answer'> & { id?: string; signal?: AbortSignal };

/** Calls the server; throws a `Problem`. */
export async function call<Call extends AppCall>(name: Call, wishes: Wishes<Call>): Promise<AppCalls[Call]['answer']> {
  const { id, signal, query, body } = wishes as {
    id?: string;
    signal?: AbortSignal;
    query?: Record<string, string | number | undefined>;
    body?: unknown;
  };
  const route = appRoutes[name];
  const path = appPath(route, { ...(id !== undefined && { id }), ...(query !== undefined && { query }) });
  const text = await ask(route.method, path, body === undefined ? null : JSON.stringify(body), signal);
  return JSON.parse(text) as AppCalls[Call]['answer'];
}

/** The text of a successful response; throws a `Problem`, or the abort error. */
export async function ask(method: string, path: string, json: string | null, signal?: AbortSignal): Promise<string> {
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
    reachable.set(false);
    throw noAnswer();
  }
  hear(answer.status, path);
  if (!answer.ok) throw problemIn(answer.status, text, answer.headers.get('retry-after'));
  return text;
}

/** Updates the signals by the status of a response. */
export function hear(status: number, path: string): void {
  // A proxy answers if it cannot reach the server.
  reachable.set(status !== 502 && status !== 504);
  if (status === 401 && path !== appPath(appRoutes.signIn) && path !== appPath(appRoutes.setUp)) sessionEnded.set(true);
}
