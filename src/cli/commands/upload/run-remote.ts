import { basename } from 'node:path';
import { Failure } from '../../../model/failure.js';
import type { Job, JobResults } from '../../../model/job.js';
import type { ValidationService } from '../../../model/service.js';
import { partsFailure, uploadInParts } from '../../../service/remote/upload-in-parts.js';
import { isFinalState, sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import { flagForRows } from '../../flags/output-flags.js';
import { renderJob } from '../../render/jobs.js';
import { watchJobs } from '../jobs/follow.js';
import { writeJobResults } from '../jobs/write-results.js';
import { chooseColumn } from './choose-column.js';
import type { UploadOptions } from './upload-options.js';

/** Uploads to a service in as many parts as it takes, and follows them as one. What failed is said last, after what did not. */
export async function runRemoteUpload(
  context: Context,
  service: ValidationService,
  options: UploadOptions,
): Promise<number> {
  const { signal } = context;
  const { path, maxRows, parts: only } = options;
  const file = { path, filename: basename(path) };
  const wishes = { signal, ...(maxRows !== undefined && { maxRows }), ...(only !== undefined && { only }) };
  const upload = await uploadInParts(service, file, wishes);
  const column = await chooseColumn(context, upload.preview, options);
  const parts = await upload.confirm(column, { signal });
  const jobs = parts.flatMap(({ job }) => (job === null ? [] : [job]));
  const failure = partsFailure(parts);
  if (jobs.length === 0 && failure !== null) throw failure;
  const merged = options.wait ? await follow(context, service, jobs) : null;
  await show(context, service, merged === null ? jobs : [merged], jobs, options);
  return statusOf(failure);
}

async function follow(context: Context, service: ValidationService, jobs: readonly Job[]): Promise<Job> {
  const { signal } = context;
  const known = new Map<string, Job>();
  const look = async (): Promise<Job[]> => {
    for (const { id } of jobs) {
      if (!isFinalState(known.get(id)?.status ?? '')) known.set(id, await service.getJob(id, { signal }));
    }
    return [...known.values()];
  };
  const sum = sumJobs(await watchJobs(context, look));
  if (sum.status !== 'completed') throw endedBadly(sum);
  return sum;
}

function endedBadly({ id, status, error }: Job): Failure {
  return new Failure('remote_error', `The job ended as ${status}${error ? `: ${error}` : '.'}`, {
    hint: `See what became of it with: mailvet jobs get ${id.split(',')[0] ?? id}`,
  });
}

async function show(
  context: Context,
  service: ValidationService,
  shown: readonly Job[],
  jobs: readonly Job[],
  { wait, output }: UploadOptions,
): Promise<void> {
  const { stdout } = context.terminal;
  if (wait && (output.wishes.format !== null || flagForRows(output) !== null)) {
    await writeJobResults(context, await allResults(context, service, jobs), output);
    return;
  }
  if (context.quiet) return;
  for (const job of shown) {
    await stdout.write(stdout.isTty ? (wait ? renderJob([job], stdout) : `${job.id}\n`) : `${JSON.stringify(job)}\n`);
  }
}

/** The results of the parts, one after the other. */
async function allResults(context: Context, service: ValidationService, jobs: readonly Job[]): Promise<JobResults> {
  const { signal } = context;
  const [first, ...others] = jobs;
  const head = await service.jobResults(first?.id ?? '', { signal });
  async function* rows(): JobResults['rows'] {
    yield* head.rows;
    for (const { id } of others) yield* (await service.jobResults(id, { signal })).rows;
  }
  return { ...head, rows: rows() };
}

function statusOf(failure: Failure | null): number {
  if (failure !== null) throw failure;
  return 0;
}
