import { existsSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { formatAmount } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job, JobResults, UploadPreview } from '../../../model/job.js';
import { countWords } from '../../../model/result.js';
import type { ValidationService } from '../../../model/service.js';
import { partsFailure, unsentJob, uploadInParts } from '../../../service/remote/upload-in-parts.js';
import { isFinalState, isSucceeded, sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import { resultFlagsIn } from '../../flags/list-flags.js';
import { flagForRows } from '../../flags/output-flags.js';
import { encodeJob, renderJob } from '../../render/jobs.js';
import { formatKind } from '../../render/rows/formats.js';
import { writeStatsFiles } from '../../results/stats-files.js';
import { watchJobs } from '../jobs/follow.js';
import { openServiceResults, readJobStats, statusByGuards, writeJobResults } from '../jobs/write-results.js';
import { chooseColumn } from './choose-column.js';
import { openPendingUploads, openUnfetchedList } from './unfetched.js';
import type { UploadOptions } from './upload-options.js';

/** Uploads to a service in as many parts as needed, and follows their jobs as one. A failed part is reported at the end. */
export async function runRemoteUpload(
  context: Context,
  service: ValidationService,
  options: UploadOptions,
): Promise<number> {
  const { signal } = context;
  const { path, maxRows, parts: only, reading } = options;
  protectOutput(options);
  await requireRows(context, service, options);
  const upload = await uploadInParts(
    service,
    { path, filename: basename(path) },
    { signal, reading, ...(maxRows !== undefined && { maxRows }), ...(only !== undefined && { only }) },
  );
  const { limit, sample } = reading;
  if (limit !== undefined && upload.rowCount === limit) {
    context.note(`--limit took the first ${formatAmount(limit, 'row')}.`);
  } else if (sample !== undefined) context.note(`--sample took ${formatAmount(upload.rowCount, 'row')}.`);
  const columns = await chooseColumn(context, upload.preview, options);
  if (columns === null) return 0;
  const column = onlyColumn(upload.preview, columns);
  await reportList(context, options, column);
  const { baseUrl, apiKey } = context.settings();
  const unfetched = await openUnfetchedList(context, options, columns, { baseUrl, apiKey });
  const earlier = await unfetched.find((id) => service.getJob(id, { signal }));
  const pending = await openPendingUploads(context, options, { column, baseUrl, apiKey });
  const parts = earlier === null ? await confirm(context, upload, column, pending) : [];
  const jobs = earlier ?? parts.flatMap(({ job }) => (job === null ? [] : [job]));
  const failure = partsFailure(parts, upload.partCount, options.output.main.path);
  const unsent = parts.filter(({ job }) => job === null).map(unsentJob);
  if (jobs.length === 0 && failure !== null) throw failure;
  if (earlier === null && failure === null) {
    await unfetched.add(jobs);
    await pending.remove();
  }
  const status = await followAndShow(context, service, jobs, options, { failure, unsent }).catch((error: unknown) => {
    // Another error, such as Ctrl-C, must not hide that rows were not sent.
    if (failure !== null && error !== failure) context.warn(`${failure.message} ${failure.hint ?? ''}`.trim());
    throw error;
  });
  if (failure !== null) throw failure;
  if (!options.wait) {
    context.note(
      `The service runs the job. Follow it with: ${context.command('jobs', 'get', sumJobs(jobs).id, '--watch')}`,
    );
  }
  await unfetched.remove(jobs);
  return status;
}

/** Creates the jobs, or those of an earlier run that was stopped while it created them. */
async function confirm(
  { signal, note }: Context,
  upload: Awaited<ReturnType<typeof uploadInParts>>,
  column: string,
  pending: Awaited<ReturnType<typeof openPendingUploads>>,
) {
  const uploads = await pending.find();
  if (uploads.length === upload.parts.length) {
    note('Continuing an upload of this list that was stopped while its job was created; --new starts another one.');
    return upload.confirm(column, { signal, uploads });
  }
  await pending.add(upload.parts.flatMap(({ preview }) => preview?.upload_id ?? []));
  return upload.confirm(column, { signal });
}

/** Throws if the rows of some parts would replace an output of all of them. */
function protectOutput({ parts, output: { main } }: UploadOptions): void {
  if (parts === undefined || main.path === null || !existsSync(main.path) || !statSync(main.path).isFile()) return;
  throw new Failure(
    'usage',
    `--part would replace ${main.path} by the rows of ${formatAmount(parts.length, 'part')}.`,
    {
      hint: 'Write them to another file: -o FILE',
    },
  );
}

/** The same rows, and the failure at their end, so that they do not replace a complete output. */
async function* endingWith(rows: JobResults['rows'], failure: Failure): JobResults['rows'] {
  yield* rows;
  throw failure;
}

/** Throws, before anything is paid for, if rows are requested that the service cannot send. */
async function requireRows(
  context: Context,
  service: ValidationService,
  { path, wait, output, review }: UploadOptions,
): Promise<void> {
  const { signal, warn } = context;
  const flag = flagForRows(output, review);
  if (!wait || flag === null || service.sendsResults === undefined) return;
  const sendsRows = await service.sendsResults({ signal });
  if (sendsRows === null) {
    warn(
      `It is not known whether the service sends rows, which ${flag} needs. This command always gets them: ${context.command('bulk', path)}`,
    );
  }
  if (sendsRows !== false) return;
  throw new Failure('unsupported', `The service does not send the rows of a job, which ${flag} needs.`, {
    hint: `Nothing was started. Vet the list with: ${context.command('bulk', path)}`,
  });
}

/** Notes what is unusual in the list before anything is paid for, as for a local job. A pipe is read only once. */
async function reportList(
  { signal, note, warn }: Context,
  { path, reading, column: requested, yes }: UploadOptions,
  column: string,
): Promise<void> {
  if (!(await stat(path).catch(() => null))?.isFile()) return;
  const { openTable } = await import('../../../rows/open-rows.js');
  let table = await openTable({ path }, { ...reading, signal });
  // The service may read other columns, or suggest another one.
  const index = table.columns.indexOf(column);
  const isOurGuess = yes && requested === undefined && table.emailColumn === index;
  if (!isOurGuess) {
    await table.close();
    if (index === -1) return;
    const chosen = await openTable({ path }, { ...reading, columns: [index], signal }).catch(() => null);
    if (chosen === null) return;
    table = chosen;
  }
  for await (const rows of table.chunks) rows.length = 0;
  for (const text of table.warnings()) warn(text);
  for (const text of table.notes({ canFix: false })) note(text);
}

function onlyColumn({ columns: names }: UploadPreview, columns: readonly number[]): string {
  const [first = 0, ...others] = columns;
  const name = names[first] ?? '';
  if (others.length === 0 && names.indexOf(name) !== first) {
    throw new Failure(
      'unsupported',
      `A remote service finds a column by its name, and another one is ${JSON.stringify(name)}, too.`,
      {
        hint: 'Nothing was started. Give the column another name, or add --local.',
      },
    );
  }
  if (others.length === 0) return name;
  throw new Failure('unsupported', 'A remote service vets one column of a file. Nothing was started.', {
    hint: 'Upload the file once for each column, or add --local.',
  });
}

/** Follows the jobs with `--wait`. Shows their ids even after an error, since they are charged. */
async function followAndShow(
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
    await follow(context, service, latest, resultFlagsIn(context.args, options.output.main, options));
    const ended = [...latest.values()];
    const results = await requestedRows(context, service, ended, options);
    if (results === null) return await showCounts(context, service, ended, options);
    const rows = failure === null ? results.rows : endingWith(results.rows, failure);
    const written = { ...results, rows };
    const status = await writeJobResults(context, service, written, sumJobs(ended), { ...options, list: options.path });
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
  const flag = flagForRows(options.output, options.review);
  if (!options.writesRows) return null;
  try {
    const results = await openServiceResults(context, service, jobs);
    const layout = (await layoutOf(context, options)) ?? results.layout;
    const { reading, parts } = options;
    const isPart = reading.limit !== undefined || reading.sample !== undefined || parts !== undefined;
    return { ...results, isPart, ...(layout && { layout }) };
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'unsupported') || flag !== null) throw error;
    context.note('The service does not send rows; fetch them from the service by the ids of the jobs.');
    return null;
  }
}

