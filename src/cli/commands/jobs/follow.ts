import { onAbort } from '../../../async/on-abort.js';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import type { JobControl } from '../../../model/service.js';
import { renderDuration } from '../../../model/text/time.js';
import { type FollowOptions, followJob } from '../../../service/follow-job.js';
import type { Context } from '../../context.js';
import { renderProgress } from '../../render/progress.js';
import { openProgressLine } from '../../terminal/progress.js';

/** Shows the progress of a job on stderr while `work` runs. */
async function withJobProgress<Answer>(
  context: Context,
  work: (onProgress: (job: Job) => void) => Promise<Answer>,
): Promise<Answer> {
  const line = openProgressLine(context);
  const show = (job: Job): void => {
    const { processed = 0, total = null, rows_per_second: rate, eta_seconds: eta, status } = job;
    const progress = {
      answered: processed,
      total,
      // Only the job knows when its run began.
      ...{ rate: rate ?? 0, leftMs: eta == null ? null : eta * 1000 },
      waiting: job.waiting_count ?? 0,
      nextAt: job.retry_at == null ? null : job.retry_at * 1000,
      ...(job.valid_count !== undefined && { counts: job }),
      ...(job.interrupted ? { remark: 'interrupted' } : status === 'queued' && { remark: 'queued' }),
    };
    line.show((elapsedMs, withBar) => {
      // After Ctrl-C, only the rows in progress are finished.
      const shown = context.signal.aborted ? { ...progress, rate: 0, leftMs: null, remark: 'stopping' } : progress;
      return renderProgress(shown, elapsedMs, context.terminal.stderr, { withBar });
    });
  };
  try {
    return await work(show);
  } finally {
    await line.close();
  }
}

/** Polls a job until it has ended; failed polls are repeated here, and not by `fetchJob`. */
export function watchJob(
  context: Context,
  fetchJob: () => Promise<Job>,
  options: Pick<FollowOptions, 'intervalMs' | 'resultFlags'> = {},
): Promise<Job> {
  const { signal, command } = context;
  const onRetry: FollowOptions['onRetry'] = ({ message }, { pauseMs, nth, of }) =>
    context.note(`${message} Trying again in ${renderDuration(pauseMs)} (${nth} of ${of}).`);
  return withJobProgress(context, (onProgress) =>
    followJob(fetchJob, { ...options, signal, onProgress, onRetry, command }),
  );
}

/** Runs a job in this process. After Ctrl-C it can be resumed; `resultFlags` say how its results are written then. */
export async function runJob(
  context: Context,
  control: JobControl,
  id: string,
  resultFlags: readonly string[] = [],
): Promise<Job> {
  const { signal } = context;
  const removeListener = onAbort(signal, () =>
    context.note('Stopping: waiting a second for open answers; a second Ctrl-C ends at once.'),
  );
  const job = await withJobProgress(context, (onProgress) => control.work(id, { signal, onProgress })).finally(
    removeListener,
  );
  if (!signal.aborted) return job;
  const resultsCommand = context.command('jobs', 'results', id, ...resultFlags);
  const { status, interrupted, processed, total } = job;
  if (status === 'completed') {
    throw new Failure('interrupted', 'Interrupted, but every row was answered.', {
      hint: `Write them with: ${resultsCommand}`,
    });
  }
  if (status === 'running' && !interrupted) {
    throw new Failure('interrupted', 'Interrupted; another process continues the job.', {
      hint: `See its progress with: ${context.command('jobs', 'get', id, '--watch')}`,
    });
  }
  const results = resultFlags.length === 0 ? '' : ` && ${resultsCommand}`;
  const kept = total
    ? `The verdicts of ${formatNumber(processed ?? 0)} of ${formatAmount(total, 'row')} are kept.`
    : 'Finished rows are kept.';
  throw new Failure('interrupted', `Interrupted. ${kept}`, {
    hint: `Continue it with: ${context.command('jobs', 'resume', id, '--wait')}${results}`,
  });
}

/** Throws if a job ended as canceled or failed. */
export function requireCompleted(context: Context, { id, status, error }: Job): void {
  if (status === 'canceled') {
    throw new Failure('interrupted', 'The job was canceled. Finished rows are kept.', {
      hint: `Continue it with: ${context.command('jobs', 'resume', id)}`,
    });
  }
  if (status === 'failed') throw new Failure('storage', error ?? 'The job failed.');
}

/** Says how to continue jobs whose worker was killed. */
export function noteInterrupted(context: Context, jobs: readonly Job[]): void {
  for (const { id, interrupted } of jobs)
    if (interrupted)
      context.note(`The job was interrupted. Continue it with: ${context.command('jobs', 'resume', id)}`);
}
