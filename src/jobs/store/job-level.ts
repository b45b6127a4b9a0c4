import { type JobFilter, type JobRecord, localOwner } from './store.js';

/** The level of a job; verdicts are reused only within one level. */
export function levelOf({ options }: Pick<JobRecord, 'options'>): string {
  return typeof options['cacheScope'] === 'string' ? options['cacheScope'] : '';
}

/** Whether the filter allows the level of the job: a worker must not check more than the command line asked for. */
export function isForLevel(job: Pick<JobRecord, 'owner' | 'options'>, { commandLineLevel }: JobFilter): boolean {
  return commandLineLevel === undefined || job.owner !== localOwner || levelOf(job) === commandLineLevel;
}
