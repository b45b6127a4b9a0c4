import type { Caller } from './fair-queue.js';

const shares = new WeakMap<AbortSignal, Caller>();
const localCaller: Caller = { priority: 'single', owner: '', work: '' };

/**
 * Says whose work a signal stops. The signal is what already goes from whoever asks to every socket that is opened for him, so
 * that each place on the way can caller out its turns.
 */
export function setCaller(signal: AbortSignal, caller: Caller): void {
  shares.set(signal, caller);
}

/** Whose work the signal stops; all that nobody spoke for is the work of one owner, who has the machine for himself. */
export function callerOfSignal(signal: AbortSignal | undefined): Caller {
  return (signal && shares.get(signal)) ?? localCaller;
}
