import { oldJobs } from './job-sums.js';
import type { JobRecord } from './store.js';

/** How a store forgets lists. */
interface ForgetSteps {
  /** The next jobs behind that number, in the order of their making; fewer than `most` where there are no more. */
  jobsBehind(num: number, most: number): Promise<JobRecord[]>;
  /** Forgets, in one transaction, those of the lists that nobody has worked on meanwhile, and gives their jobs. */
  forget(groupIds: readonly string[]): Promise<JobRecord[]>;
}

/** Jobs that are looked at together, and lists that are forgotten in one transaction: each job may have a thousand results. */
const lookedAt = 100;
const forgottenAtOnce = 10;

/** Forgets all lists that nobody has worked on since `before`, some at a time, so that thousands of them keep nobody waiting. */
export async function pruneJobFiles({ jobsBehind, forget }: ForgetSteps, before: number): Promise<JobRecord[]> {
  const forgotten: JobRecord[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: JobRecord[] = await jobsBehind(after, lookedAt);
    const lists = [...new Set(oldJobs(page, before).map(({ groupId }) => groupId))];
    for (let at = 0; at < lists.length; at += forgottenAtOnce) {
      forgotten.push(...(await forget(lists.slice(at, at + forgottenAtOnce))));
    }
    after = page.length < lookedAt ? null : Math.max(...page.map(({ num }) => num));
  }
  return forgotten;
}
