import { type Clock, systemClock } from '../../async/clock.js';
import type { TimeSlices } from '../../async/time-slicer.js';
import { toJob } from '../../jobs/job-view.js';
import { jobResults, jobsById } from '../../jobs/results/job-results.js';
import type { OpenedStore } from '../../jobs/store/open-store.js';
import { type JobRecord, type JobStore, localOwner } from '../../jobs/store/store.js';
import type { ConfirmOptions } from '../../jobs/uploads/confirm-upload.js';
import { forgetAddress } from '../../jobs/uploads/forget-address.js';
import type { ColumnPlan } from '../../jobs/uploads/uploads.js';
import { formatAmount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import type { Job } from '../../model/job.js';
import type { ConfirmUploadOptions, JobControl, ValidationService } from '../../model/service.js';
import { createMailboxVerdicts } from '../dedupe/run-verdicts.js';
import { csvReader, evictExpired, type LocalJobsOptions, type OpenedJobs, openJobs, pruneJobs } from './open-jobs.js';
import { type OnVerdict, workJobs } from './work-jobs.js';

export type { OnVerdict };

export type JobService = Pick<
  ValidationService,
  'previewUpload' | 'confirmUpload' | 'listJobs' | 'getJob' | 'jobResults' | 'cancelJob'
> & {
  jobs: JobControl;
  /** Removes an ended job with its file, addresses and results; null if there is no such job. */
  deleteJob(id: string): Promise<Job | null>;
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
  /** Of an uncompressed file. */
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
  close(): Promise<void>;
}

const evictEveryMs = 60 * 60_000;

/** A job is set aside after this many crashes of its workers without a saved row in between. */
const maxCrashes = 2;

/** Opens nothing until it is needed. */
export function openLocalJobs(options: LocalJobsOptions): LocalJobs {
  let opening: Promise<OpenedJobs> | null = null;
  const open = (): Promise<OpenedJobs> => {
    opening ??= openJobs(options);
    return opening;
  };
  return {
    ...jobService(options, open, localOwner, null),
    forOwner: (owner, rules) => jobService(options, open, owner, rules),
    workAll: async (signal, onError, onVerdict) => {
      const opened = await open();
      const evict = (): void => {
        evictExpired(opened, null, options.keepJobsMs ?? null, clockOf(options).now()).catch(onError);
      };
      evict();
      const timer = setInterval(evict, evictEveryMs);
      try {
        const filter = { commandLineLevel: isShared(options) ? options.level : null, maxCrashes };
        await workJobs({ ...options, opened, filter, signal, onError, ...(onVerdict && { onVerdict }) });
      } finally {
        clearInterval(timer);
      }
    },
    expireUploads: async () => (await open()).uploads.expire(),
    store: async () => (await open()).store,
    cluster: async () => (await open()).cluster,
    close: async () => {
      if (opening !== null) await (await opening.catch(() => null))?.store.close();
    },
  };
}

function jobService(
  options: LocalJobsOptions,
  open: () => Promise<OpenedJobs>,
  owner: string,
  rules: OwnerRules | null,
): JobService {
  const confirm = async (
    uploadId: string,
    emailColumn: string,
    callOptions: ConfirmUploadOptions = {},
  ): Promise<Job[]> => {
    const { uploads } = await open();
    const jobOptions = confirmOptions(options.level, callOptions);
    return toJobs(await uploads.confirm(uploadId, emailColumn, owner, { ...jobOptions, ...rules }));
  };
  const page: JobControl['listJobs'] = async ({ skip, limit, status }) => {
    const { store } = await open();
    const found = await store.listJobs(owner, { skip, limit, ...(status && { state: status }) });
    return { jobs: toJobs(found.jobs), total: found.total, skip, limit };
  };
  const deleteJob: JobService['deleteJob'] = async (id) => {
    const { store, files } = await open();
    const deleted = await store.deleteJob(owner, id);
    if (deleted === null) return null;
    const { job, isLast } = deleted;
    await files.removeJob(job.id);
    if (isLast) {
      await files.removeJob(job.groupId);
      await files.removeUpload(job.uploadId);
    }
    return toJob(job, Date.now());
  };
  return {
    previewUpload: async (file, { signal, reading } = {}) => {
      const { uploads } = await open();
      await uploads.expire();
      const limits = rules === null ? {} : { move: true, maxBytes: rules.maxBytes };
      if (rules !== null) await checkQuota(await open(), owner, rules);
      return uploads.preview(file, owner, { ...limits, ...(signal && { signal }), ...(reading && { reading }) });
    },
    confirmUpload: async (uploadId, emailColumn, callOptions) => {
      const [job] = await confirm(uploadId, emailColumn, callOptions);
      if (job === undefined) throw jobNotFound();
      return job;
    },
    listJobs: page,
    getJob: async (id) => {
      const job = await (await open()).store.getJob(owner, id);
      if (job === null) throw jobNotFound();
      return toJob(job, Date.now());
    },
    jobResults: async (id, { signal } = {}) => {
      const { canonical } = options;
      return jobResults({ ...(await open()), reader: csvReader, canonical, createMailboxVerdicts }, owner, id, signal);
    },
    cancelJob: async (id) => {
      const { store } = await open();
      const canceled: (JobRecord | null)[] = [];
      for (const job of await findJobs(store, owner, id))
        canceled.push(await store.cancelJob(owner, job.id, Date.now()));
      const [job] = canceled;
      if (job === null || job === undefined) throw jobNotFound();
      return toJob(job, Date.now());
    },
    planUpload: async (uploadId, emailColumn, plan) =>
      (await open()).uploads.plan(uploadId, emailColumn, owner, {
        ...plan,
        ...(rules !== null && { maxBytes: rules.maxBytes }),
      }),
    deleteJob,
    jobs: {
      ...jobControl(options, open, owner, rules),
      confirm,
      listJobs: page,
      deleteJobs: async (id) => {
        const jobs = await findJobs((await open()).store, owner, id);
        for (const job of jobs) if ((await deleteJob(job.id)) === null) throw stillRuns(id);
        return toJobs(jobs);
      },
    },
  };
}

function stillRuns(id: string): Failure {
  return new Failure('conflict', 'The job has not ended, so it is not deleted.', {
    hint: `Stop it first with: mailvet jobs cancel ${id}`,
  });
}

function jobControl(
  options: LocalJobsOptions,
  open: () => Promise<OpenedJobs>,
  owner: string,
  rules: OwnerRules | null,
): Omit<JobControl, 'confirm' | 'listJobs' | 'deleteJobs'> {
  return {
    jobsOf: async (id) => toJobs(await findJobs((await open()).store, owner, id)),
    settingsOf: async (id) => {
      const [job] = await findJobs((await open()).store, owner, id);
      return (job?.options['settings'] as Record<string, unknown> | undefined) ?? {};
    },
    work: async (id, { signal, onProgress } = {}) => {
      const opened = await open();
      const readJobs = async (): Promise<JobRecord[]> => findJobs(opened.store, owner, id);
      const [first] = await readJobs();
      const filter = { owner, groupId: first?.groupId ?? id };
      const onJobs = onProgress && ((jobs: JobRecord[]) => onProgress(toJobs(jobs)));
      await workJobs({ ...options, opened, filter, readJobs, ...(signal && { signal }), ...(onJobs && { onJobs }) });
      const jobs = toJobs(await readJobs());
      await evictExpired(opened, owner, options.keepJobsMs ?? null, clockOf(options).now());
      return jobs;
    },
    resume: async (id, { onlyUnknown = false } = {}) => {
      if (owner === localOwner && rules !== null && !isShared(options)) {
        const message = 'This job belongs to the command line of the machine, which runs it with its own settings.';
        throw new Failure('conflict', message, { hint: `Continue there with: mailvet jobs resume ${id}` });
      }
      const { store } = await open();
      const jobs = await findJobs(store, owner, id);
      const unfinished = jobs.filter((job) => onlyUnknown || job.state !== 'completed');
      for (const job of unfinished.length > 0 ? unfinished : jobs) await store.resumeJob(owner, job.id, onlyUnknown);
      return toJobs(await findJobs(store, owner, id));
    },
    forget: async (email) =>
      forgetAddress({ ...(await open()), reader: csvReader, canonical: options.canonical }, email),
    prune: async (olderThanMs, dryRun) => pruneJobs(await open(), owner, clockOf(options).now() - olderThanMs, dryRun),
  };
}

/** Reuse without an age limit; JSON has no infinity. */
const anyAgeMs = Number.MAX_SAFE_INTEGER;

/** What is stored with a job, and how its file is read. */
function confirmOptions(level: string, callOptions: ConfirmUploadOptions): ConfirmOptions {
  const { settings = {}, onlyUnknown, maxAgeMs = onlyUnknown ? anyAgeMs : undefined } = callOptions;
  const { signal, columns, onRead } = callOptions;
  const reuse = { ...(maxAgeMs !== undefined && { maxAgeMs }), ...(onlyUnknown && { reuseUnknown: false }) };
  const options = { cacheScope: level, settings, ...reuse };
  return { options, ...(signal && { signal }), ...(columns && { columns }), ...(onRead && { onRead }) };
}

async function checkQuota({ store }: OpenedJobs, owner: string, { maxUnconfirmed }: OwnerRules): Promise<void> {
  const { uploads, bytes } = await store.unconfirmed(owner);
  if (uploads < maxUnconfirmed.uploads && bytes < maxUnconfirmed.bytes) return;
  throw new Failure('rate_limited', `This key has ${formatAmount(uploads, 'upload')} that are not confirmed.`, {
    hint: 'Confirm them, or wait: they are removed after a day.',
    retryAfterSeconds: 3_600,
  });
}

/** In a shared store workers also run the jobs of the command line. Otherwise the command line runs them, with its own settings. */
function isShared({ address = null }: LocalJobsOptions): boolean {
  return address !== null;
}

function clockOf({ clock = systemClock }: LocalJobsOptions): Clock {
  return clock;
}

async function findJobs(store: JobStore, owner: string, id: string): Promise<JobRecord[]> {
  const jobs = await jobsById(store, owner, id);
  if (jobs.length === 0) throw jobNotFound();
  return jobs;
}

function toJobs(records: readonly JobRecord[]): Job[] {
  const now = Date.now();
  return records.map((record) => toJob(record, now));
}

function jobNotFound(): Failure {
  return new Failure('not_found', 'There is no such job.', { hint: 'mailvet jobs list shows all jobs.' });
}
