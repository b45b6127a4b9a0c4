import { onAbort } from './on-abort.js';

/** Settles as the promise does, or rejects with the abort reason, whichever comes first. */
export function abortable<Value>(promise: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const removeListener = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(removeListener);
  });
}
