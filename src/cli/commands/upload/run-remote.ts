import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job, JobResults, UploadPreview } from '../../../model/job.js';
import { countWords } from '../../../model/result.js';
import type { ValidationService } from '../../../model/service.js';
import { partsFailure, uploadInParts } from '../../../service/remote/upload-in-parts.js';
import { isFinalState, requireAllRows, sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import { flagForRows } from '../../flags/output-flags.js';
import { renderJob } from '../../render/job-card.js';
import { formatKind } from '../../render/rows/formats.js';
import { watchJobs } from '../jobs/follow.js';
import { readJobStats, statusByGuards, writeJobResults, writeJobStats } from '../jobs/write-results.js';
import { chooseColumn } from './choose-column.js';
import type { UploadOptions } from './upload-options.js';

/** Uploads to a service in as many parts as it takes, and follows them as one. What failed is said last, after what did not. */
export async function runRemoteUpload(
  context: Context,
  service: ValidationService,
  options: UploadOptions,
): Promise<number> {
  const { signal } = context;
  const { path, maxRows, parts: only, reading } = options;
  const file = { path, filename: basename(path) };
  const wishes = { signal, reading, ...(maxRows !== undefined && { maxRows }), ...(only !== undefined && { only }) };
  const upload = await uploadInParts(service, file, wishes);
  const columns = await chooseColumn(context, upload.preview, options);
  const parts = await upload.confirm(onlyColumn(upload.preview, columns), { signal });
  const jobs = parts.flatMap(({ job }) => (job === null ? [] : [job]));
  const failure = partsFailure(parts);
  if (jobs.length === 0 && failure !== null) throw failure;
  const status = await followAndReport(context, service, jobs, options);
  if (failure !== null) throw failure;
  return status;
}

function onlyColumn({ columns: names }: UploadPreview, columns: readonly number[]): string {
  const [first = 0, ...others] = columns;
  if (others.length === 0) return names[first] ?? '';
  throw new Failure('unsupported', 'A remote service vets one column of a file. Nothing was started.', {
    hint: 'Upload the file once for each column, or add --local.',
  });
}

/** Follows the jobs where that is wished. Whatever comes of it, the jobs are paid for, so their ids are told. */
async function followAndReport(
  context: Context,
  service: ValidationService,
  jobs: readonly Job[],
  options: UploadOptions,
): Promise<number> {
  const known = new Map(jobs.map((job) => [job.id, job]));
  let hasRows = false;
  try {
    if (!options.wait) return 0;
    await follow(context, service, known);
    const ended = [...known.values()];
    const results = await wantedRows(context, service, ended, options);
    if (results === null) return await judgeByCounts(context, service, ended, options);
    const status = await writeJobResults(context, service, results, sumJobs(ended), { ...options, list: options.path });
    hasRows = true;
    return status;
  } finally {
    if (!hasRows) await showJobs(context, [...known.values()], options).catch((error) => sayIds(context, jobs, error));
  }
}

/** What stdout does not take, somebody has paid for. */
function sayIds({ warn }: Context, jobs: readonly Job[], error: unknown): never {
  warn(`The service has made ${jobs.length === 1 ? 'the job' : 'the jobs'} ${jobs.map(({ id }) => id).join(', ')}.`);
  throw error;
}

async function follow(context: Context, service: ValidationService, known: Map<string, Job>): Promise<void> {
  const { signal } = context;
  const looked = new Set<string>();
  const look = async (): Promise<Job[]> => {
    for (const [id, job] of known) {
      if (looked.has(id) && isFinalState(job.status)) continue;
      known.set(id, await service.getJob(id, { signal }));
      looked.add(id);
    }
    return [...known.values()];
  };
  const sum = sumJobs(await watchJobs(context, look));
  if (sum.status !== 'completed') throw endedBadly(sum);
}

function endedBadly({ id, status, error }: Job): Failure {
  return new Failure('remote_error', `The job ended as ${status}${error ? `: ${error}` : '.'}`, {
    hint: `See what became of it with: mailvet jobs get ${id.split(',')[0] ?? id}`,
  });
}

/** Null where nobody asked for rows, or the service has only the interface and cannot hand them out: then its record of the job is all there is. */
async function wantedRows(
  context: Context,
  service: ValidationService,
  jobs: readonly Job[],
  options: UploadOptions,
): Promise<JobResults | null> {
  const asked = flagForRows(options.output, options.review, options.raw);
  if (options.output.main.format === null && asked === null) return null;
  try {
    const results = await allResults(context, service, jobs);
    return { ...results, layout: results.layout ?? (await layoutOf(context, options)) };
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'unsupported') || asked !== null) throw error;
    context.note('The service does not hand out rows; fetch them where you usually do, by the ids of the jobs.');
    return null;
  }
}

