import { formatAmount } from '../../../model/amount.js';
import type { Job } from '../../../model/job.js';
import { openRunRecords } from '../../../service/answers/run-records.js';
import { isFinalState } from '../../../service/job-states.js';
import type { Context } from '../../context.js';
import { checkOutputTargets } from '../../results/output-files.js';
import { findJobId } from './find-job.js';
import { noteInterrupted } from './follow.js';
import { openResults, type ResultOptions, writeJobResults } from './write-results.js';

/** Writes the results of a job, also while it runs. */
export async function runJobsResults(context: Context, idText: string, options: ResultOptions): Promise<number> {
  const service = await context.service();
  const { signal } = context;
  const job = await service.getJob(await findJobId(service, idText, signal), { signal });
  const targets = { ...options, list: job.filename ?? null };
  await checkOutputTargets(context, targets, []);
  const status = await writeJobResults(context, await openResults(context, service, job), job, targets);
  if (status === 0 && hasAllRows(options) && isFinalState(job.status)) {
    await openRunRecords(context.settings().dataDir).removeJobs(job.id.split(','));
  }
  if (job.status === 'queued' || job.status === 'running') {
    context.note('The job is not done yet; rows without a verdict are still to come.');
  }
  noteInterrupted(context, [job]);
  const { forgotten_count: forgotten = 0 } = job;
  if (forgotten > 0) context.note(forgottenNote(forgotten));
  warnOfMissingRows(context, job, service.jobs !== undefined);
  return status;
}

/** Whether the results are all rows with all columns, not a look at some. */
function hasAllRows({ output: { only, fields } }: ResultOptions): boolean {
  return only === null && fields === null;
}

function forgottenNote(rows: number): string {
  return `${formatAmount(rows, 'row')} of the job ${rows === 1 ? 'was' : 'were'} deleted with "mailvet forget".`;
}

/** Warns of rows without a verdict in a job that was canceled or failed. */
function warnOfMissingRows(context: Context, job: Job, canResume: boolean): void {
  const { id, status, error, total = 0, processed = 0 } = job;
  if ((status !== 'canceled' && status !== 'failed') || processed >= total) return;
  const reason = status === 'canceled' ? 'The job was canceled' : `The job failed${error ? ` (${error})` : ''}`;
  const hint = canResume ? ` Continue it with: ${context.command('jobs', 'resume', id)}` : '';
  const missing = total - processed;
  context.warn(`${reason}, so ${formatAmount(missing, 'row has', 'rows have')} no verdict.${hint}`);
}
