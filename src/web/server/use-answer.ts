import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { asProblem, hasSessionEnded, type Problem } from './call.js';

/** A response that is kept while the next one is awaited or fails. */
export interface Remote<Answer> {
  answer: Answer | null;
  problem: Problem | null;
  /** Fetches now. */
  refresh(): void;
  /** Sets a response that came by another call. */
  setAnswer(answer: Answer): void;
}

/** What to fetch, and the interval; null: once. */
interface Question<Answer> {
  ask: (signal: AbortSignal) => Promise<Answer>;
  everyMs: (answer: Answer) => number | null;
  /** Fetches while the page is hidden, too. */
  isWantedHidden: boolean;
}

/**
 * Fetches on mount, when `requestKey` changes, and then every `everyMs` of the response. Pauses while the page is hidden
 * (unless `isWantedHidden`) or signed out, and backs off while the server fails.
 */
export function useAnswer<Answer>(
  requestKey: string,
  ask: Question<Answer>['ask'],
  everyMs: Question<Answer>['everyMs'] = () => null,
  isWantedHidden = false,
): Remote<Answer> {
  const [state, setState] = useState<{ requestKey: string; answer: Answer | null; problem: Problem | null }>({
    requestKey,
    answer: null,
    problem: null,
  });
  const [attempt, setAttempt] = useState(0);
  const latest = useRef({ ask, everyMs, isWantedHidden });
  latest.current = { ask, everyMs, isWantedHidden };

  useEffect(
    () =>
      poll(
        () => latest.current,
        (answer) => setState({ requestKey, answer, problem: null }),
        (problem) =>
          setState((before) => ({
            requestKey,
            answer: before.requestKey === requestKey ? before.answer : null,
            problem,
          })),
      ),
    [requestKey, attempt],
  );

  const refresh = useCallback(() => setAttempt((before) => before + 1), []);
  const setAnswer = useCallback((answer: Answer) => setState({ requestKey, answer, problem: null }), [requestKey]);
  const isCurrent = state.requestKey === requestKey;
  return {
    answer: isCurrent ? state.answer : null,
    problem: isCurrent ? state.problem : null,
    refresh,
    setAnswer,
  };
}

/** Returns the function that stops it. */
function poll<Answer>(
  question: () => Question<Answer>,
  onAnswer: (answer: Answer) => void,
  onProblem: (problem: Problem) => void,
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  let timer = 0;
  let failures = 0;
  let isDue = true;
  const mayAsk = (): boolean => (question().isWantedHidden || !document.hidden) && !hasSessionEnded.value();
  const wait = (ms: number | null): void => {
    window.clearTimeout(timer);
    if (ms !== null) timer = window.setTimeout(refresh, ms);
  };
  const refresh = async (): Promise<void> => {
    isDue = !mayAsk();
    if (isDue) return;
    try {
      const answer = await question().ask(signal);
      if (signal.aborted) return;
      failures = 0;
      onAnswer(answer);
      wait(question().everyMs(answer));
    } catch (thrown) {
      if (signal.aborted) return;
      const problem = asProblem(thrown);
      onProblem(problem);
      isDue = problem.status === 401;
      if (problem.isTemporary) wait(pauseAfter(problem, failures++));
    }
  };
  const wake = (): void => {
    if (isDue && mayAsk()) void refresh();
  };
  document.addEventListener('visibilitychange', wake, { signal });
  window.addEventListener('online', refresh, { signal });
  const stopListening = hasSessionEnded.listen(wake);
  void refresh();
  return () => {
    stop.abort();
    window.clearTimeout(timer);
    stopListening();
  };
}

const firstRetryMs = 1_000;
const maxRetryMs = 30_000;

function pauseAfter({ retryAfterSeconds }: Problem, failures: number): number {
  const backoffMs = Math.min(maxRetryMs, firstRetryMs * 2 ** failures);
  return Math.max(backoffMs, Math.min(maxRetryMs, (retryAfterSeconds ?? 0) * 1000));
}

/** An action of the user: one at a time, with its problem. */
export interface Action<Input extends unknown[]> {
  busy: boolean;
  problem: Problem | null;
  /** True once it is done. A second call while it is busy does nothing. */
  start(...input: Input): Promise<boolean>;
  stop(): void;
  clearProblem(): void;
}

/** `work` gets a signal that `stop` aborts. */
export function useAction<Input extends unknown[]>(
  work: (signal: AbortSignal, ...input: Input) => Promise<void>,
): Action<Input> {
  const [state, setState] = useState<{ busy: boolean; problem: Problem | null }>({ busy: false, problem: null });
  const running = useRef<AbortController | null>(null);
  return {
    ...state,
    start: async (...input) => {
      if (running.current !== null) return false;
      const stop = new AbortController();
      running.current = stop;
      setState({ busy: true, problem: null });
      try {
        await work(stop.signal, ...input);
        setState({ busy: false, problem: null });
        return true;
      } catch (thrown) {
        setState({ busy: false, problem: stop.signal.aborted ? null : asProblem(thrown) });
        return false;
      } finally {
        running.current = null;
      }
    },
    stop: () => running.current?.abort(),
    clearProblem: () => setState(({ busy }) => ({ busy, problem: null })),
  };
}
