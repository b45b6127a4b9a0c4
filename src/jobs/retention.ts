import type { JobStore } from './store/store.js';

const dayMs = 24 * 60 * 60_000;
/** The default; an administrator or the setting `keep_jobs` can change it. */
const defaultKeepMs = 90 * dayMs;

/** How long a server keeps the lists of its users; null: until they are deleted. */
export async function serverRetentionMs(
  store: Pick<JobStore, 'keepDays'>,
  keepJobsMs: number | null,
): Promise<number | null> {
  const days = await store.keepDays();
  if (days !== undefined) return days === null ? null : days * dayMs;
  return keepJobsMs ?? defaultKeepMs;
}
