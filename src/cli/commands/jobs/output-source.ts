import { existsSync } from 'node:fs';
import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import type { BulkItem } from '../../../model/result.js';
import type { ValidationService } from '../../../model/service.js';
import { createJobAnswers } from '../../../service/job-stats.js';
import { readOutput } from '../../../service/outputs/read-output.js';
import type { Context } from '../../context.js';
import { findJobId } from './find-job.js';
import { openResults } from './write-results.js';

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
  const { signal } = context;
  const job = await service.getJob(await findJobId(service, name, signal), { signal });
  return { job, read: () => readJob(context, service, job) };
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
  yield* await readOutput(path, column);
}

async function* readJob(context: Context, service: ValidationService, job: Job): AsyncGenerator<readonly BulkItem[]> {
  const answerTo = createJobAnswers({ findDuplicates: false });
  for await (const rows of (await openResults(context, service, job)).rows) {
    yield rows.map(answerTo).flatMap(({ result, empty, unanswered }) => (empty || unanswered ? [] : [result]));
  }
}
