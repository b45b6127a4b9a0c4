import { percent } from '../../model/amount.js';
import type { Job } from '../../model/job.js';
import { sumJobs } from '../../service/sum-jobs.js';

/** So much of an id is shown; any unambiguous beginning is understood. */
const shownIdLength = 8;

/** An id as people need it: the beginning of those that we give out. */
export function shownId(id: string): string {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(id) ? id.slice(0, shownIdLength) : id;
}

/** For people: a job that nobody works on does not run, whatever its state. */
export function shownStatus({ status, interrupted }: Job): string {
  return interrupted === true ? 'interrupted' : status;
}

/** How much of a job is done, 0 to 1; null where it does not say. */
export function doneRatio({ processed, total }: Job): number | null {
  if (processed === undefined || total === undefined) return null;
  return total === 0 ? 1 : processed / total;
}

/** The same in percent; empty where it does not say. */
export function donePercent(job: Job): string {
  const share = doneRatio(job);
  return share === null ? '' : percent(Math.floor(share * 100) / 100);
}

/** The ids of the lists whose workers were killed. */
export function interruptedLists(jobs: readonly Job[]): string[] {
  const listOf = (job: Job): string => job.group_id ?? job.id;
  const ids = [...new Set(jobs.map(listOf))];
  return ids.filter((id) => sumJobs(jobs.filter((job) => listOf(job) === id)).interrupted);
}
