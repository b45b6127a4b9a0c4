import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Failure } from '../../../model/failure.js';
import { variableOf } from '../../../settings/definitions.js';
import type { Environment } from '../../../settings/environment.js';
import type { Context } from '../../context.js';

/** Starts a process that works on a job after this one has ended. It is told the job's id, and the store by its environment; what it has to say goes to a log file. */
export type StartWorker = (jobId: string, logPath: string, environment: Environment) => void;

/** The environment for a worker: a store that was named on the command line is named there, where nobody else can read it. */
export function workerEnvironment({ environment, settings }: Pick<Context, 'environment' | 'settings'>): Environment {
  const { store } = settings();
  return store === null ? environment : { ...environment, [variableOf('store')]: store };
}

/** Starts the same program again, detached. */
export const startDetachedWorker: StartWorker = (jobId, logPath, environment) => {
  const program = process.argv[1];
  if (program === undefined) throw new Failure('internal', 'The program does not know its own path.');
  const log = openSync(logPath, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [program, 'jobs', 'work', jobId, '--local'], {
      detached: true,
      env: { ...environment },
      stdio: ['ignore', log, log],
      windowsHide: true,
    });
    child.on('error', () => {});
    child.unref();
  } finally {
    closeSync(log);
  }
};