/** Figures and guards by what the service counted; gives the exit status. */
async function judgeByCounts(
  context: Context,
  service: ValidationService,
  jobs: readonly Job[],
  options: UploadOptions,
): Promise<number> {
  const job = sumJobs(jobs);
  const trouble = dnsTroubleOf(job);
  if (trouble !== null) throw trouble;
  const openResults = () => allResults(context, service, jobs);
  const figures = await readJobStats(context, job, options.review, openResults, { isShown: false });
  await writeJobStats(context, figures, options);
  requireCounts(options.guards, job);
  return statusByGuards(context, options.guards, figures);
}

/** A count that a service does not tell is no zero. */
function requireCounts({ failOn, maxUnknown, minRows }: UploadOptions['guards'], job: Job): void {
  const needed: readonly [flag: string, isGiven: boolean, counts: readonly (number | undefined)[]][] = [
    ['--fail-on', failOn.size > 0, countWords.filter((word) => failOn.has(word)).map((word) => job[`${word}_count`])],
    ['--max-unknown', maxUnknown !== null, [job.unknown_count, job.total]],
    ['--min-rows', minRows !== null, [job.total]],
  ];
  const [flag] = needed.find(([, isGiven, counts]) => isGiven && counts.includes(undefined)) ?? [];
  if (flag === undefined) return;
  throw new Failure('unsupported', `The service does not tell the counts that ${flag} goes by, so nobody has looked.`, {
    hint: `The job is done. Look at its rows, or leave out ${flag}.`,
  });
}

/** A service tells cells, and the file at hand how they stood in it. A pipe was read before, and a file may be gone: then it is commas. */
async function layoutOf(
  { signal }: Context,
  { path, reading }: UploadOptions,
): Promise<NonNullable<JobResults['layout']>> {
  const usual = { hasHeader: true, delimiter: ',' };
  try {
    if (!(await stat(path)).isFile()) return usual;
    const { openTable } = await import('../../../rows/open-rows.js');
    const table = await openTable({ path }, { ...reading, signal });
    await table.close();
    const { delimiter, preamble = '', lineEnd = '\n' } = table;
    return { ...usual, delimiter, preamble, lineEnd };
  } catch {
    return usual;
  }
}

/** A terminal gets ids, or a card once they have ended; anything else gets one document, with all parts in it. */
async function showJobs(context: Context, jobs: readonly Job[], { wait, output }: UploadOptions): Promise<void> {
  const { stdout } = context.terminal;
  const { format } = output.main;
  if (stdout.isTty && formatKind(format) !== 'json') {
    const ids = jobs.map(({ id }) => `${id}\n`).join('');
    const isOver = wait && jobs.every(({ status }) => isFinalState(status));
    await stdout.write(isOver && !context.quiet ? renderJob(jobs, stdout) : ids);
    return;
  }
  const [only, ...others] = jobs;
  const document = others.length === 0 ? only : { ...sumJobs(jobs), jobs };
  await stdout.write(`${JSON.stringify(document)}\n`);
}

/** The results of the parts, one after the other. */
async function allResults(context: Context, service: ValidationService, jobs: readonly Job[]): Promise<JobResults> {
  const { signal } = context;
  const [first = sumJobs(jobs), ...others] = jobs;
  const open = async (job: Job) => requireAllRows(await service.jobResults(job.id, { signal }), job);
  const head = await open(first);
  async function* rows(): JobResults['rows'] {
    yield* head.rows;
    for (const job of others) yield* (await open(job)).rows;
  }
  return { ...head, rows: rows() };
}
