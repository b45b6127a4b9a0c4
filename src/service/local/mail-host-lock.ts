import { join } from 'node:path';
import { type Clock, systemClock } from '../../async/clock.js';
import { type FileLock, openFileLock } from '../../disk/file-lock.js';
import { makeOwnFolder } from '../../disk/private-folder.js';
import { pidOf } from '../../disk/process-identity.js';

/** How long an answer counts, and how long the lock is kept without a question. */
const checkMs = 250;
const idleMs = 10_000;

/** Whether this process asks mail hosts alone: the first one does, until it has wanted no second session for a while. */
export function openMailHostLock(home: string, onNote: (text: string) => void = () => {}, clock: Clock = systemClock) {
  let lock: FileLock | null = null;
  let isHeld = true;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let cancelRelease: (() => void) | null = null;
  const acquire = (): boolean => {
    try {
      makeOwnFolder(join(home, 'locks'));
      lock ??= openFileLock(join(home, 'locks', 'mail-hosts'));
      const isFree = lock.tryAcquire();
      const holder = isFree ? null : lock.holder();
      if (holder !== null)
        onNote(`mailvet process ${pidOf(holder)} asks mail hosts, too: each gets one session of this run.`);
      return isFree;
    } catch {
      // No other process can lock a data directory that cannot be written.
      return true;
    }
  };
  const releaseWhenIdle = (): void => {
    cancelRelease = clock.after(idleMs, () => {
      cancelRelease = null;
      if (clock.elapsed() - checkedAt < idleMs) releaseWhenIdle();
      else lock?.release();
    });
  };
  return {
    isAlone: (): boolean => {
      const now = clock.elapsed();
      if (now - checkedAt < checkMs) return isHeld;
      checkedAt = now;
      isHeld = acquire();
      if (cancelRelease === null) releaseWhenIdle();
      return isHeld;
    },
    close: (): void => {
      cancelRelease?.();
      lock?.close();
    },
  };
}
