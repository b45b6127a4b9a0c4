import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { isSingleExecutable } from '../../../disk/bundled-file.js';
import { Failure } from '../../../model/failure.js';
import type { JobControl } from '../../../model/service.js';
import { workerLogPath } from '../../../service/work-lock.js';
import { variableOf } from '../../../settings/definitions.js';
import type { Environment } from '../../../settings/environment.js';
import type { Context } from '../../context.js';

/** Starts a background process that runs a job. */
export async function startWorker(
  { settings, environment, command }: Context,
  control: JobControl,
  jobId: string,
): Promise<void> {
  const { store, proxy, dataDir, mode, apiKey } = settings();
  // Other users could read passwords on a command line.
  const workerEnvironment = {
    ...environment,
    ...(store !== null && { [variableOf('store')]: store }),
    ...(proxy !== null && { [variableOf('proxy')]: proxy }),
    ...(mode === 'hybrid' && apiKey !== null && { [variableOf('api_key')]: apiKey }),
  };
  const resumeCommand = command('jobs', 'resume', jobId);
  const pid = await startDetachedWorker(jobId, workerLogPath(dataDir, jobId), workerEnvironment, resumeCommand);
  await control.assignWorker(jobId, pid);
}

/** Starts this program again, detached, with its output in a log file; returns its pid. Throws if it does not start. */
export async function startDetachedWorker(
  jobId: string,
  logPath: string,
  environment: Environment,
  resumeCommand: string,
): Promise<number> {
  const programArgs = readProgramArgs();
  try {
    const log = openSync(logPath, 'a', 0o600);
    try {
      const child = spawn(process.execPath, [...programArgs, 'jobs', 'work', jobId, '--local'], {
        detached: true,
        env: { ...environment },
        stdio: ['ignore', log, log],
        windowsHide: true,
      });
      await once(child, 'spawn');
      child.unref();
      return child.pid as number;
    } finally {
      closeSync(log);
    }
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    const message = `The job is stored, but its worker in the background could not be started (${code}).`;
    const hint = `Start it once that is fixed, with: ${resumeCommand}`;
    throw new Failure('storage', message, { hint, cause });
  }
}

/** Node needs the path of the program; a single executable is the program. */
function readProgramArgs(): string[] {
  if (isSingleExecutable()) return [];
  const program = process.argv[1];
  if (program === undefined) throw new Failure('internal', 'The path of the program is unknown.');
  return [program];
}
