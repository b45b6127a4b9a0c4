import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import { isFinalState } from '../../../service/job-states.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { encodeJob } from '../../render/jobs.js';
import { printRecord, showsTable } from '../../results/print-records.js';
import { canAsk, confirmDeletion } from '../../terminal/confirm-deletion.js';
import { findJobId } from './find-job.js';
import { noteInterrupted, watchJob } from './follow.js';
import { requireControl, showJob, withJobSettings } from './job-access.js';

export type DeleteFlags = FormatFlags & { yes?: boolean };
export type GetFlags = FormatFlags & { watch?: boolean };

const localPollMs = 500;

/** Prints one job, at its end with `--watch`. */
export async function runJobsGet(context: Context, idText: string, flags: GetFlags): Promise<number> {
  const { watch } = flags;
  const { signal } = context;
  const service = await context.service();
  const id = await findJobId(service, idText, signal);
  const poll = async (): Promise<Job> => {
    const job = await service.getJob(id, { signal, ...(watch && { retries: 0 }) });
    // An interrupted job never ends, so the note cannot wait for the end. Repeated notes are shown once.
    if (watch) noteInterrupted(context, [job]);
    return job;
  };
  const options = service.jobs === undefined ? {} : { intervalMs: localPollMs };
  const job = watch ? await watchJob(context, poll, options) : await poll();
  await showJob(context, job, flags);
  if (!showsTable(context, flags)) noteInterrupted(context, [job]);
  return 0;
}

/** Stops a job, unless it has ended. */
export async function runJobsCancel(context: Context, idText: string, flags: FormatFlags): Promise<number> {
  const { signal } = context;
  const service = await context.service();
  const id = await findJobId(service, idText, signal);
  const job = await service.getJob(id, { signal });
  if (isFinalState(job.status)) {
    await showJob(context, job, flags);
    context.note(`The job had already ended (${job.status}); nothing was canceled.`);
    return 0;
  }
  await showJob(context, await service.cancelJob(id, { signal }), flags);
  return 0;
}

/** Deletes a job that has ended. On a terminal it asks first; elsewhere it needs --yes. */
export async function runJobsDelete(context: Context, idText: string, flags: DeleteFlags): Promise<number> {
  const { yes } = flags;
  const service = await context.service();
  const id = await findJobId(service, idText, context.signal);
  const { filename = '', status } = await service.getJob(id, { signal: context.signal });
  if (isFinalState(status)) {
    if (!yes && !canAsk(context)) {
      throw new Failure('usage', `Deleting the job of ${filename} needs confirmation.`, {
        hint: 'Add --yes to delete it with its file and results.',
      });
    }
    if (!(await confirmDeletion(context, `Delete the job of ${filename} with its results?`, yes))) return 0;
  }
  const deleted = await service.deleteJob(id, { signal: context.signal });
  await printRecord(context, flags, encodeJob(deleted), () => '');
  if (showsTable(context, flags)) context.note(`The job of ${filename} was deleted, with its file and results.`);
  return 0;
}

/** Runs the jobs of one upload in a background process. */
export async function runJobsWork(context: Context, id: string): Promise<number> {
  const control = requireControl(await context.service());
  await withJobSettings(context, control, id, (jobControl) => jobControl.work(id, { signal: context.signal }));
  return 0;
}
