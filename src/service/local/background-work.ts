import { createHash } from 'node:crypto';
import { openFileLock } from '../../disk/file-lock.js';
import { pidOf } from '../../disk/process-identity.js';
import { openJobFiles } from '../../jobs/uploads/job-files.js';
import { Failure } from '../../model/failure.js';

/** Where a worker in another process writes its notes; the id is a job's or a group's. */
export function workerLogPath(home: string, id: string): string {
  return openJobFiles(home).logPath(id);
}

/** Keeps a second start of the same work out with the Failure `locked`; gives the function that lets go. */
export function lockWork(home: string, name: string, what: string): () => void {
  const lock = openFileLock(openJobFiles(home).lockPath(createHash('sha256').update(name).digest('hex').slice(0, 32)));
  if (lock.tryAcquire()) return lock.close;
  const holder = lock.holder();
  lock.close();
  const who = holder === null ? '' : ` (process ${pidOf(holder)})`;
  throw new Failure('locked', `Another mailvet${who} is already working on ${what}.`, {
    hint: 'Wait until it has finished; mailvet jobs list shows how far it is.',
  });
}
