import { existsSync } from 'node:fs';
import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import type { BulkItem } from '../../../model/result.js';
import { createJobAnswers } from '../../../service/job-stats.js';
import { readOutput } from '../../../service/outputs/read-output.js';
import { sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import { findJobId } from './find-job.js';
import { fetchJobs } from './job-access.js';
import { openServiceResults } from './write-results.js';

/** The results of an output file or of a job. */
export interface OutputSource {
  /** The job; null for a file. */
  job: Job | null;
  /** Can be called again. */
  read(): AsyncIterable<readonly BulkItem[]>;
}

const jobId = /^(?:latest|[\da-f]{3,}[\da-f-]*(?:,[\da-f-]+)*)$/i;

/** Finds an output by the name of its file, or a job by its id. Null for a file that does not exist. */
export async function findOutput(context: Context, name: string, column?: string): Promise<OutputSource | null> {
  if (existsSync(name)) return { job: null, read: () => readFile(name, column) };
  if (!jobId.test(name)) return null;
  const service = await context.service();
  const id = await findJobId(service, name, context.signal);
  const jobs = await fetchJobs(context, service, id);
  return { job: sumJobs(jobs), read: () => readJobs(context, service, jobs) };
}

/** The same, for an output that must exist. */
export async function requireOutput(context: Context, name: string, column?: string): Promise<OutputSource> {
  const found = await findOutput(context, name, column);
  if (found !== null) return found;
  throw new Failure('bad_input', `There is no file ${JSON.stringify(name)}.`, {
    hint: 'Name an output of bulk or upload, or the id of a job: mailvet jobs list',
  });
}

async function* readFile(path: string, column: string | undefined): AsyncGenerator<readonly BulkItem[]> {
  yield* await readOutput(path, column, { withSuppressed: true });
}

async function* readJobs(
  context: Context,
  service: Awaited<ReturnType<Context['service']>>,
  jobs: readonly Job[],
): AsyncGenerator<readonly BulkItem[]> {
  const open = () =>
    service.jobs === undefined
      ? openServiceResults(context, service, jobs)
      : service.jobResults(sumJobs(jobs).id, { signal: context.signal });
  const answerTo = createJobAnswers({ findDuplicates: false });
  for await (const rows of (await open()).rows) {
    yield rows.map(answerTo).flatMap(({ result, empty, unanswered }) => (empty || unanswered ? [] : [result]));
  }
}
