import type { JobRecord, PruneOptions } from '../store.js';
import { settleJob } from './keys-table.js';
import { all, allLocked, inList, listValue, run, type SqlBackend, type Steps } from './steps.js';

/** Limits of one transaction: a job may have a thousand chunks of results. */
const jobsPerRead = 100;
const listsPerWrite = 10;

/** Deletes all lists that were idle since then, in small transactions that do not block others. A dry run only finds them. */
export async function pruneJobs(
  backend: SqlBackend,
  owner: string | null,
  idleSince: number,
  { isDryRun = false, exceptOwner }: PruneOptions = {},
): Promise<JobRecord[]> {
  const [ownerFilter, values] =
    owner !== null
      ? [' AND owner = ?', [owner]]
      : exceptOwner !== undefined
        ? [' AND owner <> ?', [exceptOwner]]
        : ['', []];
  const selectPage = `SELECT ${backend.jobColumns} FROM jobs WHERE num > ?${ownerFilter} ORDER BY num LIMIT ?`;
  const pruned: JobRecord[] = [];
  for (let afterNum: number | null = 0; afterNum !== null; ) {
    const from: number = afterNum;
    const rows = await backend.read(() => all(selectPage, from, ...values, jobsPerRead));
    const page = rows.map(backend.readJob);
    const lists = [...new Set(idleJobs(page, idleSince).map(({ groupId }) => groupId))];
    for (let first = 0; first < lists.length; first += listsPerWrite) {
      const batch = lists.slice(first, first + listsPerWrite);
      const idle = (): Steps<JobRecord[]> => idleLists(backend, owner, batch, idleSince, !isDryRun);
      pruned.push(...(await (isDryRun ? backend.read(idle) : backend.write(() => deleteJobs(idle())))));
    }
    afterNum = page.length < jobsPerRead ? null : Math.max(...page.map(({ num }) => num));
  }
  return pruned;
}

/** The jobs of these lists, unless one of them ran or was resumed meanwhile. */
function* idleLists(
  { jobColumns, readJob }: SqlBackend,
  owner: string | null,
  lists: readonly string[],
  idleSince: number,
  forUpdate: boolean,
): Steps<JobRecord[]> {
  const select = `SELECT ${jobColumns} FROM jobs WHERE group_id ${inList} AND owner = coalesce(?, owner) ORDER BY num`;
  const rows = yield* (forUpdate ? allLocked : all)(select, listValue(lists), owner);
  return idleJobs(rows.map(readJob), idleSince);
}

function* deleteJobs(found: Steps<JobRecord[]>): Steps<JobRecord[]> {
  const idle = yield* found;
  for (const job of idle) {
    if (job.finishedAt === null) yield* settleJob(job.num);
    yield* run('DELETE FROM chunks WHERE job = ?', job.num);
    yield* run('DELETE FROM jobs WHERE num = ?', job.num);
    yield* run('DELETE FROM uploads WHERE id = ?', job.uploadId);
  }
  return idle;
}

/** The jobs of lists that were idle since then. A list goes as a whole: its parts share one file. */
function idleJobs(jobs: readonly JobRecord[], idleSince: number): JobRecord[] {
  const groups = new Map<string, JobRecord[]>();
  for (const job of jobs) groups.set(job.groupId, [...(groups.get(job.groupId) ?? []), job]);
  return [...groups.values()]
    .filter((group) => group.every((job) => isIdle(job) && lastActive(job) < idleSince))
    .flat();
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
