import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import type { JobControl, ValidationService } from '../../../model/service.js';
import { variableOf } from '../../../settings/definitions.js';
import { withoutPassword } from '../../../settings/secrets.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { encodeJob, renderJob } from '../../render/jobs.js';
import { printRecord } from '../../results/print-records.js';

/** The control of jobs on this machine; a Failure at a service. */
export function requireControl({ jobs }: ValidationService): JobControl {
  if (jobs !== undefined) return jobs;
  throw new Failure('unsupported', 'This works with jobs on this machine only.', {
    // With --local, "latest" is another job.
    hint: 'The settings select a service. mailvet jobs list --local shows the jobs on this machine.',
  });
}

/** Opens a back end with the settings that the job was created with. */
export async function withJobSettings<Answer>(
  context: Context,
  control: JobControl,
  id: string,
  use: (control: JobControl, service: ValidationService) => Promise<Answer>,
): Promise<Answer> {
  const settings = context.settings();
  const stored = await control.settingsOf(id);
  const proxy = withCredentials(stored['proxy'] as string | null | undefined, settings.proxy);
  const service = await context.openService({ ...settings, ...stored, ...(proxy !== undefined && { proxy }) });
  try {
    return await use(requireControl(service), service);
  } finally {
    await service.close();
  }
}

/** A job does not store the password of its proxy: the current setting has it. */
function withCredentials(stored: string | null | undefined, current: string | null): string | null | undefined {
  if (!stored?.includes('//********@')) return stored;
  if (current !== null && withoutPassword(current) === stored) return current;
  throw new Failure('usage', `The job uses the proxy ${stored}, whose password is not stored with it.`, {
    hint: `Set ${variableOf('proxy')}, or store it with: mailvet config set proxy URL`,
  });
}

/** Prints a job, as JSON in a pipe. */
export function showJob(context: Context, job: Job, flags: FormatFlags = {}): Promise<void> {
  const { terminal, command, settings } = context;
  const canResume = settings().mode !== 'remote';
  const screen = (): string => renderJob(job, terminal.stdout, command, { canResume });
  return printRecord(context, flags, encodeJob(job), screen);
}
