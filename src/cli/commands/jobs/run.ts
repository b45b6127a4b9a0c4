import { sleep, systemClock } from '../../../async/clock.js';
import { formatAmount } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import type { JobControl, ValidationService } from '../../../model/service.js';
import { isFinalState, sumJobs } from '../../../service/sum-jobs.js';
import { openUnfetchedJobs } from '../../../service/unfetched-jobs.js';
import type { Context } from '../../context.js';
import { refusePaidFix } from '../../flags/list-flags.js';
import { encodeJob, renderJob } from '../../render/jobs.js';
import { checkOutputTargets } from '../../results/output-files.js';
import { canAsk, confirmDeletion } from '../../terminal/confirm-deletion.js';
import { startWorker } from './detached-worker.js';
import { findJobId } from './find-job.js';
import { noteInterrupted, requireCompleted, runJob, watchJobs } from './follow.js';
import { mailTroubleOf, openServiceResults, type ResultOptions, writeJobResults } from './write-results.js';

type JsonFlag = { json?: boolean };
export type GetFlags = JsonFlag & { watch?: boolean };
export type ResumeFlags = JsonFlag & { wait?: boolean; onlyUnknown?: boolean };
/** `olderThan` is in ms. */
export type PruneFlags = JsonFlag & { olderThan: number; dryRun?: boolean; yes?: boolean };
export type DeleteFlags = JsonFlag & { yes?: boolean };

const localPollMs = 500;

/** Prints one job, at its end with `--watch`. */
export async function runJobsGet(context: Context, idText: string, { watch, json }: GetFlags): Promise<number> {
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
  await showJob(context, jobs, json);
  if (json || !context.terminal.stdout.isTty) noteInterrupted(context, jobs);
  return 0;
}

/** Whether the results are all rows with all columns, not a look at some. */
function hasAllRows({ output: { main, rejects }, review }: ResultOptions): boolean {
  return (main.only === null || rejects !== null) && main.fields === null && !review.onlyChanged;
}

/** Writes the results of a job, also while it runs. */
export async function runJobsResults(context: Context, idText: string, options: ResultOptions): Promise<number> {
  const service = await context.service();
  const isLocal = service.jobs !== undefined;
  const { review } = options;
  if (!isLocal) refusePaidFix(review);
  const id = await findJobId(service, idText, context.signal);
  const jobs = await fetchJobs(context, service, id);
  const targets = { ...options, list: sumJobs(jobs).filename ?? null };
  await checkOutputTargets(context, targets, []);
  const results = await (isLocal
    ? service.jobResults(id, { signal: context.signal })
    : openServiceResults(context, service, jobs));
  const settings = review.fix ? await service.jobs?.settingsOf(id) : undefined;
  const { exclude = [] } = (settings ?? {}) as { exclude?: string[] };
  const write = (validator: ValidationService): Promise<number> =>
    writeJobResults(context, validator, results, sumJobs(jobs), { ...targets, exclude });
  // Corrections are checked with the settings of the job.
  const status = await (service.jobs !== undefined && review.fix
    ? withJobSettings(context, service.jobs, id, (_, jobService) => write(jobService))
    : write(service));
  if (status === 0 && hasAllRows(options) && jobs.every((job) => isFinalState(job.status))) {
    await openUnfetchedJobs(context.settings().dataDir).removeJobs(isLocal ? [id] : jobs.map((job) => job.id));
  }
  if (jobs.some((job) => job.status === 'queued' || job.status === 'running')) {
    context.note('The job is not done yet; rows without a verdict are still to come.');
  }
  noteInterrupted(context, jobs);
  const { forgotten_count: forgotten = 0 } = sumJobs(jobs);
  if (forgotten > 0) context.note(forgottenNote(forgotten));
  warnOfMissingRows(context, jobs, isLocal, options.output.rejects !== null);
  return status;
}

function forgottenNote(rows: number): string {
  const [were, them] = rows === 1 ? ['was', 'it'] : ['were', 'them'];
  return `${formatAmount(rows, 'row')} of the job ${were} deleted with "mailvet forget"; the counts of "mailvet jobs get" still include ${them}.`;
}

