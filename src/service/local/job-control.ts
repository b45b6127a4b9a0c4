import { systemClock } from '../../async/clock.js';
import { identityOf } from '../../disk/process-identity.js';
import { toJob } from '../../jobs/job-view.js';
import { workJobs } from '../../jobs/queue/work-jobs.js';
import type { JobRecord } from '../../jobs/store/job-record.js';
import { mergeParts } from '../../jobs/store/merge-parts.js';
import type { JobStore } from '../../jobs/store/store.js';
import { forgetAddress } from '../../jobs/uploads/forget-address.js';
import { Failure } from '../../model/failure.js';
import type { Job } from '../../model/job.js';
import type { JobControl } from '../../model/service.js';
import { forgetAnswers } from '../answers/open-answers.js';
import { asMember, csvReader, evictExpired, type LocalJobsOptions, type OpenedJobs } from './open-jobs.js';

/** The operations on jobs of the command line and of the web pages, which are limited to the user's own. */
export function jobControl(options: LocalJobsOptions, open: () => Promise<OpenedJobs>, owner: string): JobControl {
  return {
    settingsOf: async (id) => {
      const [job] = await findJobs((await open()).store, owner, id);
      return (job?.options['settings'] as Record<string, unknown> | undefined) ?? {};
    },
    work: async (id, { signal, onProgress } = {}) => {
      const opened = await open();
      const readJobs = async (): Promise<JobRecord[]> => findJobs(opened.store, owner, id);
      const [first] = await readJobs();
      const filter = { owner, groupId: first?.groupId ?? id };
      const onJobs = onProgress && ((jobs: JobRecord[]) => onProgress(asOneJob(jobs)));
      await workJobs({ ...options, ...(await asMember(opened)), filter, readJobs, signal, onJobs });
      const job = asOneJob(await readJobs());
      await evictExpired(opened, owner, options.keepJobsMs ?? null, (options.clock ?? systemClock).now());
      return job;
    },
    assignWorker: async (id, pid) => {
      const { store } = await open();
      const [first] = await findJobs(store, owner, id);
      await store.announceWorker(identityOf(pid), { owner, groupId: first?.groupId ?? id });
    },
    forget: async (email) => {
      const { home, canonical } = options;
      // Lists of the command line have their answers in the embedded store, also where jobs are in a shared one.
      const embedded = isShared(options) ? await forgetAnswers(home, canonical(email)) : 0;
      const report = await forgetAddress({ ...(await open()), reader: csvReader, canonical }, email);
      return { ...report, cached: report.cached + embedded };
    },
  };
}

/** Queues canceled and failed jobs again. */
export async function resumeJobs({ store }: OpenedJobs, owner: string, id: string): Promise<Job> {
  const jobs = await findJobs(store, owner, id);
  const unfinished = jobs.filter((job) => job.state !== 'completed');
  for (const job of unfinished.length > 0 ? unfinished : jobs) await store.resumeJob(owner, job.id);
  return asOneJob(await findJobs(store, owner, id));
}

/** In a shared store workers also run the jobs of the command line. Otherwise the command line runs them, with its own settings. */
export function isShared({ address = null }: LocalJobsOptions): boolean {
  return address !== null;
}

async function findJobs(store: JobStore, owner: string, id: string): Promise<JobRecord[]> {
  const jobs = await store.jobsOfGroup(owner, id);
  if (jobs.length === 0) throw jobNotFound();
  return jobs;
}

/** The jobs of a list are shown as one. */
export function asOneJob(parts: readonly JobRecord[]): Job {
  const job = mergeParts(parts);
  if (job === null) throw jobNotFound();
  return toJob(job, Date.now());
}

export function jobNotFound(): Failure {
  return new Failure('not_found', 'There is no such job.', { hint: 'mailvet jobs list shows all jobs.' });
}
