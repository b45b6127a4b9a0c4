import type { FastifyRequest } from 'fastify';
import { toJob } from '../../jobs/job-view.js';
import { isMemberId } from '../../jobs/store/members.js';
import { adminOwner } from '../../jobs/store/sessions.js';
import { type JobRecord, type JobStore, localOwner } from '../../jobs/store/store.js';
import { Failure } from '../../model/failure.js';
import type { JobService, LocalJobs, OwnerRules } from '../../service/local/jobs.js';
import type { AppJob, Owner } from '../../wire/app-jobs.js';
import { visibleOwner, type WebContext } from './web-context.js';

/** The jobs of an owner. The administrator's are all jobs: an id is looked up for its owner. */
export function jobsFor(
  owner: string,
  { jobs, store, rules }: { jobs: Pick<LocalJobs, 'forOwner'>; store: JobStore; rules: OwnerRules },
): JobService {
  if (owner !== adminOwner) return jobs.forOwner(owner, rules);
  const freeRules = { ...rules, charge: false };
  const adminJobs = jobs.forOwner(adminOwner, freeRules);
  const serviceForJob = async (id: string): Promise<JobService> =>
    jobs.forOwner((await store.ownerOf(id)) ?? adminOwner, freeRules);
  return {
    ...adminJobs,
    listJobs: async ({ skip, limit }) => {
      const page = await store.listJobs(null, { skip, limit });
      const now = Date.now();
      return { jobs: page.jobs.map((record) => toJob(record, now)), total: page.total, skip, limit };
    },
    getJob: async (id, options) => (await serviceForJob(id)).getJob(id, options),
    jobResults: async (id, options) => (await serviceForJob(id)).jobResults(id, options),
    cancelJob: async (id, options) => (await serviceForJob(id)).cancelJob(id, options),
    deleteJob: async (id) => (await serviceForJob(id)).deleteJob(id),
    jobs: {
      ...adminJobs.jobs,
      jobsOf: async (id) => (await serviceForJob(id)).jobs.jobsOf(id),
      resume: async (id, options) => (await serviceForJob(id)).jobs.resume(id, options),
    },
  };
}

/** The record of a job that the caller may see, otherwise the Failure `not_found`, whether it exists or not. */
export async function jobOf({ store }: WebContext, request: FastifyRequest, id: string): Promise<JobRecord> {
  const owner = visibleOwner(request) ?? (await store.ownerOf(id));
  const job = owner === null ? null : await store.getJob(owner, id);
  if (job !== null) return job;
  throw new Failure('not_found', 'There is no such job.', { hint: 'It may have been deleted. See all jobs.' });
}

export function toAppJob(record: JobRecord, owner: Owner): AppJob {
  const { waiting, nextRetryAt } = record;
  return {
    ...toJob(record, Date.now()),
    owner,
    waiting: { rows: waiting, next_at: nextRetryAt === null ? null : new Date(nextRetryAt).toISOString() },
  };
}

/** The names of some owners; there may be very many. */
export async function ownerNames(
  { store }: Pick<WebContext, 'store'>,
  ids: Iterable<string>,
): Promise<(id: string) => Owner> {
  const names = new Map<string, string>();
  for (const id of new Set(ids)) {
    if (id === adminOwner || id === localOwner) continue;
    const owner = isMemberId(id) ? await store.getMember(id) : await store.getKey(id);
    if (owner !== null) names.set(id, owner.name);
  }
  return (id) => {
    if (id === adminOwner) return { kind: 'admin', id, name: 'Admin' };
    if (id === localOwner) return { kind: 'local', id, name: 'command line' };
    if (isMemberId(id)) return { kind: 'member', id, name: names.get(id) ?? 'removed member' };
    return { kind: 'key', id, name: names.get(id) ?? 'deleted key' };
  };
}
