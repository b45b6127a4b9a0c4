import { useRef, useState } from 'preact/hooks';
import { asProblem, type Problem } from './problem.js';

/** Something that the user starts: one at a time, with what went wrong beside it. */
export interface Action<Input extends unknown[]> {
  busy: boolean;
  problem: Problem | null;
  /** True once it is done. A second call while one is under way does nothing. */
  start(...input: Input): Promise<boolean>;
  /** Gives up waiting. */
  stop(): void;
  forget(): void;
}

/** `work` is handed a signal that says stop. */
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
    forget: () => setState(({ busy }) => ({ busy, problem: null })),
  };
}
