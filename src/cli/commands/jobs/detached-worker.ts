import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { isSingleExecutable } from '../../../disk/bundled-file.js';
import { Failure } from '../../../model/failure.js';
import type { JobControl } from '../../../model/service.js';
import { workerLogPath } from '../../../service/work-lock.js';
import { variableOf } from '../../../settings/definitions.js';
import type { Context } from '../../context.js';

/** Starts this program again, detached, to run a job, with its output in a log file. Throws if it does not start. */
export async function startWorker(
  { settings, environment, command }: Pick<Context, 'settings' | 'environment' | 'command'>,
  control: Pick<JobControl, 'assignWorker'>,
  jobId: string,
): Promise<void> {
  const { store, proxy, dataDir, mode, apiKey } = settings();
  // Other users could read passwords on a command line.
  const env = {
    ...environment,
    ...(store !== null && { [variableOf('store')]: store }),
    ...(proxy !== null && { [variableOf('proxy')]: proxy }),
    ...(mode === 'hybrid' && apiKey !== null && { [variableOf('api_key')]: apiKey }),
  };
  const args = [...readProgramArgs(), 'jobs', 'work', jobId, '--local'];
  let pid: number | undefined;
  try {
    const log = openSync(workerLogPath(dataDir, jobId), 'a', 0o600);
    try {
      const options = { detached: true, env, stdio: ['ignore', log, log] satisfies StdioOptions, windowsHide: true };
      const child = spawn(process.execPath, args, options);
      await once(child, 'spawn');
      child.unref();
      pid = child.pid;
    } finally {
      closeSync(log);
    }
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    const message = `The job is stored, but its worker in the background could not be started (${code}).`;
    const hint = `Start it once that is fixed, with: ${command('jobs', 'resume', jobId)}`;
    throw new Failure('storage', message, { hint, cause });
  }
  await control.assignWorker(jobId, pid as number);
}

/** Node needs the path of the program; a single executable is the program. */
function readProgramArgs(): string[] {
  if (isSingleExecutable()) return [];
  const program = process.argv[1];
  if (program === undefined) throw new Failure('internal', 'The path of the program is unknown.');
  return [program];
}
