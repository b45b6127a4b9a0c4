import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Failure } from '../../../model/failure.js';
import { variableOf } from '../../../settings/definitions.js';
import type { Environment } from '../../../settings/environment.js';
import type { Context } from '../../context.js';

/** Starts a process that works on a job after this one has ended. It is told the job's id, and the store by its environment; what it has to say goes to a log file. */
export type StartWorker = (jobId: string, logPath: string, environment: Environment) => Promise<void>;

/** The environment for a worker: a store that was named on the command line is named there, where nobody else can read it. */
export function workerEnvironment({ environment, settings }: Pick<Context, 'environment' | 'settings'>): Environment {
  const { store } = settings();
  return store === null ? environment : { ...environment, [variableOf('store')]: store };
}

/** Starts the same program again, detached. Fails where it does not start: the job would wait for somebody who never comes. */
export const startDetachedWorker: StartWorker = async (jobId, logPath, environment) => {
  const program = process.argv[1];
  if (program === undefined) throw new Failure('internal', 'The program does not know its own path.');
  try {
    const log = openSync(logPath, 'a', 0o600);
    try {
      const child = spawn(process.execPath, [program, 'jobs', 'work', jobId, '--local'], {
        detached: true,
        env: { ...environment },
        stdio: ['ignore', log, log],
        windowsHide: true,
      });
      await once(child, 'spawn');
      child.unref();
    } finally {
      closeSync(log);
    }
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new Failure(
      'storage',
      `The job is stored, but its worker in the background could not be started (${code}).`,
      {
        hint: `Start it once that is fixed, with: mailvet jobs resume ${jobId}`,
        cause,
      },
    );
  }
};
