import type { OpenedJobs } from './open-jobs.js';

/** Whatever age a user allows for verdicts, none is kept for longer. */
const verdictLifeMs = 180 * 24 * 60 * 60_000;

/** Forgets the jobs of an owner, or of all (null), that nobody has worked on since `before`, with their files; gives how many. The verdicts of other lists stay. */
export async function pruneJobs({ store, files }: OpenedJobs, owner: string | null, before: number): Promise<number> {
  const forgotten = await store.pruneJobs(owner, before);
  for (const job of forgotten) {
    await files.removeJob(job.id);
    // A worker of several jobs writes its notes under the name of all.
    await files.removeJob(job.groupId);
    await files.removeUpload(job.uploadId);
  }
  // A server uses the space again, and all who ask it would wait while the store is written anew.
  if (forgotten.length > 0 && owner !== null) await store.compact();
  return forgotten.length;
}

/** Forgets what is kept for long enough: jobs by the setting `keep_jobs`, verdicts by their own age. */
export async function evictExpired(
  opened: OpenedJobs,
  owner: string | null,
  keepJobsMs: number | null,
  now: number,
): Promise<void> {
  await opened.store.pruneCache(now - verdictLifeMs);
  if (keepJobsMs !== null) await pruneJobs(opened, owner, now - keepJobsMs);
}
