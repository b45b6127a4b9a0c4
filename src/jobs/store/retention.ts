import { settleJob } from './credits.js';
import { removeJob } from './job-changes.js';
import type { JobRecord, StoredJob } from './job-record.js';
import { all, allLocked, get, inList, insert, listValue, type SqlBackend, type Steps } from './sql.js';

/** Limits of one transaction: a job may have a thousand chunks of results. */
const jobsPerRead = 100;
const jobsPerWrite = 10;

const keepDays = 'keep_days';

/** How long the lists of a server are kept. */
export function retentionTable(backend: SqlBackend) {
  return {
    /** Days after their end; null: until they are deleted; undefined: an administrator has not set it. */
    keepDays: async (): Promise<number | null | undefined> => {
      const find = 'SELECT value FROM settings WHERE name = ?';
      const setting = await backend.read(() => get<{ value: string }>(find, keepDays));
      return setting === null ? undefined : JSON.parse(setting.value);
    },
    setKeepDays: async (days: number | null) => {
      const setting = { name: keepDays, value: JSON.stringify(days) };
      const replace = 'ON CONFLICT (name) DO UPDATE SET value = excluded.value';
      await backend.write(() => insert('settings', setting, replace));
    },
    /** Deletes the jobs that were idle since then, of one owner, or of all (null) but one, and returns them. */
    pruneJobs: async (owner: string | null, idleSince: number, exceptOwner: string | null = null) => {
      const isDue: IsDue = (job) => isIdle(job) && lastActive(job) < idleSince;
      const selectPage = `SELECT ${backend.jobColumns} FROM jobs
        WHERE num > ? AND owner = coalesce(?, owner) AND owner <> coalesce(?, '') ORDER BY num LIMIT ?`;
      const pruned: JobRecord[] = [];
      for (let afterNum: number | null = 0; afterNum !== null; ) {
        const from: number = afterNum;
        const page = await backend.read(() => all<StoredJob>(selectPage, from, owner, exceptOwner, jobsPerRead));
        const due = page
          .map(backend.readJob)
          .filter(isDue)
          .map(({ id }) => id);
        // Small transactions do not block others.
        for (let first = 0; first < due.length; first += jobsPerWrite) {
          const batch = due.slice(first, first + jobsPerWrite);
          pruned.push(...(await backend.write(() => deleteDue(backend, batch, isDue))));
        }
        afterNum = page.length < jobsPerRead ? null : Math.max(...page.map(({ num }) => num));
      }
      return pruned;
    },
  };
}

/** Whether a job may be deleted. */
type IsDue = (job: JobRecord) => boolean;

/** Deletes these jobs, but not one that ran or was resumed meanwhile. */
function* deleteDue(backend: SqlBackend, ids: readonly string[], isDue: IsDue): Steps<JobRecord[]> {
  const select = `SELECT ${backend.jobColumns} FROM jobs WHERE id ${inList} ORDER BY num`;
  const jobs = (yield* allLocked<StoredJob>(select, listValue(ids))).map(backend.readJob).filter(isDue);
  for (const job of jobs) {
    if (job.finishedAt === null) {
      yield* backend.slices.close(job.num);
      yield* settleJob(job.num);
    }
    yield* removeJob(job);
  }
  return jobs;
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

const dayMs = 24 * 60 * 60_000;
/** The default; an administrator or the setting `keep_jobs` can change it. */
const defaultKeepMs = 90 * dayMs;

/** How long a server keeps the lists of its users; null: until they are deleted. */
export async function serverRetentionMs(
  store: Pick<ReturnType<typeof retentionTable>, 'keepDays'>,
  keepJobsMs: number | null,
): Promise<number | null> {
  const days = await store.keepDays();
  if (days !== undefined) return days === null ? null : days * dayMs;
  return keepJobsMs ?? defaultKeepMs;
}
