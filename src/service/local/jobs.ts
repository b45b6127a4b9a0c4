import { systemClock } from '../../async/clock.js';
import { lazy } from '../../async/lazy.js';
import type { TimeSlices } from '../../async/time-slicer.js';
import { toJob } from '../../jobs/job-view.js';
import type { Member } from '../../jobs/queue/member.js';
import { type OnVerdict, workJobs } from '../../jobs/queue/work-jobs.js';
import { jobResults } from '../../jobs/results/job-results.js';
import { localOwner } from '../../jobs/store/job-record.js';
import type { OpenedStore } from '../../jobs/store/open-store.js';
import { serverRetentionMs } from '../../jobs/store/retention.js';
import type { JobStore } from '../../jobs/store/store.js';
import type { ConfirmOptions } from '../../jobs/uploads/confirm-upload.js';
import type { ColumnPlan } from '../../jobs/uploads/uploads.js';
import { formatNumber } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import type { Job } from '../../model/job.js';
import type { CallOptions, JobControl, ValidationService } from '../../model/service.js';
import { findJob, isShared, jobControl, jobNotFound } from './job-control.js';
import { asMember, csvReader, evictExpired, type LocalJobsOptions, type OpenedJobs, openJobs } from './open-jobs.js';

export type JobService = Pick<
  ValidationService,
  'previewUpload' | 'confirmUpload' | 'listJobs' | 'getJob' | 'jobResults' | 'cancelJob' | 'deleteJob' | 'resumeJob'
> & {
  jobs: JobControl;
  /** A new list of the same rows; verdicts up to that age are kept. */
  checkAgain(id: string, options: CallOptions & { maxAgeMs: number }): Promise<Job>;
  /** What confirming an upload with that column would validate. */
  planUpload(
    uploadId: string,
    emailColumn: string,
    options: { signal: AbortSignal; slices: TimeSlices; columns?: readonly number[] },
  ): Promise<ColumnPlan>;
};

export interface OwnerRules extends Pick<ConfirmOptions, 'checkEmail'> {
  /** Uploads cost credits. */
  charge: boolean;
  maxRows: number;
  /** The limit of an uncompressed file. */
  maxBytes: number;
  /** The limit of unconfirmed uploads. */
  maxUnconfirmed: { uploads: number; bytes: number };
}

/** Jobs on this machine, and what a server needs. */
export interface LocalJobs extends JobService {
  /** The service for the owner of a key, limited to its own jobs. Uploaded files are moved, not copied. */
  forOwner(owner: string, rules: OwnerRules): JobService;
  /** Runs the queued jobs of all owners until the signal aborts. */
  workAll(signal: AbortSignal, onError: (failure: unknown) => void, onVerdict?: OnVerdict): Promise<void>;
  /** Removes uploads that were not confirmed within a day. */
  expireUploads(): Promise<number>;
  /** The store, opened at first use. It also has the keys and credits. */
  store(): Promise<JobStore>;
  /** Absent if the store is on this machine only. */
  cluster(): Promise<OpenedStore['cluster']>;
  /** This process among those that share the store; null: it is on this machine only. */
  member(): Promise<Member | null>;
  close(): Promise<void>;
}

const evictEveryMs = 60 * 60_000;

/** A job fails after this many crashes of its workers without a saved row in between. */
const maxCrashes = 2;

/** Opens nothing until it is needed. */
export function openLocalJobs(options: LocalJobsOptions): LocalJobs {
  const { get: open, opened: openedJobs } = lazy(() => openJobs(options));
  return {
    ...jobService(options, open, localOwner, null),
    forOwner: (owner, rules) => jobService(options, open, owner, rules),
    workAll: async (signal, onError, onVerdict) => {
      const opened = await open();
      const evict = async (): Promise<void> => {
        const { keepJobsMs = null, clock = systemClock } = options;
        const keepMs = await serverRetentionMs(opened.store, keepJobsMs);
        // If an administrator has set another time than `keep_jobs`, the command line deletes its own jobs.
        await evictExpired(opened, null, keepMs, clock.now(), keepMs === keepJobsMs ? undefined : localOwner);
      };
      evict().catch(onError);
      const timer = setInterval(() => evict().catch(onError), evictEveryMs);
      try {
        const filter = { commandLineLevel: isShared(options) ? options.level : null, maxCrashes };
        await workJobs({ ...options, ...(await asMember(opened)), filter, signal, onError, onVerdict });
      } finally {
        clearInterval(timer);
      }
    },
    expireUploads: async () => (await open()).uploads.expire(),
    store: async () => (await open()).store,
    cluster: async () => (await open()).cluster,
    member: async () => (await (await open()).membership?.join()) ?? null,
    close: async () => {
      const opened = await openedJobs();
      await opened?.membership?.leave();
      await opened?.store.close();
    },
  };
}

