import type { Caller } from '../../async/caller.js';
import { onAbort } from '../../async/on-abort.js';
import { askList } from '../../lists/ask-list.js';
import { type ClaimedJob, callerOfJob } from '../store/job-record.js';
import { Committer } from './committer.js';
import { openMemory } from './job-memory.js';
import type { JobRows } from './job-rows.js';
import type { RunSettings } from './run-settings.js';

/** The worker that a row is left to knows better when it is due. */
const maxLeftMs = 60_000;

/** With `delayMs` all rows are answered but those that wait, the next of them for `home`; `refused`: all but those that another worker is to ask. */
export type RowsEnd = 'completed' | { home: string; delayMs: number } | 'refused' | 'stopped' | 'lost';

/** Asks every remaining row, and commits meanwhile. The caller finishes or releases the job, or its slice. */
export async function runRows(
  settings: RunSettings,
  job: ClaimedJob,
  worker: string,
  { source, waits, left, repeated }: JobRows,
): Promise<RowsEnd> {
  const { clock, drainMs, maxOpen, onWaiting } = settings;
  let isIdle = false;
  const stop = new AbortController();
  const removeListener = settings.signal && onAbort(settings.signal, () => stop.abort());
  if (settings.signal?.aborted) stop.abort();
  const { signal } = stop;
  const committer = new Committer(settings, job, worker);
  for (const [row, wait] of waits) committer.addWait(row, wait.retryAt);
  for (const [row, { home, retryAt }] of left) committer.addWait(row, Math.min(retryAt, clock.now() + maxLeftMs), home);
  try {
    const asker = await settings.openAsker(job);
    await askList(source(asker), {
      asker: { ...asker, greylistWaitMs: settings.greylistWaitMs },
      sink: committer,
      caller: { ...callerOf(job), signal: committer.signal },
      memory: openMemory(settings, job, { repeated, isPaid: asker.isPaid }, committer),
      drain: { signal, ms: drainMs },
      clock,
      maxOpen,
      onWaiting: (isWaiting) => {
        committer.isWaiting = isWaiting;
        onWaiting?.(isWaiting);
        // A worker does not hold a slice whose rows all wait.
        if (!isWaiting || job.slice === null) return;
        isIdle = true;
        stop.abort();
      },
    });
    if (!(await committer.close())) return 'lost';
    return committer.rest() ?? 'completed';
  } catch (error) {
    if (!signal.aborted && !committer.signal.aborted) throw error;
    if (!(await committer.close())) return 'lost';
    return (isIdle && committer.rest()) || 'stopped';
  } finally {
    removeListener?.();
    committer.stop();
  }
}

/** A worker shares mail hosts with others, whichever caller owns the job. */
function callerOf({ owner, id, slice }: ClaimedJob): Caller {
  return slice === null ? callerOfJob(owner, id) : { priority: 'job', owner, taskId: id };
}
