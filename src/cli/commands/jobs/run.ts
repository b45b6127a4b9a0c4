import { amount } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job, JobState } from '../../../model/job.js';
import type { JobControl, ValidationService } from '../../../model/service.js';
import { workerLogPath } from '../../../service/local/background-work.js';
import { requireAllRows, sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import { refusePaidFix } from '../../flags/review-flags.js';
import { renderJob } from '../../render/job-card.js';
import { interruptedLists } from '../../render/job-words.js';
import { renderJobs } from '../../render/jobs.js';
import { checkOutputTargets } from '../../results/output-files.js';
import { type StartWorker, startDetachedWorker, workerEnvironment } from './detached-worker.js';
import { findJobId } from './find-job.js';
import { hasEnded, requireCompleted, watchJobs, workHere } from './follow.js';
import { type ResultOptions, targetsOf, writeJobResults } from './write-results.js';

const localPollMs = 500;

/** Prints a page of jobs. */
export async function runJobsList(
  context: Context,
  options: { skip: number; limit: number; status: JobState | undefined; json: boolean },
): Promise<number> {
  const { skip, limit, status } = options;
  const service = await context.service();
  if (status !== undefined && service.jobs === undefined) {
    throw new Failure('unsupported', 'A remote service cannot filter jobs by status.', {
      hint: 'Leave out --status.',
    });
  }
  const page =
    status !== undefined && service.jobs !== undefined
      ? await service.jobs.listJobs({ skip, limit, status })
      : await service.listJobs({ skip, limit }, { signal: context.signal });
  const { stdout } = context.terminal;
  const asJson = options.json || !stdout.isTty;
  await stdout.write(asJson ? `${JSON.stringify(page)}\n` : renderJobs(page.jobs, stdout, Date.now()));
  if (asJson) sayInterrupted(context, page.jobs);
  return 0;
}

/** Prints one job, or follows it to its end. */
export async function runJobsGet(
  context: Context,
  { id: given, watch, json }: { id: string; watch: boolean; json: boolean },
): Promise<number> {
  const service = await context.service();
  const id = await findJobId(service, given, context.signal);
  const look = (): Promise<Job[]> => lookAt(context, service, id);
  const intervalMs = service.jobs === undefined ? undefined : localPollMs;
  const jobs = watch ? await watchJobs(context, sayOnce(context, look), intervalMs) : await look();
  await show(context, jobs, json);
  if (json || !context.terminal.stdout.isTty) sayInterrupted(context, jobs);
  return 0;
}

/** Writes the results of a job as far as there are any. */
export async function runJobsResults(
  context: Context,
  { id: given, ...wishes }: ResultOptions & { id: string },
): Promise<number> {
  const service = await context.service();
  if (service.jobs === undefined) refusePaidFix(wishes.review);
  await checkOutputTargets(context, targetsOf(wishes, null), []);
  const id = await findJobId(service, given, context.signal);
  const jobs = await lookAt(context, service, id);
  const handedOut = await service.jobResults(id, { signal: context.signal });
  const results = service.jobs === undefined ? requireAllRows(handedOut, sumJobs(jobs)) : handedOut;
  const write = (own: ValidationService): Promise<number> =>
    writeJobResults(context, own, results, sumJobs(jobs), { ...wishes, list: null });
  // Corrections are asked for as the job asked.
  const ownControl = wishes.review.fix ? service.jobs : undefined;
  const status = await (ownControl === undefined
    ? write(service)
    : withJobSettings(context, ownControl, id, (_, own) => write(own)));
  if (jobs.some(({ status }) => status === 'queued' || status === 'running')) {
    context.note('The job is not done yet; rows without a verdict are still to come.');
  }
  sayInterrupted(context, jobs);
  sayUnfinished(context, jobs, service.jobs !== undefined);
  return status;
}

/** Stops a job; one that has ended stays as it is. */
export async function runJobsCancel(
  context: Context,
  { id: given, json }: { id: string; json: boolean },
): Promise<number> {
  const service = await context.service();
  const id = await findJobId(service, given, context.signal);
  const before = await lookAt(context, service, id);
  if (before.every(hasEnded)) {
    await show(context, before, json);
    context.note(`The job had already ended (${sumJobs(before).status}); nothing was canceled.`);
    return 0;
  }
  const job = await service.cancelJob(id, { signal: context.signal });
  await show(context, service.jobs === undefined ? [job] : await service.jobs.jobsOf(id), json);
  return 0;
}

/** Goes on with a job here or in the background; one that is complete needs nothing. */
export async function runJobsResume(
  context: Context,
  options: { id: string; wait: boolean; onlyUnknown: boolean; json: boolean },
  startWorker: StartWorker = startDetachedWorker,
): Promise<number> {
  const service = await context.service();
  const control = requireControl(service);
  const { wait, onlyUnknown, json } = options;
  const id = await findJobId(service, options.id, context.signal);
  const before = await control.jobsOf(id);
  if (!onlyUnknown && before.every(({ status }) => status === 'completed')) {
    await show(context, before, json);
    context.note(
      `The job is complete, so there is nothing to resume. Its results: mailvet jobs results ${id}; --only-unknown asks again where nothing was found out.`,
    );
    return 0;
  }
  const jobs = await control.resume(id, { onlyUnknown });
  if (!wait) {
    await startWorker(id, workerLogPath(context.settings().dataDir, id), workerEnvironment(context));
    await show(context, jobs, json);
    return 0;
  }
  const ended = await withJobSettings(context, control, id, (own) => workHere(context, own, id));
  requireCompleted(ended);
  if (!context.quiet) await show(context, ended, json);
  const trouble = dnsTroubleOf(sumJobs(ended));
  if (trouble !== null) throw trouble;
  return 0;
}

/** Forgets old jobs. */
export async function runJobsPrune(
  context: Context,
  { olderThanMs, json }: { olderThanMs: number; json: boolean },
): Promise<number> {
  const pruned = await requireControl(await context.service()).prune(olderThanMs);
  const { stdout } = context.terminal;
  if (json || !stdout.isTty) await stdout.write(`${JSON.stringify({ pruned })}\n`);
  else context.note(`${amount(pruned, 'job')} ${pruned === 1 ? 'was' : 'were'} deleted.`);
  return 0;
}

/** The background worker of one upload. */
export async function runJobsWork(context: Context, { id }: { id: string }): Promise<number> {
  const control = requireControl(await context.service());
  await withJobSettings(context, control, id, (own) => own.work(id, { signal: context.signal }));
  return 0;
}

/** With an engine set up as it was when the job was made. */
async function withJobSettings<Answer>(
  context: Context,
  control: JobControl,
  id: string,
  use: (own: JobControl, service: ValidationService) => Promise<Answer>,
): Promise<Answer> {
  const kept = await control.settingsOf(id);
  const service = await context.openService({ ...context.settings(), ...kept });
  try {
    return await use(requireControl(service), service);
  } finally {
    await service.close();
  }
}

async function lookAt({ signal }: Context, service: ValidationService, id: string): Promise<Job[]> {
  return service.jobs === undefined ? [await service.getJob(id, { signal })] : service.jobs.jobsOf(id);
}

/** Tells of jobs whose worker was killed, once for each list. */
function sayInterrupted({ note }: Context, jobs: readonly Job[]): void {
  for (const id of interruptedLists(jobs)) {
    note(`The job was interrupted. Continue it with: mailvet jobs resume ${id}`);
  }
}

/** Tells of rows that get no verdict unless somebody goes on with a job that has ended. */
function sayUnfinished({ warn }: Context, jobs: readonly Job[], canResume: boolean): void {
  const { id, status, error, total = 0, processed = 0 } = sumJobs(jobs);
  if ((status !== 'canceled' && status !== 'failed') || !jobs.every(hasEnded) || processed >= total) return;
  const why = status === 'canceled' ? 'The job was canceled' : `The job failed${error ? ` (${error})` : ''}`;
  const next = canResume ? ` Go on with: mailvet jobs resume ${id}` : '';
  warn(`${why}, so ${amount(total - processed, 'row has', 'rows have')} no verdict.${next}`);
}

/** A watcher would wait for ever, and may want to know that. */
function sayOnce(context: Context, look: () => Promise<Job[]>): () => Promise<Job[]> {
  let said = false;
  return async () => {
    const jobs = await look();
    if (!said && sumJobs(jobs).interrupted) {
      said = true;
      sayInterrupted(context, jobs);
    }
    return jobs;
  };
}

function requireControl({ jobs }: ValidationService): JobControl {
  if (jobs !== undefined) return jobs;
  throw new Failure('unsupported', 'Only jobs on this machine can be resumed or deleted.', {
    hint: 'Add --local.',
  });
}

async function show({ terminal: { stdout } }: Context, jobs: readonly Job[], json: boolean): Promise<void> {
  await stdout.write(json || !stdout.isTty ? `${JSON.stringify(sumJobs(jobs))}\n` : renderJob(jobs, stdout));
}