/** Stops a job, unless it has ended. */
export async function runJobsCancel(context: Context, idText: string, { json }: JsonFlag): Promise<number> {
  const service = await context.service();
  const id = await findJobId(service, idText, context.signal);
  const jobs = await fetchJobs(context, service, id);
  if (jobs.every(({ status }) => isFinalState(status))) {
    await showJob(context, jobs, json);
    context.note(`The job had already ended (${sumJobs(jobs).status}); nothing was canceled.`);
    return 0;
  }
  if (service.jobs === undefined) {
    for (const [index, job] of jobs.entries()) {
      if (!isFinalState(job.status)) jobs[index] = await service.cancelJob(job.id, { signal: context.signal });
    }
    await showJob(context, jobs, json);
    return 0;
  }
  await service.cancelJob(id, { signal: context.signal });
  await showJob(context, await service.jobs.jobsOf(id), json);
  return 0;
}

/** Continues a job in the background, or here with `--wait`. */
export async function runJobsResume(
  context: Context,
  idText: string,
  { wait, onlyUnknown = false, json }: ResumeFlags,
): Promise<number> {
  const service = await context.service();
  const control = requireControl(service);
  const id = await findJobId(service, idText, context.signal);
  const stored = await control.jobsOf(id);
  if (!onlyUnknown && stored.every(({ status }) => status === 'completed')) {
    await showJob(context, stored, json);
    context.note(
      `The job is complete, so there is nothing to resume; --only-unknown asks again for unknown addresses. Its results: ${context.command('jobs', 'results', id)}`,
    );
    return 0;
  }
  if (onlyUnknown && stored.every(({ status, unknown_count: unknown }) => status === 'completed' && unknown === 0)) {
    await showJob(context, stored, json);
    context.note('The job has no unknown addresses, so there is nothing to ask again.');
    return 0;
  }
  if (onlyUnknown && stored.some(({ status }) => status === 'canceled' || status === 'failed')) {
    context.note('The job was stopped before its end, so the rest of its rows are vetted, too.');
  }
  const jobs = await control.resume(id, { onlyUnknown });
  if (!wait) {
    await startWorker(context, control, id);
    await showJob(context, await whenClaimed(context, control, id, jobs), json);
    return 0;
  }
  const ended = await withJobSettings(context, control, id, (jobControl) => runJob(context, jobControl, id));
  requireCompleted(context, ended);
  if (!context.quiet || json || !context.terminal.stdout.isTty) await showJob(context, ended, json);
  const job = sumJobs(ended);
  const trouble =
    dnsTroubleOf(job) ??
    dnsTroubleOf(countsSince(sumJobs(jobs), job)) ??
    (await mailTroubleOf(context, job, () => service.jobResults(id, { signal: context.signal })));
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

/** The jobs once a worker has claimed them: until then, they look as if they were still interrupted. */
async function whenClaimed(context: Context, control: JobControl, id: string, jobs: readonly Job[]) {
  let latest = jobs;
  for (let polls = 0; polls < maxClaimPolls && sumJobs(latest).interrupted; polls++) {
    await sleep(systemClock, claimPollMs, context.signal);
    latest = await control.jobsOf(id);
  }
  return latest;
}

/** Deletes a job that has ended. On a terminal it asks first; elsewhere it needs --yes. */
export async function runJobsDelete(context: Context, idText: string, { yes, json }: DeleteFlags): Promise<number> {
  const service = await context.service();
  const control = requireControl(service);
  const id = await findJobId(service, idText, context.signal);
  const { filename = '', status } = sumJobs(await control.jobsOf(id));
  if (isFinalState(status)) {
    if (!yes && !canAsk(context)) {
      throw new Failure('usage', `Deleting the job of ${filename} needs confirmation.`, {
        hint: 'Add --yes to delete it with its file and results.',
      });
    }
    if (!(await confirmDeletion(context, `Delete the job of ${filename} with its results?`, yes))) return 0;
  }
  const jobs = await control.deleteJobs(id);
  const { stdout } = context.terminal;
  if (json || !stdout.isTty) await stdout.write(`${JSON.stringify(sumJobs(jobs))}\n`);
  else context.note(`The job of ${filename} was deleted, with its file and results.`);
  return 0;
}

/** Deletes jobs that ended earlier. On a terminal it asks first; elsewhere it needs --yes. */
export async function runJobsPrune(
  context: Context,
  { olderThan, dryRun = false, yes, json }: PruneFlags,
): Promise<number> {
  const control = requireControl(await context.service());
  const { stdout } = context.terminal;
  const asJson = json || !stdout.isTty;
  if (!dryRun && !yes && !canAsk(context)) {
    throw new Failure('usage', 'Deleting jobs needs confirmation.', {
      hint: 'Add --yes to delete them with their files and results, or --dry-run to count them.',
    });
  }
  const wouldPrune = dryRun || !yes ? await control.prune(olderThan, { isDryRun: true }) : 0;
  if (dryRun) {
    if (asJson) await stdout.write(`${JSON.stringify({ would_prune: wouldPrune })}\n`);
    else context.note(`${formatAmount(wouldPrune, 'job')} would be deleted.`);
    return 0;
  }
  const question = `Delete ${formatAmount(wouldPrune, 'job')} with all results?`;
  if (wouldPrune > 0 && !(await confirmDeletion(context, question, yes))) return 0;
  const pruned = await control.prune(olderThan);
  if (asJson) await stdout.write(`${JSON.stringify({ pruned })}\n`);
  else context.note(`${formatAmount(pruned, 'job')} ${pruned === 1 ? 'was' : 'were'} deleted.`);
  return 0;
}

/** Runs the jobs of one upload in a background process. */
export async function runJobsWork(context: Context, id: string): Promise<number> {
  const control = requireControl(await context.service());
  await withJobSettings(context, control, id, (jobControl) => jobControl.work(id, { signal: context.signal }));
  return 0;
}

/** Opens a back end with the settings that the job was created with. */
async function withJobSettings<Answer>(
  context: Context,
  control: JobControl,
  id: string,
  use: (control: JobControl, service: ValidationService) => Promise<Answer>,
): Promise<Answer> {
  const service = await context.openService({ ...context.settings(), ...(await control.settingsOf(id)) });
  try {
    return await use(requireControl(service), service);
  } finally {
    await service.close();
  }
}

async function fetchJobs(
  { signal }: Context,
  service: ValidationService,
  id: string,
  options: { retries?: number } = {},
): Promise<Job[]> {
  if (service.jobs !== undefined) return service.jobs.jobsOf(id);
  const jobs: Job[] = [];
  for (const each of id.split(',')) jobs.push(await service.getJob(each, { signal, ...options }));
  return jobs;
}

/** Warns of rows without a verdict in a job that was canceled or failed. */
function warnOfMissingRows(context: Context, jobs: readonly Job[], canResume: boolean, hasRejects: boolean): void {
  const { id, status, error, total = 0, processed = 0 } = sumJobs(jobs);
  if ((status !== 'canceled' && status !== 'failed') || processed >= total) return;
  const reason = status === 'canceled' ? 'The job was canceled' : `The job failed${error ? ` (${error})` : ''}`;
  const hint = canResume ? ` Continue it with: ${context.command('jobs', 'resume', id)}` : '';
  const missing = total - processed;
  const where = hasRejects ? ` and ${missing === 1 ? 'is' : 'are'} in neither file` : '';
  context.warn(`${reason}, so ${formatAmount(missing, 'row has', 'rows have')} no verdict${where}.${hint}`);
}

function requireControl({ jobs }: ValidationService): JobControl {
  if (jobs !== undefined) return jobs;
  throw new Failure('unsupported', 'Only jobs on this machine can be resumed or deleted.', {
    // With --local, "latest" is another job.
    hint: 'The settings select a service. mailvet jobs list --local shows the jobs on this machine.',
  });
}

async function showJob(
  { terminal: { stdout }, command, settings }: Context,
  jobs: readonly Job[],
  json = false,
): Promise<void> {
  const canResume = settings().mode === 'local';
  await stdout.write(
    json || !stdout.isTty
      ? `${JSON.stringify(encodeJob(sumJobs(jobs)))}\n`
      : renderJob(jobs, stdout, command, { canResume }),
  );
}
