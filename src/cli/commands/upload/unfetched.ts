import { formatNumber } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import { shortId } from '../../../model/text/short-id.js';
import { renderAgo } from '../../../model/text/time.js';
import { isFinalState, isSucceeded, sumJobs } from '../../../service/sum-jobs.js';
import { digestList, openUnfetchedJobs } from '../../../service/unfetched-jobs.js';
import type { Context } from '../../context.js';
import { resultFlagsIn } from '../../flags/list-flags.js';
import type { UploadOptions } from './upload-options.js';

/** Older verdicts are not taken without a question. */
const continuedForMs = 24 * 60 * 60_000;
/** Shorter than the time between nightly runs. */
const confirmedAgainForMs = 12 * 60 * 60_000;

/**
 * The jobs of an earlier run of the same list whose rows were not written. A list is found by its content, its column and
 * `backEnd`: everything else that its verdicts depend on.
 */
export async function openUnfetchedList(
  context: Context,
  options: UploadOptions,
  columns: readonly number[],
  backEnd: Record<string, unknown>,
) {
  const { path, reading, isNew, parts, exclude } = options;
  const suppressed = await Promise.all(exclude.map((file) => digestList(file, null)));
  const howVetted = { reading, columns, suppressed, ...backEnd };
  const digest = parts !== undefined ? null : await digestList(path, howVetted);
  const unfetched = openUnfetchedJobs(context.settings().dataDir);
  return {
    /** The jobs to continue instead of new ones, if there are any. Asks on a terminal. */
    find: async (fetchJob: (id: string) => Promise<Job>): Promise<Job[] | null> => {
      const record = digest === null || isNew ? null : await unfetched.find(digest);
      const jobs = record === null ? null : await fetchAll(record.ids, fetchJob);
      if (record === null || jobs === null) return null;
      if (!isUsable(jobs)) {
        noteCanceled(context, jobs);
        return null;
      }
      return (await isWanted(context, options, jobs, Date.now() - record.sentAt)) ? jobs : null;
    },
    /** Called when the jobs exist. */
    add: async (jobs: readonly Job[]): Promise<void> => {
      if (digest === null) return;
      const ids = jobs.map(({ id }) => id);
      await unfetched.add(digest, ids).catch(() => {
        context.note('If this upload is stopped, the same command cannot continue it: its job could not be recorded.');
      });
    },
    /** Called when their rows are written. */
    remove: (jobs: readonly Job[]): Promise<void> => unfetched.removeJobs(jobs.map(({ id }) => id)),
  };
}

/** The uploads of a list to a service while their jobs are created. Confirmed again, an upload is the same job. */
export async function openPendingUploads(
  context: Context,
  { path, reading, maxRows, parts, isNew }: UploadOptions,
  howVetted: Record<string, unknown>,
) {
  const digest = parts === undefined ? await digestList(path, { reading, maxRows, ...howVetted }) : null;
  const key = digest === null ? null : `${digest}-uploads`;
  const records = openUnfetchedJobs(context.settings().dataDir);
  return {
    /** The uploads of an earlier run that was stopped at that time: their jobs may exist, and be charged. */
    find: async (): Promise<readonly string[]> => {
      const found = key === null || isNew ? null : await records.find(key);
      return found !== null && Date.now() - found.sentAt < confirmedAgainForMs ? found.ids : [];
    },
    /** Called before the jobs are created. They are created even if this cannot be recorded. */
    add: async (ids: readonly string[]): Promise<void> => {
      if (key !== null) await records.add(key, ids).catch(() => {});
    },
    /** Called when all jobs exist. */
    remove: async (): Promise<void> => {
      if (key !== null) await records.remove(key).catch(() => {});
    },
  };
}

/** Null if one of the jobs was deleted. */
async function fetchAll(ids: readonly string[], fetchJob: (id: string) => Promise<Job>): Promise<Job[] | null> {
  try {
    const jobs: Job[] = [];
    for (const id of ids) jobs.push(await fetchJob(id));
    return jobs;
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null;
    throw error;
  }
}

/** False if the jobs have no rows that are worth fetching. */
function isUsable(jobs: readonly Job[]): boolean {
  const areGood = jobs.every(({ status }) => isSucceeded(status) || !isFinalState(status));
  return areGood && dnsTroubleOf(sumJobs(jobs)) === null;
}

/** Names the command that continues a canceled job; a remote service has none. */
function noteCanceled(context: Context, jobs: readonly Job[]): void {
  const { id, status, processed = 0, total = 0 } = sumJobs(jobs);
  if (context.settings().mode === 'remote' || status !== 'canceled' || processed === 0) return;
  context.note(
    `A canceled job of this list has ${formatNumber(processed)} of ${formatNumber(total)} rows. This is a new job; to continue the other one instead, run: ${context.command('jobs', 'resume', id, '--wait')}`,
  );
}

async function isWanted(context: Context, options: UploadOptions, jobs: readonly Job[], ageMs: number) {
  const { status, interrupted, processed, total } = sumJobs(jobs);
  const state = interrupted ? 'interrupted' : status;
  const done =
    processed === undefined || total === undefined ? '' : `, ${formatNumber(processed)} of ${formatNumber(total)} rows`;
  const job = `job ${shortId(jobs[0]?.id ?? '')} of this list, started ${renderAgo(ageMs)} (${state}${done})`;
  if (!options.yes) {
    const { askYes } = await import('../../terminal/prompt.js');
    return askYes(`The rows of ${job} were never written. Continue with it instead of a new job?`);
  }
  // Without --wait it is not known whether the rows were fetched.
  const isRunning = !options.wait && !isFinalState(status);
  if (isRunning || ageMs < (options.wait ? continuedForMs : confirmedAgainForMs)) {
    context.note(`Continuing ${job}; --new starts another one.`);
    return true;
  }
  if (!options.wait) return false;
  const flags = jobs.length > 1 ? [] : resultFlagsIn(context.args);
  const commands = jobs.map(({ id }) => context.command('jobs', 'results', id, ...flags));
  context.warn(`The rows of ${job} were never written. Write them with: ${commands.join(' && ')}`);
  return false;
}
