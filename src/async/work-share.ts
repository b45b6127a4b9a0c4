import type { Share } from './fair-line.js';

const shares = new WeakMap<AbortSignal, Share>();
const ownWork: Share = { urgency: 'single', owner: '', work: '' };

/**
 * Says whose work a signal stops. The signal is what already goes from whoever asks to every socket that is opened for him, so
 * that each place on the way can share out its turns.
 */
export function giveShare(signal: AbortSignal, share: Share): void {
  shares.set(signal, share);
}

/** Whose work the signal stops; all that nobody spoke for is the work of one owner, who has the machine for himself. */
export function shareOf(signal: AbortSignal | undefined): Share {
  return (signal && shares.get(signal)) ?? ownWork;
}
