import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Failure } from '../../../model/failure.js';

/** Starts a process that works on a job after this one has ended. It is told the job's id and nothing else; what it has to say goes to a log file. */
export type StartWorker = (jobId: string, logPath: string) => void;

/** Starts the same program again, detached. */
export const startDetachedWorker: StartWorker = (jobId, logPath) => {
  const program = process.argv[1];
  if (program === undefined) throw new Failure('internal', 'The program does not know its own path.');
  const log = openSync(logPath, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [program, 'jobs', 'work', jobId, '--local'], {
      detached: true,
      stdio: ['ignore', log, log],
      windowsHide: true,
    });
    child.on('error', () => {});
    child.unref();
  } finally {
    closeSync(log);
  }
};
