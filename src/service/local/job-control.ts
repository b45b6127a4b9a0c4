import { systemClock } from '../../async/clock.js';
import { identityOf } from '../../disk/process-identity.js';
import { toJob } from '../../jobs/job-view.js';
import { workJobs } from '../../jobs/queue/work-jobs.js';
import type { JobRecord } from '../../jobs/store/job-record.js';
import type { JobStore } from '../../jobs/store/store.js';
import { forgetAddress } from '../../jobs/uploads/forget-address.js';
import { Failure } from '../../model/failure.js';
import type { JobControl } from '../../model/service.js';
import { forgetAnswers } from '../answers/open-answers.js';
import { asMember, csvReader, evictExpired, type LocalJobsOptions, type OpenedJobs } from './open-jobs.js';

/** The operations on jobs of the command line and of the web pages, which are limited to the user's own. */
export function jobControl(options: LocalJobsOptions, open: () => Promise<OpenedJobs>, owner: string): JobControl {
  return {
    settingsOf: async (id) => {
      const { options } = await findJob((await open()).store, owner, id);
      return (options['settings'] as Record<string, unknown> | undefined) ?? {};
    },
    work: async (id, { signal, onProgress } = {}) => {
      const opened = await open();
      const readJob = async (): Promise<JobRecord> => findJob(opened.store, owner, id);
      await readJob();
      const filter = { owner, jobId: id };
      const onJob = onProgress && ((job: JobRecord) => onProgress(toJob(job, Date.now())));
      await workJobs({ ...options, ...(await asMember(opened)), filter, readJob, signal, onJob });
      const job = toJob(await readJob(), Date.now());
      await evictExpired(opened, owner, options.keepJobsMs ?? null, (options.clock ?? systemClock).now());
      return job;
    },
    assignWorker: async (id, pid) => {
      const { store } = await open();
      await findJob(store, owner, id);
      await store.announceWorker(identityOf(pid), { owner, jobId: id });
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

/** In a shared store workers also run the jobs of the command line. Otherwise the command line runs them, with its own settings. */
export function isShared({ address = null }: LocalJobsOptions): boolean {
  return address !== null;
}

/** Throws `not_found` if the owner has no such job. */
export async function findJob(store: JobStore, owner: string, id: string): Promise<JobRecord> {
  const job = await store.getJob(owner, id);
  if (job === null) throw jobNotFound();
  return job;
}

export function jobNotFound(): Failure {
  return new Failure('not_found', 'There is no such job.', { hint: 'mailvet jobs list shows all jobs.' });
}
