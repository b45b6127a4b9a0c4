import { type JobFilter, type JobRecord, localOwner } from './store.js';

/** How deep a job is to look; verdicts are reused only from jobs that looked as deep. */
export function levelOf({ options }: Pick<JobRecord, 'options'>): string {
  return typeof options['cacheScope'] === 'string' ? options['cacheScope'] : '';
}

/** Whoever runs the jobs of others must not look deeper than somebody at the command line asked for. */
export function isForLevel(job: Pick<JobRecord, 'owner' | 'options'>, { commandLineLevel }: JobFilter): boolean {
  return commandLineLevel === undefined || job.owner !== localOwner || levelOf(job) === commandLineLevel;
}
