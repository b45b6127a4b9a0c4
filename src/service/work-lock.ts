import { createHash } from 'node:crypto';
import { openFileLock } from '../disk/file-lock.js';
import { livenessOf, pidOf } from '../disk/process-identity.js';
import { openJobFiles } from '../jobs/uploads/job-files.js';
import { Failure } from '../model/failure.js';

/** The log of a worker in another process; the id is a job's or a group's. */
export function workerLogPath(home: string, id: string): string {
  return openJobFiles(home).logPath(id);
}

/** Locks work by its name. */
export function lockWork(home: string, name: string, description: string): () => void {
  return lockAt(openJobFiles(home).lockPath(createHash('sha256').update(name).digest('hex').slice(0, 32)), description);
}

/** Locks work by a file, or throws the Failure `locked`; returns the function that unlocks it. */
export function lockAt(path: string, description: string): () => void {
  const lock = openFileLock(path);
  if (lock.tryAcquire()) return lock.close;
  const holder = lock.holder();
  lock.close();
  const holderText = holder === null ? '' : ` (process ${pidOf(holder)})`;
  throw new Failure('locked', `Another mailvet${holderText} is already working on ${description}.`, {
    // Only Linux shows whether the pid still belongs to the process that took the lock.
    hint: `Wait until it has finished.${holder !== null && livenessOf(holder) === 'unknown' ? ` If it has ended, remove ${path}` : ''}`,
  });
}
