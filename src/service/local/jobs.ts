import { type Clock, systemClock } from '../../async/clock.js';
import type { TimeSlices } from '../../async/time-slicer.js';
import { toJob } from '../../jobs/job-view.js';
import { jobResults, jobsById } from '../../jobs/results/job-results.js';
import type { OpenedStore } from '../../jobs/store/open-store.js';
import { type JobRecord, type JobStore, localOwner } from '../../jobs/store/store.js';
import type { ColumnPlan } from '../../jobs/uploads/plan-upload.js';
import { amount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import type { Job } from '../../model/job.js';
import type { ConfirmUploadOptions, JobControl, ValidationService } from '../../model/service.js';
import { createMailboxes } from '../dedupe/answer-memory.js';
import { confirmOptions } from './confirm-options.js';
import { type LocalJobsOptions, type OpenedJobs, openJobs } from './open-jobs.js';
import { evictExpired, pruneJobs } from './prune-jobs.js';
import { csvReader } from './table-reader.js';
import { type OnVerdict, workJobs } from './work-jobs.js';

export type { OnVerdict };

/** The half of the service that is about jobs. */
export type JobService = Pick<
  ValidationService,
  'previewUpload' | 'confirmUpload' | 'listJobs' | 'getJob' | 'jobResults' | 'cancelJob'
> & {
  jobs: JobControl;
  /** Removes a job that has ended, with its file, its addresses and its results; null where there is none that has ended. */
  deleteJob(id: string): Promise<Job | null>;
  /** What confirming an upload with that column would ask for. */
  planUpload(
    uploadId: string,
    emailColumn: string,
    options: { signal: AbortSignal; slices: TimeSlices },
  ): Promise<ColumnPlan>;
};

/** What holds for the owner of a key. */
export interface OwnerRules {
  /** Uploads cost credits. */
  charge: boolean;
  maxRows: number;
  /** Of a file, decompress. */
  maxBytes: number;
  /** Uploads that wait to be confirmed. */
  maxUnconfirmed: { uploads: number; bytes: number };
}

/** Jobs on this machine, and what a server needs beside. */
export interface LocalJobs extends JobService {
  /** The same for the owner of a key, who sees only what is his. Uploaded files are taken over, not copied. */
  forOwner(owner: string, rules: OwnerRules): JobService;
  /** Runs every queued job, of whichever owner, until the signal says stop. */
  workAll(signal: AbortSignal, onError: (failure: unknown) => void, onVerdict?: OnVerdict): Promise<void>;
  /** Removes uploads that nobody confirmed within a day. */
  expireUploads(): Promise<number>;
  /** The store, opened at first use: keys and credits live there, too. */
  store(): Promise<JobStore>;
  /** Those who share the store; absent where it lies on this machine. */
  cluster(): Promise<OpenedStore['cluster']>;
  close(): Promise<void>;
}

/** How often a server looks for jobs that are kept for long enough. */
const forgetEveryMs = 60 * 60_000;

/** Opens nothing until it is needed. */
export function openLocalJobs(options: LocalJobsOptions): LocalJobs {
  let opening: Promise<OpenedJobs> | null = null;
  const room = (): Promise<OpenedJobs> => {
    opening ??= openJobs(options);
    return opening;
  };
  return {
    ...jobService(options, room, localOwner, null),
    forOwner: (owner, rules) => jobService(options, room, owner, rules),
    workAll: async (signal, onError, onVerdict) => {
      const opened = await room();
      const forget = (): void => {
        evictExpired(opened, null, options.keepJobsMs ?? null, clockOf(options).now()).catch(onError);
      };
      forget();
      const timer = setInterval(forget, forgetEveryMs);
      try {
        const only = { commandLineLevel: isShared(options) ? options.level : null };
        await workJobs({ ...options, room: opened, only, signal, onError, ...(onVerdict && { onVerdict }) });
      } finally {
        clearInterval(timer);
      }
    },
    expireUploads: async () => (await room()).uploads.expire(),
    store: async () => (await room()).store,
    cluster: async () => (await room()).cluster,
    close: async () => {
      if (opening !== null) await (await opening.catch(() => null))?.store.close();
    },
  };
}

function jobService(
  options: LocalJobsOptions,
  room: () => Promise<OpenedJobs>,
  owner: string,
  rules: OwnerRules | null,
): JobService {
  const confirm = async (uploadId: string, emailColumn: string, wishes: ConfirmUploadOptions = {}): Promise<Job[]> => {
    const { uploads } = await room();
    const jobOptions = confirmOptions(options.level, wishes);
    return shown(await uploads.confirm(uploadId, emailColumn, owner, { ...jobOptions, ...rules }));
  };
  const page: JobControl['listJobs'] = async ({ skip, limit, status }) => {
    const { store } = await room();
    const found = await store.listJobs(owner, { skip, limit, ...(status && { state: status }) });
    return { jobs: shown(found.jobs), total: found.total, skip, limit };
  };
  return {
    previewUpload: async (file, { signal, reading } = {}) => {
      const { uploads } = await room();
      await uploads.expire();
      const limits = rules === null ? {} : { adopt: true, maxBytes: rules.maxBytes };
      if (rules !== null) await checkQuota(await room(), owner, rules);
      return uploads.preview(file, owner, { ...limits, ...(signal && { signal }), ...(reading && { reading }) });
    },
    confirmUpload: async (uploadId, emailColumn, callOptions) => {
      const [job] = await confirm(uploadId, emailColumn, callOptions);
      if (job === undefined) throw noJob();
      return job;
    },
    listJobs: page,
    getJob: async (id) => {
      const job = await (await room()).store.getJob(owner, id);
      if (job === null) throw noJob();
      return toJob(job, Date.now());
    },
    jobResults: async (id, { signal } = {}) => {
      const { canonical } = options;
      return jobResults({ ...(await room()), reader: csvReader, canonical, createMailboxes }, owner, id, signal);
    },
    cancelJob: async (id) => {
      const { store } = await room();
      const canceled: (JobRecord | null)[] = [];
      for (const job of await found(store, owner, id)) canceled.push(await store.cancelJob(owner, job.id, Date.now()));
      const [job] = canceled;
      if (job === null || job === undefined) throw noJob();
      return toJob(job, Date.now());
    },
    planUpload: async (uploadId, emailColumn, plan) =>
      (await room()).uploads.plan(uploadId, emailColumn, owner, {
        ...plan,
        ...(rules !== null && { maxBytes: rules.maxBytes }),
      }),
    deleteJob: async (id) => {
      const { store, files } = await room();
      const deleted = await store.deleteJob(owner, id);
      if (deleted === null) return null;
      const { job, isLast } = deleted;
      await files.removeJob(job.id);
      if (isLast) {
        await files.removeJob(job.groupId);
        await files.removeUpload(job.uploadId);
      }
      return toJob(job, Date.now());
    },
    jobs: { ...jobControl(options, room, owner, rules), confirm, listJobs: page },
  };
}

function jobControl(
  options: LocalJobsOptions,
  room: () => Promise<OpenedJobs>,
  owner: string,
  rules: OwnerRules | null,
): Omit<JobControl, 'confirm' | 'listJobs'> {
  return {
    jobsOf: async (id) => shown(await found((await room()).store, owner, id)),
    settingsOf: async (id) => {
      const [job] = await found((await room()).store, owner, id);
      return (job?.options['settings'] as Record<string, unknown> | undefined) ?? {};
    },
    work: async (id, { signal, onProgress } = {}) => {
      const opened = await room();
      const look = async (): Promise<JobRecord[]> => found(opened.store, owner, id);
      const [first] = await look();
      const only = { owner, groupId: first?.groupId ?? id };
      const onLook = onProgress && ((jobs: JobRecord[]) => onProgress(shown(jobs)));
      await workJobs({ ...options, room: opened, only, look, ...(signal && { signal }), ...(onLook && { onLook }) });
      const jobs = shown(await look());
      await evictExpired(opened, owner, options.keepJobsMs ?? null, clockOf(options).now());
      return jobs;
    },
    resume: async (id, { onlyUnknown = false } = {}) => {
      if (owner === localOwner && rules !== null && !isShared(options)) throw ofTheCommandLine(id);
      const { store } = await room();
      const jobs = await found(store, owner, id);
      const open = jobs.filter((job) => onlyUnknown || job.state !== 'completed');
      for (const job of open.length > 0 ? open : jobs) await store.resumeJob(owner, job.id, onlyUnknown);
      return shown(await found(store, owner, id));
    },
    prune: async (olderThanMs) => pruneJobs(await room(), owner, clockOf(options).now() - olderThanMs),
  };
}

async function checkQuota({ store }: OpenedJobs, owner: string, { maxUnconfirmed }: OwnerRules): Promise<void> {
  const { uploads, bytes } = await store.unconfirmed(owner);
  if (uploads < maxUnconfirmed.uploads && bytes < maxUnconfirmed.bytes) return;
  throw new Failure('rate_limited', `This key has ${amount(uploads, 'upload')} that nobody has confirmed.`, {
    hint: 'Confirm them, or wait: they are removed a day after they came.',
    retryAfterSeconds: 3_600,
  });
}

/** Where several machines work, workers run the jobs of the command line, too; else it runs them itself, with its own settings. */
function isShared({ address = null }: LocalJobsOptions): boolean {
  return address !== null;
}

function ofTheCommandLine(id: string): Failure {
  return new Failure(
    'conflict',
    'This job belongs to the command line of the machine, which runs it with its own settings.',
    {
      hint: `Go on there with: mailvet jobs resume ${id}`,
    },
  );
}

function clockOf({ clock = systemClock }: LocalJobsOptions): Clock {
  return clock;
}

async function found(store: JobStore, owner: string, id: string): Promise<JobRecord[]> {
  const jobs = await jobsById(store, owner, id);
  if (jobs.length === 0) throw noJob();
  return jobs;
}

function shown(records: readonly JobRecord[]): Job[] {
  const now = Date.now();
  return records.map((record) => toJob(record, now));
}

function noJob(): Failure {
  return new Failure('not_found', 'There is no such job.', { hint: 'mailvet jobs list shows all jobs.' });
}
