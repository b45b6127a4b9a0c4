import { sleep, systemClock } from '../../../async/clock.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import type { Job } from '../../../model/job.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { showsTable } from '../../results/print-records.js';
import { startWorker } from './detached-worker.js';
import { findJobId } from './find-job.js';
import { requireCompleted, runJob, watchJob } from './follow.js';
import { showJob, withJobSettings } from './job-access.js';
import { mailTroubleOf } from './write-results.js';

export type ResumeFlags = FormatFlags & { wait?: boolean };

/** Continues a job in the background, or here with `--wait`. */
export async function runJobsResume(context: Context, idText: string, flags: ResumeFlags): Promise<number> {
  const { wait } = flags;
  const service = await context.service();
  const id = await findJobId(service, idText, context.signal);
  const getJob = () => service.getJob(id, { signal: context.signal });
  const stored = await getJob();
  if (stored.status === 'completed') {
    await showJob(context, stored, flags);
    context.note(
      `The job is complete, so there is nothing to resume. Its results: ${context.command('jobs', 'results', id)}`,
    );
    return 0;
  }
  const resumed = await service.resumeJob(id, { signal: context.signal });
  if (service.jobs === undefined) {
    // The service runs it.
    await showJob(context, wait ? await watchJob(context, getJob) : resumed, flags);
    return 0;
  }
  const control = service.jobs;
  if (!wait) {
    await startWorker(context, control, id);
    await showJob(context, await whenClaimed(context, getJob, resumed), flags);
    return 0;
  }
  const job = await withJobSettings(context, control, id, (jobControl) => runJob(context, jobControl, id));
  requireCompleted(context, job);
  if (!context.quiet || !showsTable(context, flags)) await showJob(context, job, flags);
  const trouble =
    dnsTroubleOf(job) ??
    dnsTroubleOf(countsSince(resumed, job)) ??
    (await mailTroubleOf(job, () => service.jobResults(id, { signal: context.signal })));
  if (trouble !== null) throw trouble;
  return 0;
}

const runCounts = ['valid_count', 'invalid_count', 'risky_count', 'unknown_count', 'reused_count'] as const;

/** What the last run added to the counts of a job. */
function countsSince(start: Job, end: Job): Job {
  const { sub_status_counts: before = {} } = start;
  const added: Job = { ...end };
  for (const name of runCounts) added[name] = (end[name] ?? 0) - (start[name] ?? 0);
  added.sub_status_counts = Object.fromEntries(
    Object.entries(end.sub_status_counts ?? {}).map(([reason, count]) => [reason, count - (before[reason] ?? 0)]),
  );
  return added;
}

const claimPollMs = 100;
const maxClaimPolls = 20;

/** The job once a worker has claimed it: until then, it looks as if it was still interrupted. */
async function whenClaimed({ signal }: Context, getJob: () => Promise<Job>, job: Job): Promise<Job> {
  let latest = job;
  for (let polls = 0; polls < maxClaimPolls && latest.interrupted; polls++) {
    await sleep(systemClock, claimPollMs, signal);
    latest = await getJob();
  }
  return latest;
}
