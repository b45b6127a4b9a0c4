import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import type { JobControl } from '../../../model/service.js';
import { followJobs, isFinalState, sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import { renderProgress } from '../../render/progress.js';
import { openProgressLine } from '../../terminal/progress.js';

/** Says on stderr how far jobs are, unless --quiet. */
function openJobLine(context: Context) {
  const line = openProgressLine(context);
  const { stderr } = context.terminal;
  return {
    show: (jobs: readonly Job[]): void => {
      const counts = sumJobs(jobs);
      const { processed = 0, total = null, rows_per_second: rate = null, status } = counts;
      const remark = status === 'queued' ? { remark: 'waiting for its turn' } : {};
      line.show((elapsedMs, withBar) =>
        renderProgress(
          { answered: processed, total, rate, ...(counts.valid_count !== undefined && { counts }), ...remark },
          elapsedMs,
          stderr,
          { withBar },
        ),
      );
    },
    clear: line.close,
  };
}

/** Follows jobs to their end with a line that says how far they are. */
export async function watchJobs(
  context: Context,
  fetchJobs: () => Promise<Job[]>,
  intervalMs?: number,
): Promise<Job[]> {
  const line = openJobLine(context);
  const { signal } = context;
  try {
    return await followJobs(fetchJobs, {
      signal,
      onProgress: line.show,
      ...(intervalMs !== undefined && { intervalMs }),
    });
  } finally {
    await line.clear();
  }
}

/** Runs the job in this process; Ctrl-C leaves it to be resumed. */
export async function workHere(context: Context, control: JobControl, id: string): Promise<Job[]> {
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

/** True in the states from which a job moves no more by itself. A word that we do not know is none of them. */
export function hasEnded({ status }: Job): boolean {
  return isFinalState(status);
}

/** A Failure where a job ended otherwise than completed. */
export function requireCompleted(jobs: readonly Job[]): void {
  const job = sumJobs(jobs);
  if (job.status === 'canceled') {
    throw new Failure('conflict', 'The job was canceled.', { hint: `Go on with: mailvet jobs resume ${job.id}` });
  }
  if (job.status === 'failed') throw new Failure('storage', job.error ?? 'The job failed.');
}
