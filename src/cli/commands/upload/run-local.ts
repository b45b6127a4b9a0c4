import { realpath } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job, UploadPreview } from '../../../model/job.js';
import type { JobControl, ValidationService } from '../../../model/service.js';
import { lockWork, workerLogPath } from '../../../service/local/background-work.js';
import { sumJobs } from '../../../service/sum-jobs.js';
import { engineSettings } from '../../../settings/definitions.js';
import type { Settings } from '../../../settings/resolve.js';
import type { Context } from '../../context.js';
import { flagForRows } from '../../flags/output-flags.js';
import { refusePaidFix } from '../../flags/review-flags.js';
import { renderJob } from '../../render/job-card.js';
import { type Format, formatKind } from '../../render/rows/formats.js';
import { checkOutputTargets } from '../../results/output-files.js';
import { type StartWorker, startDetachedWorker, workerEnvironment } from '../jobs/detached-worker.js';
import { requireCompleted, workHere } from '../jobs/follow.js';
import { readJobStats, statusByGuards, targetsOf, writeJobResults, writeJobStats } from '../jobs/write-results.js';
import { chooseColumn } from './choose-column.js';
import type { UploadOptions } from './upload-options.js';

/** Previews, confirms, and runs, starts or follows the job. */
export async function runUpload(
  context: Context,
  options: UploadOptions,
  startWorker: StartWorker = startDetachedWorker,
): Promise<number> {
  checkFlags(options);
  await checkOutputTargets(context, targetsOf(options, options.path), [options.path]);
  const service = await context.service({ retryBillable: options.retryBillable });
  const { jobs: control } = service;
  if (control === undefined) refuseLocalFlags(options);
  else refuseRemoteFlags(options);
  const unlock = options.wait ? await lockOutput(context, options, control !== undefined) : () => {};
  try {
    if (control === undefined) {
      return await (await import('./run-remote.js')).runRemoteUpload(context, service, options);
    }
    const preview = await service.previewUpload(
      { path: options.path, filename: basename(options.path) },
      { signal: context.signal, reading: options.reading },
    );
    const columns = await chooseColumn(context, preview, options);
    const jobs = await confirm(context, control, preview, columns, options);
    const { id } = sumJobs(jobs);
    if (!options.wait) return await leave(context, jobs, options.output.main.format, startWorker);
    const ended = await workHere(context, control, id);
    requireCompleted(ended);
    return await finish(context, service, ended, options);
  } finally {
    unlock();
  }
}

function checkFlags({ wait, output, review, raw }: UploadOptions): void {
  if (wait) return;
  const early = flagForRows(output, review, raw) ?? figuresFlag(review);
  if (early === null) return;
  throw new Failure('usage', `${early} needs --wait: there are no results before the job is done.`, {
    hint: 'Add --wait, or fetch them later with: mailvet jobs results ID -o FILE',
  });
}

/** The flag that asks for figures; null where none does. */
function figuresFlag({ summary, report }: UploadOptions['review']): string | null {
  if (summary !== undefined) return '--summary';
  return report === undefined ? null : '--report';
}

function refuseLocalFlags({ maxAgeMs, onlyUnknown, review }: UploadOptions): void {
  refusePaidFix(review);
  if (maxAgeMs === undefined && !onlyUnknown) return;
  throw new Failure('unsupported', 'A remote service does not reuse the verdicts of earlier runs.', {
    hint: 'Add --local, or leave out --max-age and --only-unknown.',
  });
}

function refuseRemoteFlags({ maxRows, parts, retryBillable }: UploadOptions): void {
  const given = parts !== undefined ? '--part' : maxRows !== undefined ? '--max-rows' : '--retry-billable';
  if (parts === undefined && maxRows === undefined && !retryBillable) return;
  throw new Failure('usage', `${given} only works with the remote service.`, {
    hint: `Add --remote, or leave out ${given}.`,
  });
}

/** The same file to the same place, started twice, as cron does when a night is too short. A remote service would be paid twice. */
async function lockOutput(
  context: Context,
  { path, output }: UploadOptions,
  needsDataDirectory: boolean,
): Promise<() => void> {
  const file = await realpath(path).catch(() => resolve(path));
  const target = output.main.path === null ? '' : resolve(output.main.path);
  try {
    return lockWork(context.settings().dataDir, `${file}\n${target}`, basename(path));
  } catch (error) {
    if (needsDataDirectory || !(error instanceof Failure && error.code === 'storage')) throw error;
    context.note(`A second start of the same upload will not be noticed. ${error.message}`);
    return () => {};
  }
}

async function confirm(
  context: Context,
  control: JobControl,
  { upload_id, columns: names }: UploadPreview,
  columns: readonly number[],
  { maxAgeMs, onlyUnknown }: UploadOptions,
): Promise<Job[]> {
  const { signal } = context;
  const settings = engineOptions(context.settings());
  const column = columns.map((at) => names[at] ?? '').join(',');
  return control.confirm(upload_id, column, {
    signal,
    columns,
    onRead: ({ notes, warnings }) => {
      for (const text of warnings) context.warn(text);
      for (const text of notes) context.note(text);
    },
    onlyUnknown,
    settings,
    ...(maxAgeMs !== undefined && { maxAgeMs }),
  });
}

/** What the worker must know again; neither key nor account is among it. */
function engineOptions(settings: Settings): Record<string, unknown> {
  return Object.fromEntries(engineSettings.map((field) => [field, settings[field]]));
}

async function leave(
  context: Context,
  jobs: readonly Job[],
  format: Format | null,
  startWorker: StartWorker,
): Promise<number> {
  const job = sumJobs(jobs);
  await startWorker(job.id, workerLogPath(context.settings().dataDir, job.id), workerEnvironment(context));
  const { stdout } = context.terminal;
  const asJson = format === null ? !stdout.isTty : formatKind(format) === 'json';
  // Also with --quiet: whoever does not know the id cannot ask for the job.
  try {
    await stdout.write(asJson ? `${JSON.stringify(job)}\n` : `${job.id}\n`);
  } finally {
    context.note(`The job runs in the background. Follow it with: mailvet jobs get ${job.id} --watch`);
  }
  return 0;
}

async function finish(
  context: Context,
  service: ValidationService,
  jobs: readonly Job[],
  options: UploadOptions,
): Promise<number> {
  const job = sumJobs(jobs);
  const { output, review, raw } = options;
  const openResults = () => service.jobResults(job.id, { signal: context.signal });
  if (output.main.format !== null || flagForRows(output, review, raw) !== null) {
    return writeJobResults(context, service, await openResults(), job, { ...options, list: options.path });
  }
  const trouble = dnsTroubleOf(job);
  const isShown = context.terminal.stdout.isTty && !context.quiet;
  const figures = await readJobStats(context, job, review, openResults, { isShown });
  if (trouble === null) await writeJobStats(context, figures, options);
  const { stdout } = context.terminal;
  if (!context.quiet) await stdout.write(isShown ? renderJob(jobs, stdout, figures) : `${JSON.stringify(job)}\n`);
  if (trouble !== null) throw trouble;
  return statusByGuards(context, options.guards, figures);
}