function jobService(
  options: LocalJobsOptions,
  open: () => Promise<OpenedJobs>,
  owner: string,
  rules: OwnerRules | null,
): JobService {
  const confirmUpload: JobService['confirmUpload'] = async (uploadId, emailColumn, callOptions = {}) => {
    const { uploads } = await open();
    const { settings = {}, signal, columns, onRead, maxAgeMs, earlierId } = callOptions;
    // What is stored with the job.
    const stored = { cacheScope: options.level, settings, maxAgeMs, earlierId };
    const call = { options: stored, signal, columns, onRead, ...rules };
    return toJob(await uploads.confirm(uploadId, emailColumn, owner, call), Date.now());
  };
  const getJob: JobService['getJob'] = async (id) => toJob(await findJob((await open()).store, owner, id), Date.now());
  return {
    previewUpload: async (file, { signal, reading } = {}) => {
      const { uploads } = await open();
      await uploads.expire();
      const limits = rules === null ? {} : { move: true, maxBytes: rules.maxBytes, maxRows: rules.maxRows };
      if (rules !== null) await checkQuota(await open(), owner, rules);
      return uploads.preview(file, owner, { ...limits, signal, reading });
    },
    confirmUpload,
    listJobs: async ({ skip, limit, status }) => {
      const { store } = await open();
      const found = await store.listJobs(owner, { skip, limit, ...(status && { state: status }) });
      const now = Date.now();
      return { jobs: found.jobs.map((job) => toJob(job, now)), total: found.total, skip, limit };
    },
    getJob,
    jobResults: async (id, { signal } = {}) => {
      return jobResults({ ...(await open()), reader: csvReader }, owner, id, signal);
    },
    cancelJob: async (id) => {
      const job = await (await open()).store.cancelJob(owner, id, Date.now());
      if (job === null) throw jobNotFound();
      return toJob(job, Date.now());
    },
    checkAgain: async (id, { maxAgeMs, signal }) => {
      const { store, uploads } = await open();
      const job = await findJob(store, owner, id);
      const columns = job.options['columns'] as number[] | undefined;
      return confirmUpload(await uploads.copy(job), job.emailColumn, { maxAgeMs, earlierId: job.id, columns, signal });
    },
    planUpload: async (uploadId, emailColumn, plan) =>
      (await open()).uploads.plan(uploadId, emailColumn, owner, {
        ...plan,
        ...(rules !== null && { maxBytes: rules.maxBytes, maxRows: rules.maxRows }),
      }),
    deleteJob: async (id) => {
      const { store, files } = await open();
      const deleted = await store.deleteJob(owner, id);
      if (deleted === null) {
        await getJob(id);
        throw new Failure('conflict', 'The job has not ended, so it is not deleted.', { hint: 'Cancel it first.' });
      }
      await files.removeJob(deleted.id);
      await files.removeUpload(deleted.uploadId);
      return toJob(deleted, Date.now());
    },
    resumeJob: async (id) => {
      if (owner === localOwner && rules !== null && !isShared(options)) {
        const message = 'This job belongs to the command line of the machine, which runs it with its own settings.';
        throw new Failure('conflict', message, { hint: `Continue there with: mailvet jobs resume ${id}` });
      }
      const job = await (await open()).store.resumeJob(owner, id);
      if (job === null) throw jobNotFound();
      return toJob(job, Date.now());
    },
    jobs: jobControl(options, open, owner),
  };
}

async function checkQuota({ store }: OpenedJobs, owner: string, { maxUnconfirmed }: OwnerRules): Promise<void> {
  const { uploads, bytes } = await store.unconfirmed(owner);
  if (uploads < maxUnconfirmed.uploads && bytes < maxUnconfirmed.bytes) return;
  throw new Failure('rate_limited', `There are too many unconfirmed uploads (${formatNumber(uploads)}).`, {
    hint: 'Confirm them, or wait: they are removed after a day.',
    retryAfterSeconds: 3_600,
  });
}
