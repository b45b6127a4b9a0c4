import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Run } from '../../../lists/answers.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import type { JobControl, ValidationService } from '../../../model/service.js';
import { isFinalState } from '../../../service/job-states.js';
import { engineSettings } from '../../../settings/definitions.js';
import { withoutPassword } from '../../../settings/secrets.js';
import type { Context } from '../../context.js';
import { refuseRemoteFlag } from '../../flags/flags.js';
import { suppressedNote } from '../../flags/list-flags.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { renderJob } from '../../render/jobs.js';
import { checkOutputTargets } from '../../results/output-files.js';
import { printRecord } from '../../results/print-records.js';
import { startWorker } from '../jobs/detached-worker.js';
import { requireCompleted, runJob } from '../jobs/follow.js';
import { mailTroubleOf, readJobStats, writeJobResults } from '../jobs/write-results.js';
import { chooseColumn } from './choose-column.js';
import { findEarlierJob, openUploadRun, resultFlagsOf, targetsOf, type UploadOptions } from './upload-run.js';

/** Uploads a file after confirmation, and runs its job in the background, or here with `--wait`. */
export async function runUpload(context: Context, options: UploadOptions): Promise<number> {
  if (options.output.isGiven && !options.wait) {
    throw new Failure('usage', `--output needs --wait: there are no results before the job is done.`, {
      hint: 'Add --wait, or fetch them later with: mailvet jobs results ID -o FILE',
    });
  }
  await refusePipe(options.path);
  // Refuses outputs that cannot work before the list is sent.
  await checkOutputTargets(context, targetsOf(options), [options.path]);
  const service = await context.service();
  const { jobs: control } = service;
  if (control === undefined) {
    refuseLocalFlags(options);
    return (await import('./run-remote.js')).runRemoteUpload(context, service, options);
  }
  if (context.settings().mode === 'local') refuseRemoteFlag('--max-credits', options.run.maxCredits !== undefined);
  if (options.run.exclude.length > 0) {
    // A list that cannot be read fails now, not in the background.
    await (await import('../../../service/suppression.js')).readSuppression(options.run.exclude, context);
  }
  const settings = jobSettings(context, options);
  const run = await openUploadRun(context, options, { settings, store: context.settings().store }, { isPaid: false });
  try {
    return await runLocalUpload(context, service, control, options, { run, settings });
  } finally {
    await run.close();
  }
}

async function runLocalUpload(
  context: Context,
  service: ValidationService,
  control: JobControl,
  options: UploadOptions,
  { run, settings }: { run: Run; settings: Record<string, unknown> },
): Promise<number> {
  const earlier = await findEarlierJob(context, service, run, options);
  const job = earlier ?? (await createJob(context, service, options, settings));
  if (job === null) return 0;
  if (earlier === null) await run.attach([job.id]);
  if (!options.wait) return startInBackground(context, control, job, options.output);
  const ended = await runJob(context, control, job.id, resultFlagsOf(options));
  requireCompleted(context, ended);
  const suppressed = suppressedNote(ended.suppressed_count);
  // On a terminal, the summary has the count.
  if (suppressed !== null && !context.terminal.stderr.isTty) context.note(suppressed);
  const status = await showResults(context, service, ended, options).catch(async (failure: unknown) => {
    // The network was down: the next run asks again.
    if (failure instanceof Failure && failure.code === 'network') await run.attach([]);
    throw failure;
  });
  // The rows of a run that a guard rejected are fetched again.
  if (status === 0) await run.finish();
  return status;
}

/** The job of the list, once the user agrees; null if not. */
async function createJob(
  context: Context,
  service: ValidationService,
  options: UploadOptions,
  settings: Record<string, unknown>,
): Promise<Job | null> {
  const { signal } = context;
  const { path, reading, run } = options;
  const file = { path, filename: basename(path) };
  const preview = await service.previewUpload(file, { signal, reading });
  const columns = await chooseColumn(context, preview, options);
  if (columns === null) return null;
  const names = columns.map((at) => preview.columns[at] ?? '').join(',');
  return service.confirmUpload(preview.upload_id, names, {
    signal,
    columns,
    onRead: ({ notes, warnings }) => {
      for (const text of warnings) context.warn(text);
      for (const text of notes) context.note(text);
    },
    settings,
    maxAgeMs: run.maxAgeMs ?? undefined,
  });
}

/** A job reads its list more than once. */
async function refusePipe(path: string): Promise<void> {
  const isPipe = /^(?:-|\/dev\/(?:stdin|fd\/.*))$/.test(path) || (await stat(path).catch(() => null))?.isFIFO();
  if (!isPipe) return;
  throw new Failure('usage', 'upload takes a file, not a pipe.', {
    hint: 'Save the list in a file first, or vet the pipe with: mailvet bulk -',
  });
}

function refuseLocalFlags({ run: { maxAgeMs, exclude } }: UploadOptions): void {
  if (exclude.length > 0) {
    throw new Failure('unsupported', 'A remote service does not know your suppression lists.', {
      hint: 'Use mailvet bulk --exclude FILE, which does not send these rows, or add --local.',
    });
  }
  if (maxAgeMs === null) return;
  throw new Failure('unsupported', 'A remote service does not reuse the verdicts of earlier runs.', {
    hint: 'Use mailvet bulk --max-age, or add --local.',
  });
}

/** What the worker of a job needs, without keys and passwords. */
function jobSettings(context: Context, { run: { exclude, maxCredits } }: UploadOptions): Record<string, unknown> {
  const settings = context.settings();
  const { mode, baseUrl, hybridSends } = settings;
  const hybrid = { mode, baseUrl, hybridSends, maxCredits: maxCredits ?? settings.maxCredits };
  return {
    ...Object.fromEntries(engineSettings.map((field) => [field, settings[field]])),
    proxy: settings.proxy && withoutPassword(settings.proxy),
    ...(mode === 'hybrid' && hybrid),
    ...(exclude.length > 0 && { exclude: exclude.map((path) => resolve(path)) }),
  };
}

async function startInBackground(context: Context, control: JobControl, job: Job, flags: FormatFlags): Promise<number> {
  // The job of an earlier upload may have a worker, or have ended.
  if (job.status === 'queued' || job.interrupted) await startWorker(context, control, job.id);
  try {
    // Also with --quiet: the id is needed to find the job.
    await printRecord(context, flags, job, () => `${job.id}\n`);
  } finally {
    context.note(
      isFinalState(job.status)
        ? `Its results: ${context.command('jobs', 'results', job.id)}`
        : `The job runs in the background. Follow it with: ${context.command('jobs', 'get', job.id, '--watch')}`,
    );
  }
  return 0;
}

/** Writes the rows if they are requested, otherwise the statistics; returns the exit status. */
async function showResults(
  context: Context,
  service: ValidationService,
  job: Job,
  options: UploadOptions,
): Promise<number> {
  const openResults = () => service.jobResults(job.id, { signal: context.signal });
  if (options.writesRows) {
    return writeJobResults(context, await openResults(), job, targetsOf(options));
  }
  const trouble = dnsTroubleOf(job) ?? (await mailTroubleOf(job, openResults));
  const { stdout } = context.terminal;
  const isShown = stdout.isTty && !context.quiet && !context.json;
  const stats = await readJobStats(job, openResults, { isShown });
  const card = (): string => (context.quiet ? '' : renderJob(job, stdout, context.command, { stats }));
  await printRecord(context, options.output, job, card);
  if (trouble !== null) throw trouble;
  return 0;
}
