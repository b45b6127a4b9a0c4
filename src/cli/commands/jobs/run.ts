import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import { isFinalState, sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { encodeJob } from '../../render/jobs.js';
import { printRecord, showsTable } from '../../results/print-records.js';
import { canAsk, confirmDeletion } from '../../terminal/confirm-deletion.js';
import { findJobId } from './find-job.js';
import { noteInterrupted, watchJobs } from './follow.js';
import { fetchJobs, requireControl, showJob, withJobSettings } from './job-access.js';

export type DeleteFlags = FormatFlags & { yes?: boolean };
export type GetFlags = FormatFlags & { watch?: boolean };

const localPollMs = 500;

/** Prints one job, at its end with `--watch`. */
export async function runJobsGet(context: Context, idText: string, flags: GetFlags): Promise<number> {
  const { watch } = flags;
  const service = await context.service();
  const id = await findJobId(service, idText, context.signal);
  const poll = async (): Promise<Job[]> => {
    const jobs = await fetchJobs(context, service, id, watch ? { retries: 0 } : {});
    // An interrupted job never ends, so the note cannot wait for the end. Repeated notes are shown once.
    if (watch && sumJobs(jobs).interrupted) noteInterrupted(context, jobs);
    return jobs;
  };
  const options = service.jobs === undefined ? {} : { intervalMs: localPollMs };
  const jobs = watch ? await watchJobs(context, poll, options) : await poll();
  await showJob(context, jobs, flags);
  if (!showsTable(context, flags)) noteInterrupted(context, jobs);
  return 0;
}

/** Stops a job, unless it has ended. */
export async function runJobsCancel(context: Context, idText: string, flags: FormatFlags): Promise<number> {
  const service = await context.service();
  const id = await findJobId(service, idText, context.signal);
  const jobs = await fetchJobs(context, service, id);
  if (jobs.every(({ status }) => isFinalState(status))) {
    await showJob(context, jobs, flags);
    context.note(`The job had already ended (${sumJobs(jobs).status}); nothing was canceled.`);
    return 0;
  }
  if (service.jobs === undefined) {
    for (const [index, job] of jobs.entries()) {
      if (!isFinalState(job.status)) jobs[index] = await service.cancelJob(job.id, { signal: context.signal });
    }
    await showJob(context, jobs, flags);
    return 0;
  }
  await service.cancelJob(id, { signal: context.signal });
  await showJob(context, await service.jobs.jobsOf(id), flags);
  return 0;
}

/** Deletes a job that has ended. On a terminal it asks first; elsewhere it needs --yes. */
export async function runJobsDelete(context: Context, idText: string, flags: DeleteFlags): Promise<number> {
  const { yes } = flags;
  const service = await context.service();
  const id = await findJobId(service, idText, context.signal);
  const { filename = '', status } = sumJobs(await fetchJobs(context, service, id));
  if (isFinalState(status)) {
    if (!yes && !canAsk(context)) {
      throw new Failure('usage', `Deleting the job of ${filename} needs confirmation.`, {
        hint: 'Add --yes to delete it with its file and results.',
      });
    }
    if (!(await confirmDeletion(context, `Delete the job of ${filename} with its results?`, yes))) return 0;
  }
  const jobs: Job[] = [];
  for (const each of id.split(',')) jobs.push(await service.deleteJob(each, { signal: context.signal }));
  await printRecord(context, flags, encodeJob(sumJobs(jobs)), () => '');
  if (showsTable(context, flags)) context.note(`The job of ${filename} was deleted, with its file and results.`);
  return 0;
}

/** Runs the jobs of one upload in a background process. */
export async function runJobsWork(context: Context, id: string): Promise<number> {
  const control = requireControl(await context.service());
  await withJobSettings(context, control, id, (jobControl) => jobControl.work(id, { signal: context.signal }));
  return 0;
}
