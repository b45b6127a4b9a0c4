import { onAbort } from './on-abort.js';

/** A signal that aborts after `ms`, or with the caller's. `AbortSignal.any` is not used: the caller's signal would keep its result alive. */
export function startDeadline(ms: number, caller?: AbortSignal): { signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(caller?.reason);
  if (caller?.aborted) abort();
  const timer = setTimeout(abort, ms);
  const removeListener = caller && onAbort(caller, abort);
  return {
    signal: controller.signal,
    cancel: () => {
      clearTimeout(timer);
      removeListener?.();
    },
  };
}
