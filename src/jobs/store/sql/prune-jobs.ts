import type { JobRecord, JobTransitions } from '../store.js';
import { settleJob } from './keys-table.js';
import { all, allLocked, inList, listValue, run, type SqlBackend, type Steps } from './steps.js';

/** Limits of one transaction: a job may have a thousand chunks of results. */
const jobsPerRead = 100;
const listsPerWrite = 10;

/** Deletes all lists that were idle since then, in small transactions that do not block others. */
export const pruneJobs =
  (backend: SqlBackend): JobTransitions['pruneJobs'] =>
  async (owner, idleSince, exceptOwner) => {
    const isDue: IsDue = (job) => isIdle(job) && lastActive(job) < idleSince;
    const selectPage = `SELECT ${backend.jobColumns} FROM jobs
      WHERE num > ? AND owner = coalesce(?, owner) AND owner <> coalesce(?, '') ORDER BY num LIMIT ?`;
    const pruned: JobRecord[] = [];
    for (let afterNum: number | null = 0; afterNum !== null; ) {
      const from: number = afterNum;
      const rows = await backend.read(() => all(selectPage, from, owner, exceptOwner ?? null, jobsPerRead));
      const page = rows.map(backend.readJob);
      const lists = [...new Set(dueJobs(page, isDue).map(({ groupId }) => groupId))];
      for (let first = 0; first < lists.length; first += listsPerWrite) {
        const batch = lists.slice(first, first + listsPerWrite);
        pruned.push(...(await backend.write(() => deleteDue(backend, owner, batch, isDue))));
      }
      afterNum = page.length < jobsPerRead ? null : Math.max(...page.map(({ num }) => num));
    }
    return pruned;
  };

/** Whether a job may be deleted. */
type IsDue = (job: JobRecord) => boolean;

/** Deletes these lists, unless one of their jobs ran or was resumed meanwhile. */
function* deleteDue(
  { jobColumns, readJob }: SqlBackend,
  owner: string | null,
  lists: readonly string[],
  isDue: IsDue,
): Steps<JobRecord[]> {
  const select = `SELECT ${jobColumns} FROM jobs WHERE group_id ${inList} AND owner = coalesce(?, owner) ORDER BY num`;
  const jobs = dueJobs((yield* allLocked(select, listValue(lists), owner)).map(readJob), isDue);
  for (const job of jobs) {
    if (job.finishedAt === null) yield* settleJob(job.num);
    yield* run('DELETE FROM chunks WHERE job = ?', job.num);
    yield* run('DELETE FROM jobs WHERE num = ?', job.num);
    yield* run('DELETE FROM uploads WHERE id = ?', job.uploadId);
  }
  return jobs;
}

/** The jobs of lists that are due. A list goes as a whole: its parts share one file. */
function dueJobs(jobs: readonly JobRecord[], isDue: IsDue): JobRecord[] {
  const groups = new Map<string, JobRecord[]>();
  for (const job of jobs) groups.set(job.groupId, [...(groups.get(job.groupId) ?? []), job]);
  return [...groups.values()].filter((group) => group.every(isDue)).flat();
}

/** Whether no worker runs the job: it has ended, is queued, or its worker is dead. */
function isIdle({ state, worker, interrupted }: JobRecord): boolean {
  return state !== 'running' || worker === null || interrupted;
}

/** A job that was never started may wait for a worker. */
const queueGraceMs = 7 * 24 * 60 * 60_000;

function lastActive({ state, createdAt, runStartedAt, finishedAt, leaseUntil }: JobRecord): number {
  if (state === 'queued' && runStartedAt === null) return createdAt + queueGraceMs;
  return finishedAt ?? Math.max(createdAt, runStartedAt ?? 0, leaseUntil ?? 0);
}
