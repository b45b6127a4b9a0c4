import { stat } from 'node:fs/promises';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job, JobResults } from '../../../model/job.js';
import type { ValidationService } from '../../../model/service.js';
import { isFinalState, isSucceeded, sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import { isOutputGiven } from '../../flags/output-flags.js';
import { encodeJob, renderJob } from '../../render/jobs.js';
import { formatKind } from '../../render/rows/formats.js';
import { watchJobs } from '../jobs/follow.js';
import { openServiceResults, writeJobResults } from '../jobs/write-results.js';
import { resultFlagsOf, targetsOf, type UploadOptions } from './upload-options.js';

/** Follows the jobs with `--wait`. Shows their ids even after an error, since they are charged. */
export async function followAndShow(
  context: Context,
  service: ValidationService,
  jobs: readonly Job[],
  options: UploadOptions,
  { failure, unsent }: { failure: Failure | null; unsent: readonly Job[] },
): Promise<number> {
  const latest = new Map(jobs.map((job) => [job.id, job]));
  let hasRows = false;
  try {
    if (!options.wait) return 0;
    await follow(context, service, latest, resultFlagsOf(options));
    const ended = [...latest.values()];
    const results = await requestedRows(context, service, ended, options);
    if (results === null) {
      const trouble = dnsTroubleOf(sumJobs(ended));
      if (trouble !== null) throw trouble;
      return 0;
    }
    const rows = failure === null ? results.rows : endingWith(results.rows, failure);
    const written = { ...results, rows };
    const status = await writeJobResults(context, written, sumJobs(ended), targetsOf(options));
    hasRows = true;
    return status;
  } finally {
    if (!hasRows) {
      await showJobs(context, [...latest.values(), ...unsent], options).catch((error) => {
        const ids = jobs.map(({ id }) => id).join(', ');
        context.warn(`The service has made ${jobs.length === 1 ? 'the job' : 'the jobs'} ${ids}.`);
        throw error;
      });
    }
  }
}

/** Polls the jobs until they have ended, and keeps their latest states in the map. */
async function follow(
  context: Context,
  service: ValidationService,
  latest: Map<string, Job>,
  resultFlags: readonly string[],
): Promise<void> {
  const { signal } = context;
  const polled = new Set<string>();
  const poll = async (): Promise<Job[]> => {
    for (const [id, job] of latest) {
      if (polled.has(id) && isFinalState(job.status)) continue;
      latest.set(id, await service.getJob(id, { signal, retries: 0 }));
      polled.add(id);
    }
    return [...latest.values()];
  };
  const { id, status, error } = sumJobs(await watchJobs(context, poll, { resultFlags }));
  if (isSucceeded(status)) return;
  throw new Failure('remote_error', `The job ended as ${status}${error ? `: ${error}` : '.'}`, {
    hint: `See its state with: ${context.command('jobs', 'get', id)}`,
  });
}

/** The rows; null if none are requested, or if the service cannot send them and no flag depends on them. */
async function requestedRows(
  context: Context,
  service: ValidationService,
  jobs: readonly Job[],
  options: UploadOptions,
): Promise<JobResults | null> {
  if (!options.writesRows) return null;
  try {
    const results = await openServiceResults(context, service, jobs);
    const layout = (await layoutOf(context, options)) ?? results.layout;
    return { ...results, ...(layout && { layout }) };
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'unsupported') || isOutputGiven(options.output)) throw error;
    context.note('The service does not send rows; fetch them from the service by the ids of the jobs.');
    return null;
  }
}

/** The layout of the whole file, of which a service may have received parts; null if it is a pipe or gone. */
async function layoutOf(
  { signal }: Context,
  { path, reading }: UploadOptions,
): Promise<NonNullable<JobResults['layout']> | null> {
  try {
    if (!(await stat(path)).isFile()) return null;
    const { openTable } = await import('../../../rows/open-rows.js');
    const table = await openTable({ path }, { ...reading, signal });
    await table.close();
    const { format, delimiter, preamble = '', charset, lineEnd = '\n' } = table;
    const hasHeader = table.hasHeader || format !== 'csv';
    return { hasHeader, delimiter, preamble: charset?.show(preamble) ?? preamble, lineEnd };
  } catch {
    return null;
  }
}

/** Prints ids on a terminal, or a card once the jobs have ended; elsewhere one document. Parts that were not sent count, too. */
async function showJobs(context: Context, jobs: readonly Job[], { wait, output }: UploadOptions): Promise<void> {
  const { stdout } = context.terminal;
  const sent = jobs.filter(({ id }) => id !== '');
  if (stdout.isTty && formatKind(output.main.format) !== 'json') {
    const hasEnded = wait && jobs.every(({ status }) => isFinalState(status));
    const ids = sent.map(({ id }) => `${id}\n`).join('');
    const card = { canResume: false };
    await stdout.write(hasEnded && !context.quiet ? renderJob(jobs, stdout, context.command, card) : ids);
    return;
  }
  const sum = encodeJob(sumJobs(jobs));
  const document = jobs.length === 1 ? sum : { ...sum, jobs: sent.map(encodeJob) };
  await stdout.write(`${JSON.stringify(document)}\n`);
}

/** The same rows, and the failure at their end, so that they do not replace a complete output. */
async function* endingWith(rows: JobResults['rows'], failure: Failure): JobResults['rows'] {
  yield* rows;
  throw failure;
}
