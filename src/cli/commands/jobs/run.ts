import { sleep, systemClock } from '../../../async/clock.js';
import { formatAmount } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import type { Job } from '../../../model/job.js';
import { openRunRecords } from '../../../service/answers/open-answers.js';
import { isFinalState } from '../../../service/job-states.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { encodeJob } from '../../render/jobs.js';
import { checkOutputTargets } from '../../results/output-files.js';
import { printRecord, showsTable } from '../../results/print-records.js';
import { confirmDeletion } from '../../terminal/confirm-deletion.js';
import { startWorker } from './detached-worker.js';
import { findJobId } from './find-job.js';
import { noteInterrupted, requireCompleted, runJob, watchJob } from './follow.js';
import { requireControl, showJob, withJobSettings } from './job-access.js';
import { mailTroubleOf, openResults, type ResultOptions, writeJobResults } from './write-results.js';

export type DeleteFlags = FormatFlags & { yes?: boolean };
export type GetFlags = FormatFlags & { watch?: boolean };
export type ResumeFlags = FormatFlags & { wait?: boolean };

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

/** The job that a text names. */
async function findJob(context: Context, idText: string) {
  const { signal } = context;
  const service = await context.service();
  const id = await findJobId(service, idText, signal);
  return { service, signal, id, job: await service.getJob(id, { signal }) };
}

/** Stops a job, unless it has ended. */
export async function runJobsCancel(context: Context, idText: string, flags: FormatFlags): Promise<number> {
  const { service, signal, id, job } = await findJob(context, idText);
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
  const { service, signal, id, job } = await findJob(context, idText);
  const { filename = '', status } = job;
  const question = `Delete the job of ${filename} with its results?`;
  const needed = `Deleting the job of ${filename}`;
  if (isFinalState(status) && !(await confirmDeletion(context, { question, yes, needed }))) return 0;
  const deleted = await service.deleteJob(id, { signal });
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

/** Writes the results of a job, also while it runs. */
export async function runJobsResults(context: Context, idText: string, options: ResultOptions): Promise<number> {
  const { service, job } = await findJob(context, idText);
  const targets = { ...options, list: job.filename ?? null };
  await checkOutputTargets(context, targets, []);
  const status = await writeJobResults(context, await openResults(context, service, job), job, targets);
  const { only, fields } = options.output;
  // Not a look at some of the rows.
  if (status === 0 && only === null && fields === null && isFinalState(job.status)) {
    await openRunRecords(context.settings().dataDir).removeJobs(job.id.split(','));
  }
  if (job.status === 'queued' || job.status === 'running') {
    context.note('The job is not done yet; rows without a verdict are still to come.');
  }
  noteInterrupted(context, [job]);
  const { forgotten_count: forgotten = 0 } = job;
  const rows = formatAmount(forgotten, 'row of the job was', 'rows of the job were');
  if (forgotten > 0) context.note(`${rows} deleted with "mailvet forget".`);
  warnOfMissingRows(context, job, service.jobs !== undefined);
  return status;
}

/** Warns of rows without a verdict in a job that was canceled or failed. */
function warnOfMissingRows(context: Context, job: Job, canResume: boolean): void {
  const { id, status, error, total = 0, processed = 0 } = job;
  if ((status !== 'canceled' && status !== 'failed') || processed >= total) return;
  const reason = status === 'canceled' ? 'The job was canceled' : `The job failed${error ? ` (${error})` : ''}`;
  const hint = canResume ? ` Continue it with: ${context.command('jobs', 'resume', id)}` : '';
  const missing = total - processed;
  context.warn(`${reason}, so ${formatAmount(missing, 'row has', 'rows have')} no verdict.${hint}`);
}

/** Continues a job in the background, or here with `--wait`. */
export async function runJobsResume(context: Context, idText: string, flags: ResumeFlags): Promise<number> {
  const { wait } = flags;
  const { service, signal, id, job: stored } = await findJob(context, idText);
  const getJob = () => service.getJob(id, { signal });
  if (stored.status === 'completed') {
    await showJob(context, stored, flags);
    context.note(
      `The job is complete, so there is nothing to resume. Its results: ${context.command('jobs', 'results', id)}`,
    );
    return 0;
  }
  const resumed = await service.resumeJob(id, { signal });
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
  const trouble = dnsTroubleOf(job) ?? (await mailTroubleOf(job, () => service.jobResults(id, { signal })));
  if (trouble !== null) throw trouble;
  return 0;
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
