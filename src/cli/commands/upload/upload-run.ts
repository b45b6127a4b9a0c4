import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { openPassingRun, type Run } from '../../../lists/answers.js';
import { formatNumber } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import { shortId } from '../../../model/text/short-id.js';
import { renderAgo } from '../../../model/text/time.js';
import { openAnswers } from '../../../service/answers/open-answers.js';
import { isFinalState, isSucceeded, sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import type { UploadOptions } from './upload-options.js';

/** An ended job whose rows were never fetched is not taken for the list of the next night. */
const fetchedLaterMs = 12 * 60 * 60_000;

/** The run of an upload: the jobs that an earlier start of the same command made. `backEnd`: what verdicts depend on beside the list. */
export async function openUploadRun(
  context: Context,
  options: UploadOptions,
  backEnd: Record<string, unknown>,
  { isPaid }: { isPaid: boolean },
): Promise<Run> {
  const { path, reading, column, output, run } = options;
  const list = await digestFile(path);
  // A pipe can be read only once.
  if (list === null) return openPassingRun();
  const suppressed = await Promise.all(run.exclude.map(digestFile));
  const target = output.main.path === null ? null : resolve(output.main.path);
  const choice = { list, suppressed, reading, column, target, maxAgeMs: run.maxAgeMs, ...backEnd };
  const digest = createHash('sha256').update(JSON.stringify(choice)).digest('hex');
  const { dataDir: home, keepAnswersMs: keepMs } = context.settings();
  const answers = openAnswers({ home, isPaid, keepMs, onNote: context.note });
  try {
    return await answers.begin({ scope: 'upload', digest, name: basename(path) }, { fresh: run.fresh });
  } catch (error) {
    if (!isPaid || !(error instanceof Failure && error.code === 'storage')) throw error;
    context.note(`A second start of the same upload cannot be detected. ${error.message}`);
    return openPassingRun();
  }
}

/** The digest of a file; null for what can be read only once: a pipe, or an open descriptor. */
async function digestFile(path: string): Promise<string | null> {
  // On macOS, /dev/stdin continues where its last reader stopped, so all lists would have one digest.
  if (/^\/dev\/(?:stdin|fd\/)/.test(path) || !(await stat(path).catch(() => null))?.isFile()) return null;
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** The jobs of an earlier start that are worth continuing; null if there are none. */
export async function findJobs(
  context: Context,
  { unfinished }: Run,
  ids: readonly string[],
  { wait }: Pick<UploadOptions, 'wait'>,
  fetchJob: (id: string) => Promise<Job>,
): Promise<Job[] | null> {
  if (unfinished === null || ids.length === 0) return null;
  const jobs = await fetchAll(ids, fetchJob);
  if (jobs === null) return null;
  const sum = sumJobs(jobs);
  const ageMs = Date.now() - unfinished.lastAt;
  const isUsable = jobs.every(({ status }) => isSucceeded(status) || !isFinalState(status));
  if (!isUsable || dnsTroubleOf(sum) !== null) {
    noteCanceled(context, sum);
    return null;
  }
  if (!wait && isFinalState(sum.status) && ageMs > fetchedLaterMs) return null;
  const { processed, total, interrupted } = sum;
  const done =
    processed === undefined || total === undefined ? '' : `, ${formatNumber(processed)} of ${formatNumber(total)} rows`;
  const state = `${interrupted ? 'interrupted' : sum.status}${done}`;
  context.note(
    `Continuing job ${shortId(ids[0] ?? '')} of this list, started ${renderAgo(ageMs)} (${state}); --fresh starts another one.`,
  );
  return jobs;
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

/** Names the command that continues a canceled job; a remote service has none. */
function noteCanceled(context: Context, { id, status, processed = 0, total = 0 }: Job): void {
  if (context.settings().mode === 'remote' || status !== 'canceled' || processed === 0) return;
  context.note(
    `A canceled job of this list has ${formatNumber(processed)} of ${formatNumber(total)} rows. This is a new job; to continue the other one instead, run: ${context.command('jobs', 'resume', id, '--wait')}`,
  );
}
