import { realpath } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Failure } from '../../model/failure.js';
import type { Job, UploadPreview } from '../../model/job.js';
import type { JobControl, ValidationService } from '../../model/service.js';
import type { Settings } from '../../settings/resolve.js';
import type { Context } from '../context.js';
import { engineSettings } from '../flags.js';
import { openJobLine, requireCompleted, watchJobs } from '../follow-job.js';
import { type JobOutput, writeJobResults } from '../job-output.js';
import { type StartWorker, startDetachedWorker } from '../job-worker.js';
import { renderJob, sumJobs } from '../render/jobs.js';
import { renderPreview } from '../render/preview.js';

export interface UploadOptions {
  path: string;
  column: string | undefined;
  yes: boolean;
  wait: boolean;
  output: JobOutput;
  maxAgeMs: number | undefined;
  onlyUnknown: boolean;
}

const remotePollMs = 2000;

/** Previews, confirms, and runs, starts or follows the job. */
export async function runUpload(
  context: Context,
  options: UploadOptions,
  startWorker: StartWorker = startDetachedWorker,
): Promise<number> {
  checkFlags(options);
  const service = await context.service();
  const { jobs: control } = service;
  if (control === undefined) refuseLocalFlags(options);
  const unlock = options.wait && control !== undefined ? await lockOutput(control, options) : () => {};
  try {
    const preview = await service.previewUpload(
      { path: options.path, filename: basename(options.path) },
      { signal: context.signal },
    );
    const column = await chooseColumn(context, preview, options);
    const jobs = await confirm(context, service, preview.upload_id, column, options);
    const { id } = sumJobs(jobs);
    if (!options.wait) return await leave(context, control, jobs, startWorker);
    const ended = control === undefined ? await follow(context, service, id) : await work(context, control, id);
    requireCompleted(ended);
    return await finish(context, service, ended, options);
  } finally {
    unlock();
  }
}

function checkFlags({ wait, output }: UploadOptions): void {
  if (wait) return;
  const early = output.wishes.path !== null ? '--output' : output.rejects !== null ? '--rejects' : null;
  if (early === null) return;
  throw new Failure('usage', `${early} needs --wait: there are no results before the job is done.`, {
    hint: 'Add --wait, or fetch them later with: mailvet jobs results ID -o FILE',
  });
}

function refuseLocalFlags({ maxAgeMs, onlyUnknown }: UploadOptions): void {
  if (maxAgeMs === undefined && !onlyUnknown) return;
  throw new Failure('unsupported', 'A remote service does not reuse the verdicts of earlier runs.', {
    hint: 'Add --local, or leave --max-age and --only-unknown away.',
  });
}

/** The same file to the same place, started twice, as cron does when a night is too short. */
async function lockOutput(control: JobControl, { path, output }: UploadOptions): Promise<() => void> {
  const file = await realpath(path).catch(() => resolve(path));
  const target = output.wishes.path === null ? '' : resolve(output.wishes.path);
  return control.lock(`${file}\n${target}`, basename(path));
}

async function chooseColumn(context: Context, preview: UploadPreview, options: UploadOptions): Promise<string> {
  const { terminal } = context;
  const asks = !options.yes && terminal.stdin.isTty && terminal.stderr.isTty;
  if (!asks && !options.yes) {
    throw new Failure('usage', 'There is no terminal to ask on, and a job is only made once someone agrees.', {
      hint: 'Add --yes, and --column NAME to be sure of the column.',
    });
  }
  if (asks) await terminal.stderr.write(renderPreview(preview, terminal.stderr));
  const wanted = options.column ?? (asks ? await askColumn(preview) : preview.suggested_email_column);
  if (wanted === '') {
    throw new Failure('bad_input', 'No column looks like email addresses.', {
      hint: `Name one with --column. The columns are: ${preview.columns.join(', ')}.`,
    });
  }
  return wanted;
}

async function askColumn({ columns, suggested_email_column }: UploadPreview): Promise<string> {
  const { askText } = await import('../prompt.js');
  const answer = await askText(`Column with the addresses [${suggested_email_column}]`, (value) =>
    value === '' || columns.includes(value) ? undefined : `One of: ${columns.join(', ')}`,
  );
  return answer === '' ? suggested_email_column : answer;
}

async function confirm(
  context: Context,
  service: ValidationService,
  uploadId: string,
  column: string,
  { maxAgeMs, onlyUnknown }: UploadOptions,
): Promise<Job[]> {
  const { signal } = context;
  if (service.jobs === undefined) return [await service.confirmUpload(uploadId, column, { signal })];
  const settings = engineOptions(context.settings());
  return service.jobs.confirm(uploadId, column, {
    signal,
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
  control: JobControl | undefined,
  jobs: readonly Job[],
  startWorker: StartWorker,
): Promise<number> {
  const job = sumJobs(jobs);
  if (control !== undefined) startWorker(job.id, control.logPath(job.id));
  const { stdout } = context.terminal;
  if (!context.quiet) {
    await stdout.write(stdout.isTty ? `${job.id}\n` : `${JSON.stringify(job)}\n`);
  }
  context.note(`The job runs in the background. Follow it with: mailvet jobs get ${job.id} --watch`);
  return 0;
}

/** Runs the job in this process; Ctrl-C leaves it to be resumed. */
export async function work(context: Context, control: JobControl, id: string): Promise<Job[]> {
  const line = openJobLine(context);
  try {
    const jobs = await control.work(id, { signal: context.signal, onProgress: line.show });
    if (context.signal.aborted) {
      throw new Failure('interrupted', 'Interrupted; what was done is kept.', {
        hint: `Go on with: mailvet jobs resume ${id} --wait`,
      });
    }
    return jobs;
  } finally {
    await line.clear();
  }
}

function follow(context: Context, service: ValidationService, id: string): Promise<Job[]> {
  return watchJobs(context, async () => [await service.getJob(id, { signal: context.signal })], remotePollMs);
}

async function finish(
  context: Context,
  service: ValidationService,
  jobs: readonly Job[],
  { output }: UploadOptions,
): Promise<number> {
  const { id } = sumJobs(jobs);
  const wantsRows = output.wishes.path !== null || output.wishes.format !== null || output.rejects !== null;
  if (wantsRows) {
    await writeJobResults(context, await service.jobResults(id, { signal: context.signal }), output);
    return 0;
  }
  const { stdout } = context.terminal;
  if (!context.quiet) await stdout.write(stdout.isTty ? renderJob(jobs, stdout) : `${JSON.stringify(sumJobs(jobs))}\n`);
  return 0;
}
