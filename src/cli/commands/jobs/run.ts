import type { Job } from '../../../model/job.js';
import { isFinalState, sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { showsTable } from '../../results/print-records.js';
import { findJobId } from './find-job.js';
import { noteInterrupted, watchJobs } from './follow.js';
import { fetchJobs, requireControl, showJob, withJobSettings } from './job-access.js';

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

/** Runs the jobs of one upload in a background process. */
export async function runJobsWork(context: Context, id: string): Promise<number> {
  const control = requireControl(await context.service());
  await withJobSettings(context, control, id, (jobControl) => jobControl.work(id, { signal: context.signal }));
  return 0;
}
