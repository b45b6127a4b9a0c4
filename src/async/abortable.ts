import { onAbort } from './on-abort.js';

/** The promise, or the reason of the abort, whichever comes first. */
export function abortable<Value>(promise: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const takeBack = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(takeBack);
  });
}
