import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job, JobResultRow, JobResults, ListRow } from '../../../model/job.js';
import type { ValidationService } from '../../../model/service.js';
import { isFinalState, isSucceeded } from '../../../service/job-states.js';
import { sumJobs } from '../../../service/remote/joined-jobs.js';
import type { Context } from '../../context.js';
import { encodeJob, renderJob } from '../../render/jobs.js';
import { printRecord } from '../../results/print-records.js';
import { watchJob } from '../jobs/follow.js';
import { openResults, writeJobResults } from '../jobs/write-results.js';
import { resultFlagsOf, targetsOf, type UploadOptions } from './upload-run.js';

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
    const { id, status: end, error } = await watchJob(context, poll, { resultFlags: resultFlagsOf(options) });
    if (!isSucceeded(end)) {
      throw new Failure('remote_error', `The job ended as ${end}${error ? `: ${error}` : '.'}`, {
        hint: `See its state with: ${context.command('jobs', 'get', id)}`,
      });
    }
    const sent = await requestedRows(context, service, latest, options);
    if (sent === null) {
      const trouble = dnsTroubleOf(latest);
      if (trouble !== null) throw trouble;
      return 0;
    }
    // Without all parts, the rows of the file and of the service differ.
    const results =
      failure === null
        ? await besideFile(context, options, latest, sent)
        : { ...sent, rows: endingWith(sent.rows, failure) };
    const status = await writeJobResults(context, results, latest, targetsOf(options));
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

/** The rows; null if none are requested, or if the service cannot send them and no flag depends on them. */
async function requestedRows(
  context: Context,
  service: ValidationService,
  job: Job,
  options: UploadOptions,
): Promise<JobResults | null> {
  if (!options.writesRows) return null;
  try {
    return await openResults(context, service, job);
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'unsupported') || options.output.isGiven) throw error;
    context.note('The service does not send rows; fetch them from the service by the ids of the jobs.');
    return null;
  }
}

/** The verdicts of the service beside the rows of the file, which keep their bytes; the rows of the service if the file is gone. */
async function besideFile(
  { signal, command }: Context,
  { path, reading, column: requested }: UploadOptions,
  job: Job,
  results: JobResults,
): Promise<JobResults> {
  const { openRows } = await import('../../../rows/open-rows.js');
  const { emailColumns: columns } = results;
  const column = columns?.map((at) => results.columns[at]).join(',') ?? job.email_column ?? requested;
  const options = { ...reading, ...(column !== undefined && { column }), ...(columns && { columns }) };
  const list = await openRows({ path, name: path }, { ...options, signal }).catch(() => null);
  if (list === null) return results;
  const layout = { ...list, hasHeader: list.hasHeader || list.format !== 'csv' };
  const hint = `Was the file changed meanwhile? The rows as the service read them: ${command('jobs', 'results', job.id)}`;
  const otherRows = new Failure('bad_answer', 'The service sent other rows than the file has.', { hint });
  return { ...results, columns: list.columns, layout, rows: rowsOfFile(list.chunks, results.rows, otherRows) };
}

/** Row by row. Throws `otherRows` if the service read another address in a row; one that is not ASCII depends on the encoding. */
async function* rowsOfFile(
  chunks: AsyncIterable<ListRow[]>,
  answered: AsyncIterable<JobResultRow[]>,
  otherRows: Failure,
): JobResults['rows'] {
  const answers = eachOf(answered);
  try {
    for await (const rows of chunks) {
      for (const row of rows) {
        const { value: answer } = await answers.next();
        if (!answer || (answer.email !== row.email && !/[^ -~]/.test(row.email))) throw otherRows;
        Object.assign(row, { verdict: answer.verdict });
      }
      yield rows as JobResultRow[];
    }
    if (!(await answers.next()).done) throw otherRows;
  } finally {
    await answers.return();
  }
}

async function* eachOf(batches: AsyncIterable<JobResultRow[]>): AsyncGenerator<JobResultRow, void> {
  for await (const batch of batches) yield* batch;
}

/** Prints ids on a terminal, or a card once the job has ended; elsewhere one document. Parts that were not sent count, too. */
async function showJob(context: Context, job: Job, { wait, output }: UploadOptions): Promise<void> {
  const hasCard = wait && isFinalState(job.status) && !context.quiet;
  const ids = (): string => `${job.id.replaceAll(',', '\n')}\n`;
  const card = (): string => renderJob(job, context.terminal.stdout, context.command, { canResume: false });
  await printRecord(context, output, encodeJob(job), hasCard ? card : ids);
}

/** The same rows, and the failure at their end, so that they do not replace a complete output. */
async function* endingWith(rows: JobResults['rows'], failure: Failure): JobResults['rows'] {
  yield* rows;
  throw failure;
}
