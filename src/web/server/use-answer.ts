import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { sessionEnded } from './call.js';
import { asProblem, type Problem } from './problem.js';

/** What was asked for, as far as it is known. The last answer stays while another is waited for, or does not come. */
export interface Remote<Answer> {
  answer: Answer | null;
  problem: Problem | null;
  /** Asks again now. */
  again(): void;
  /** Takes an answer that came by another way. */
  take(answer: Answer): void;
}

const firstRetryMs = 1_000;
const lastRetryMs = 30_000;

/**
 * Asks when it is first shown, again when `about` changes, and then every `everyMs` of the answer (null: no more). Nothing is asked
 * while the page is hidden or nobody is signed in; where the server cannot answer, it is asked ever more rarely until it does.
 */
export function useAnswer<Answer>(
  about: string,
  ask: (signal: AbortSignal) => Promise<Answer>,
  everyMs: (answer: Answer) => number | null = () => null,
): Remote<Answer> {
  const [known, setKnown] = useState<{ about: string; answer: Answer | null; problem: Problem | null }>({
    about,
    answer: null,
    problem: null,
  });
  const [round, setRound] = useState(0);
  const latest = useRef({ ask, everyMs });
  latest.current = { ask, everyMs };

  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let timer = 0;
    let failures = 0;
    let due = true;
    const look = async (): Promise<void> => {
      if (document.hidden || sessionEnded.value()) {
        due = true;
        return;
      }
      due = false;
      try {
        const answer = await latest.current.ask(signal);
        if (signal.aborted) return;
        failures = 0;
        setKnown({ about, answer, problem: null });
        wait(latest.current.everyMs(answer));
      } catch (thrown) {
        if (signal.aborted) return;
        const problem = asProblem(thrown);
        setKnown((before) => ({ about, answer: before.about === about ? before.answer : null, problem }));
        due = problem.status === 401;
        if (problem.passes) wait(pauseAfter(problem, failures++));
      }
    };
    const wait = (ms: number | null): void => {
      window.clearTimeout(timer);
      if (ms !== null) timer = window.setTimeout(look, ms);
    };
    const wake = (): void => {
      if (due && !document.hidden && !sessionEnded.value()) void look();
    };
    const online = (): void => void look();
    document.addEventListener('visibilitychange', wake);
    window.addEventListener('online', online);
    const deaf = sessionEnded.listen(wake);
    void look();
    return () => {
      stop.abort();
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', wake);
      window.removeEventListener('online', online);
      deaf();
    };
  }, [about, round]);

  const again = useCallback(() => setRound((before) => before + 1), []);
  const take = useCallback((answer: Answer) => setKnown({ about, answer, problem: null }), [about]);
  const here = known.about === about;
  return { answer: here ? known.answer : null, problem: here ? known.problem : null, again, take };
}

function pauseAfter({ retryAfterSeconds }: Problem, failures: number): number {
  const own = Math.min(lastRetryMs, firstRetryMs * 2 ** failures);
  return Math.max(own, Math.min(lastRetryMs, (retryAfterSeconds ?? 0) * 1000));
}
