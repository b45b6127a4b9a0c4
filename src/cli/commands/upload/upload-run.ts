import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { openPassingRun, type Run } from '../../../lists/answers.js';
import { formatNumber } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import type { FileReading, ValidationService } from '../../../model/service.js';
import { shortId } from '../../../model/text/short-id.js';
import { renderAgo } from '../../../model/text/time.js';
import { openAnswers } from '../../../service/answers/open-answers.js';
import { isFinalState, isSucceeded } from '../../../service/job-states.js';
import type { Context } from '../../context.js';
import type { RunOptions } from '../../flags/list-flags.js';
import type { OutputOptions } from '../../flags/output-flags.js';
import { digestFiles, isRegularFile } from '../../terminal/digest-files.js';

/** The options of `upload`. */
export interface UploadOptions {
  path: string;
  column: string | undefined;
  reading: FileReading;
  yes: boolean;
  wait: boolean;
  output: OutputOptions;
  /** Write the rows, not the job. */
  writesRows: boolean;
  run: RunOptions;
}

/** All rows, as `jobs results` writes them without flags. */
export function targetsOf({ output, path }: UploadOptions) {
  return {
    output,
    list: path,
    review: { summary: undefined, clean: false, dedupe: false },
    guards: { failOn: new Set<string>(), maxUnknown: null },
  };
}

/** The flags with which `jobs results` writes them later. */
export function resultFlagsOf({ output: { path } }: UploadOptions): string[] {
  return path === null ? [] : ['-o', path];
}

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
  // A pipe can be read only once.
  const suppressed = [];
  for (const each of run.exclude) suppressed.push((await isRegularFile(each)) ? await digestFiles([each]) : null);
  const list = await digestFiles([path]);
  const target = output.path === null ? null : resolve(output.path);
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

/** The job of an earlier start that is worth continuing; null if there is none. */
export async function findEarlierJob(
  context: Context,
  service: ValidationService,
  { unfinished }: Run,
  { wait }: Pick<UploadOptions, 'wait'>,
): Promise<Job | null> {
  if (unfinished === null || unfinished.jobs.length === 0) return null;
  const job = await service.getJob(unfinished.jobs.join(','), { signal: context.signal }).catch(nullIfDeleted);
  if (job === null) return null;
  const ageMs = Date.now() - unfinished.lastAt;
  const isUsable = (job.jobs ?? [job]).every(({ status }) => isSucceeded(status) || !isFinalState(status));
  if (!isUsable || dnsTroubleOf(job) !== null) {
    noteCanceled(context, job);
    return null;
  }
  if (!wait && isFinalState(job.status) && ageMs > fetchedLaterMs) return null;
  const { id, status, processed, total, interrupted } = job;
  const done =
    processed === undefined || total === undefined ? '' : `, ${formatNumber(processed)} of ${formatNumber(total)} rows`;
  const state = `${interrupted ? 'interrupted' : status}${done}`;
  context.note(
    `Continuing job ${shortId(id)} of this list, started ${renderAgo(ageMs)} (${state}); --fresh starts another one.`,
  );
  return job;
}

function nullIfDeleted(error: unknown): null {
  if (error instanceof Failure && error.code === 'not_found') return null;
  throw error;
}

/** Names the command that continues a canceled job; a remote service has none. */
function noteCanceled(context: Context, { id, status, processed = 0, total = 0 }: Job): void {
  if (context.settings().mode === 'remote' || status !== 'canceled' || processed === 0) return;
  context.note(
    `A canceled job of this list has ${formatNumber(processed)} of ${formatNumber(total)} rows. This is a new job; to continue the other one instead, run: ${context.command('jobs', 'resume', id, '--wait')}`,
  );
}
