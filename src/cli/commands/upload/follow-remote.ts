import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job, JobResults } from '../../../model/job.js';
import type { ValidationService } from '../../../model/service.js';
import { isFinalState, isSucceeded } from '../../../service/job-states.js';
import { sumJobs } from '../../../service/remote/joined-jobs.js';
import type { Context } from '../../context.js';
import { encodeJob, renderJob } from '../../render/jobs.js';
import { formatKind } from '../../render/rows/formats.js';
import { watchJob } from '../jobs/follow.js';
import { openResults, writeJobResults } from '../jobs/write-results.js';
import { resultFlagsOf, targetsOf, type UploadOptions } from './upload-options.js';

/** The job of a list at the service, and why some of its rows have none. */
export interface SentList {
  job: Job;
  failure: Failure | null;
  unsent: readonly Job[];
}

/** Follows the job with `--wait`. Shows its id even after an error, since it is charged. */
export async function followAndShow(
  context: Context,
  service: ValidationService,
  options: UploadOptions,
  { job, failure, unsent }: SentList,
): Promise<number> {
  let latest = job;
  let hasRows = false;
  try {
    if (!options.wait) return 0;
    const poll = async (): Promise<Job> => {
      latest = await service.getJob(job.id, { signal: context.signal, retries: 0 });
      return latest;
    };
    requireSuccess(context, await watchJob(context, poll, { resultFlags: resultFlagsOf(options) }));
    const results = await requestedRows(context, service, latest, options);
    if (results === null) {
      const trouble = dnsTroubleOf(latest);
      if (trouble !== null) throw trouble;
      return 0;
    }
    const rows = failure === null ? results.rows : endingWith(results.rows, failure);
    const status = await writeJobResults(context, { ...results, rows }, latest, targetsOf(options));
    hasRows = true;
    return status;
  } finally {
    if (!hasRows) {
      await showJob(context, sumJobs([...(latest.jobs ?? [latest]), ...unsent]), options).catch((error) => {
        const ids = job.id.split(',');
        context.warn(`The service has made ${ids.length === 1 ? 'the job' : 'the jobs'} ${ids.join(', ')}.`);
        throw error;
      });
    }
  }
}

function requireSuccess(context: Context, { id, status, error }: Job): void {
  if (isSucceeded(status)) return;
  throw new Failure('remote_error', `The job ended as ${status}${error ? `: ${error}` : '.'}`, {
    hint: `See its state with: ${context.command('jobs', 'get', id)}`,
  });
}

/** The rows; null if none are requested, or if the service cannot send them and no flag depends on them. */
async function requestedRows(
  context: Context,
  service: ValidationService,
  job: Job,
  options: UploadOptions,
): Promise<JobResults | null> {
  if (!options.writesRows) return null;
  try {
    const results = await openResults(context, service, job);
    const layout = (await layoutOf(context, options)) ?? results.layout;
    return { ...results, ...(layout && { layout }) };
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'unsupported') || options.output.isGiven) throw error;
    context.note('The service does not send rows; fetch them from the service by the ids of the jobs.');
    return null;
  }
}

/** The layout of the whole file, of which a service may have received parts; null if it is gone. */
async function layoutOf(
  { signal }: Context,
  { path, reading }: UploadOptions,
): Promise<NonNullable<JobResults['layout']> | null> {
  try {
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

/** Prints ids on a terminal, or a card once the job has ended; elsewhere one document. Parts that were not sent count, too. */
async function showJob(context: Context, job: Job, { wait, output }: UploadOptions): Promise<void> {
  const { stdout } = context.terminal;
  if (!stdout.isTty || formatKind(output.format) === 'json') {
    await stdout.write(`${JSON.stringify(encodeJob(job))}\n`);
    return;
  }
  const hasCard = wait && isFinalState(job.status) && !context.quiet;
  const card = (): string => renderJob(job, stdout, context.command, { canResume: false });
  await stdout.write(
    hasCard
      ? card()
      : job.id
          .split(',')
          .map((id) => `${id}\n`)
          .join(''),
  );
}

/** The same rows, and the failure at their end, so that they do not replace a complete output. */
async function* endingWith(rows: JobResults['rows'], failure: Failure): JobResults['rows'] {
  yield* rows;
  throw failure;
}
