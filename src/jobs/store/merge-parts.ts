import type { JobState } from '../../model/job.js';
import { sumForgotten } from './records.js';
import type { JobRecord } from './store.js';

/** The jobs of one list, in order, as one record with the id of the list; null if there are none. */
export function mergeParts(parts: readonly JobRecord[]): JobRecord | null {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first ?? null;
  const sum = (count: (job: JobRecord) => number): number => parts.reduce((total, job) => total + count(job), 0);
  const running = parts.filter(({ state }) => state === 'running');
  const lastRun = running.length > 0 ? running : partsOfLastRun(parts);
  return {
    ...first,
    id: first.groupId,
    part: 0,
    parts: 1,
    total: sum(({ total }) => total),
    uniqueTotal: sum(({ uniqueTotal }) => uniqueTotal),
    state: mergedState(parts),
    processed: sum(({ processed }) => processed),
    valid: sum(({ valid }) => valid),
    invalid: sum(({ invalid }) => invalid),
    risky: sum(({ risky }) => risky),
    unknown: sum(({ unknown }) => unknown),
    duplicate: sum(({ duplicate }) => duplicate),
    subCounts: mergedCounts(parts),
    resolverDown: parts.some(({ resolverDown }) => resolverDown),
    reused: sum(({ reused }) => reused),
    forgotten: sumForgotten(parts.map(({ forgotten }) => forgotten)),
    ...mergedTimes(parts),
    // The rate is that of the jobs that run now, or ran last.
    runStartedAt: earliest(lastRun.map(({ runStartedAt }) => runStartedAt)),
    runBase: sum((job) => (lastRun.includes(job) ? startOfRun(job) : job.processed)),
    error: parts.find(({ error }) => error !== null)?.error ?? null,
    worker: running[0]?.worker ?? null,
    leaseUntil: running[0]?.leaseUntil ?? null,
    // A live worker takes over the jobs of a dead one.
    interrupted:
      running.length > 0
        ? running.every(({ interrupted }) => interrupted)
        : parts.some(({ interrupted }) => interrupted),
    crashes: Math.max(...parts.map(({ crashes }) => crashes)),
    waiting: sum(({ waiting }) => waiting),
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

function mergedTimes(parts: readonly JobRecord[]): Pick<JobRecord, 'startedAt' | 'finishedAt'> {
  const ends = parts.map(({ finishedAt }) => finishedAt).filter((time) => time !== null);
  return {
    startedAt: earliest(parts.map(({ startedAt }) => startedAt)),
    finishedAt: ends.length === parts.length ? Math.max(...ends) : null,
  };
}

function mergedCounts(parts: readonly JobRecord[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const { subCounts } of parts)
    for (const [reason, count] of Object.entries(subCounts)) sums.set(reason, (sums.get(reason) ?? 0) + count);
  return Object.fromEntries(sums);
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
