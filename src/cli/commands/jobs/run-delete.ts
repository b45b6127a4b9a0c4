import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import { isFinalState, sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { encodeJob } from '../../render/jobs.js';
import { printRecord, showsTable } from '../../results/print-records.js';
import { canAsk, confirmDeletion } from '../../terminal/confirm-deletion.js';
import { findJobId } from './find-job.js';
import { fetchJobs } from './job-access.js';

export type DeleteFlags = FormatFlags & { yes?: boolean };

/** Deletes a job that has ended. On a terminal it asks first; elsewhere it needs --yes. */
export async function runJobsDelete(context: Context, idText: string, flags: DeleteFlags): Promise<number> {
  const { yes } = flags;
  const service = await context.service();
  const id = await findJobId(service, idText, context.signal);
  const { filename = '', status } = sumJobs(await fetchJobs(context, service, id));
  if (isFinalState(status)) {
    if (!yes && !canAsk(context)) {
      throw new Failure('usage', `Deleting the job of ${filename} needs confirmation.`, {
        hint: 'Add --yes to delete it with its file and results.',
      });
    }
    if (!(await confirmDeletion(context, `Delete the job of ${filename} with its results?`, yes))) return 0;
  }
  const jobs: Job[] = [];
  for (const each of id.split(',')) jobs.push(await service.deleteJob(each, { signal: context.signal }));
  await printRecord(context, flags, encodeJob(sumJobs(jobs)), () => '');
  if (showsTable(context, flags)) context.note(`The job of ${filename} was deleted, with its file and results.`);
  return 0;
}