/** Writes statistics and checks guards by the counts of the service; returns the exit status. */
async function showCounts(
  context: Context,
  service: ValidationService,
  jobs: readonly Job[],
  options: UploadOptions,
): Promise<number> {
  const job = sumJobs(jobs);
  const trouble = dnsTroubleOf(job);
  if (trouble !== null) throw trouble;
  const open = () => openServiceResults(context, service, jobs);
  const stats = await readJobStats(context, job, options.review, open, { isShown: false });
  await writeStatsFiles(context, options, stats);
  requireCounts(options.guards, job);
  return statusByGuards(context, options.guards, stats);
}

/** Throws if the service does not send a count that a guard needs. */
function requireCounts({ failOn, maxUnknown, minRows }: UploadOptions['guards'], job: Job): void {
  const needed: readonly [flag: string, isGiven: boolean, counts: readonly (number | undefined)[]][] = [
    ['--fail-on', failOn.size > 0, countWords.filter((word) => failOn.has(word)).map((word) => job[`${word}_count`])],
    ['--max-unknown', maxUnknown !== null, [job.unknown_count, job.total]],
    ['--min-rows', minRows !== null, [job.total]],
  ];
  const [flag] = needed.find(([, isGiven, counts]) => isGiven && counts.includes(undefined)) ?? [];
  if (flag === undefined) return;
  throw new Failure('unsupported', `The service does not send the counts for ${flag}, so it was not checked.`, {
    hint: `The job is done. Look at its rows, or leave out ${flag}.`,
  });
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
    const { format, delimiter, preamble = '', isLegacy = false, lineEnd = '\n' } = table;
    return { hasHeader: table.hasHeader || format !== 'csv', delimiter, preamble, isLegacy, lineEnd };
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
