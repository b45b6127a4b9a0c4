import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Failure } from '../../../model/failure.js';
import { variableOf } from '../../../settings/definitions.js';
import type { Environment } from '../../../settings/environment.js';
import type { Context } from '../../context.js';

/** Starts a process that runs a job in the background. Its output goes to the log file. */
export type StartWorker = (jobId: string, logPath: string, environment: Environment) => Promise<void>;

/** The environment of a worker. It holds the address of the store, which other users could read on a command line. */
export function workerEnvironment({ environment, settings }: Pick<Context, 'environment' | 'settings'>): Environment {
  const { store } = settings();
  return store === null ? environment : { ...environment, [variableOf('store')]: store };
}

/** Starts this program again, detached. Throws if it does not start, since the job would wait forever. */
export const startDetachedWorker: StartWorker = async (jobId, logPath, environment) => {
  const program = process.argv[1];
  if (program === undefined) throw new Failure('internal', 'The path of the program is unknown.');
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
