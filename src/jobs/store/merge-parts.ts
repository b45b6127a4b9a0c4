import type { JobState } from '../../model/job.js';
import { countsOf, type JobRecord, sumCounts, sumForgotten, withCounts } from './job-record.js';

/** The jobs of one list, in order, as one record with the id of the list; null if there are none. */
export function mergeParts(parts: readonly JobRecord[]): JobRecord | null {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return first ?? null;
  const running = parts.filter(({ state }) => state === 'running');
  const lastRun = running.length > 0 ? running : partsOfLastRun(parts);
  const ends = parts.map(({ finishedAt }) => finishedAt).filter((time) => time !== null);
  return {
    ...withCounts(first, others.map(countsOf)),
    id: first.groupId,
    part: 0,
    parts: 1,
    state: mergedState(parts),
    ...sumCounts(parts.map(({ total, uniqueTotal, waiting }) => ({ total, uniqueTotal, waiting }))),
    forgotten: sumForgotten(parts.map(({ forgotten }) => forgotten)),
    startedAt: earliest(parts.map(({ startedAt }) => startedAt)),
    finishedAt: ends.length === parts.length ? Math.max(...ends) : null,
    // The rate is that of the jobs that run now, or ran last.
    runStartedAt: earliest(lastRun.map(({ runStartedAt }) => runStartedAt)),
    runBase: parts.reduce((rows, job) => rows + (lastRun.includes(job) ? startOfRun(job) : job.processed), 0),
    error: parts.find(({ error }) => error !== null)?.error ?? null,
    // A live worker takes over the jobs of a dead one.
    interrupted:
      running.length > 0
        ? running.every(({ interrupted }) => interrupted)
        : parts.some(({ interrupted }) => interrupted),
    crashes: Math.max(...parts.map(({ crashes }) => crashes)),
    nextRetryAt: earliest(parts.map(({ nextRetryAt }) => nextRetryAt)),
  };
}

/** The jobs that ran since the list was resumed, or all. */
function partsOfLastRun(parts: readonly JobRecord[]): readonly JobRecord[] {
  const resumedAt = earliest(parts.filter(wasResumed).map(({ runStartedAt }) => runStartedAt));
  return resumedAt === null ? parts : parts.filter(({ runStartedAt }) => (runStartedAt ?? 0) >= resumedAt);
}

/** True if its last run was not its first. */
export function wasResumed({ startedAt, runStartedAt }: Pick<JobRecord, 'startedAt' | 'runStartedAt'>): boolean {
  return startedAt !== null && runStartedAt !== null && runStartedAt > startedAt;
}

/** The rows that the current run of a job did not check itself. */
function startOfRun({ runBase, reused }: JobRecord): number {
  return runBase === 0 ? reused : runBase;
}

/** A list has started when one job has, and ends as its worst job. */
function mergedState(parts: readonly JobRecord[]): JobState {
  const has = (wanted: JobState): boolean => parts.some(({ state }) => state === wanted);
  if (has('running')) return 'running';
  if (has('queued')) return has('completed') ? 'running' : 'queued';
  return has('failed') ? 'failed' : has('canceled') ? 'canceled' : 'completed';
}

/** `mergedState` of the list of a row of `jobs`, in SQL. */
export const listState = `(CASE WHEN parts = 1 THEN state ELSE (SELECT CASE
    WHEN count(CASE WHEN part.state = 'running' THEN 1 END) > 0 THEN 'running'
    WHEN count(CASE WHEN part.state = 'queued' THEN 1 END) > 0
      THEN CASE WHEN count(CASE WHEN part.state = 'completed' THEN 1 END) > 0 THEN 'running' ELSE 'queued' END
    WHEN count(CASE WHEN part.state = 'failed' THEN 1 END) > 0 THEN 'failed'
    WHEN count(CASE WHEN part.state = 'canceled' THEN 1 END) > 0 THEN 'canceled' ELSE 'completed' END
  FROM jobs AS part WHERE part.group_id = jobs.group_id) END)`;

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
