import { useRef, useState } from 'preact/hooks';
import { asProblem, type Problem } from './problem.js';

/** An action of the user: one at a time, with its problem. */
export interface Action<Input extends unknown[]> {
  busy: boolean;
  problem: Problem | null;
  /** True once it is done. A second call while it is busy does nothing. */
  start(...input: Input): Promise<boolean>;
  stop(): void;
  forget(): void;
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
    forget: () => setState(({ busy }) => ({ busy, problem: null })),
  };
}
