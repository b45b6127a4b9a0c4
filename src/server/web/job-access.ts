import type { FastifyRequest } from 'fastify';
import { toJob } from '../../jobs/job-view.js';
import { type JobRecord, localOwner } from '../../jobs/store/job-record.js';
import { adminOwner, isMemberId } from '../../jobs/store/sessions.js';
import type { JobStore } from '../../jobs/store/store.js';
import { Failure } from '../../model/failure.js';
import type { JobService, LocalJobs, OwnerRules } from '../../service/local/jobs.js';
import type { AppJob, Owner } from '../../wire/app.js';
import { callerOf } from '../server-context.js';
import type { WebContext } from './web-context.js';

/** The jobs of an owner. Administrators have all jobs, and members also those of their keys: an id is looked up for its owner. */
export function jobsFor(
  owner: string,
  { jobs, store, rules }: { jobs: Pick<LocalJobs, 'forOwner'>; store: JobStore; rules: OwnerRules },
): JobService {
  const isAdministrator = owner === adminOwner;
  if (!isAdministrator && !isMemberId(owner)) return jobs.forOwner(owner, rules);
  const ownRules = isAdministrator ? { ...rules, charge: false } : rules;
  const ownJobs = jobs.forOwner(owner, ownRules);
  const serviceForJob = async (id: string): Promise<JobService> => {
    const jobOwner = await store.ownerOf(id);
    return jobOwner !== null && (await maySeeJobs(store, owner, jobOwner))
      ? jobs.forOwner(jobOwner, ownRules)
      : ownJobs;
  };
  return {
    ...ownJobs,
    listJobs: async ({ skip, limit }) => {
      const page = await store.listJobs(isAdministrator ? null : owner, { skip, limit });
      const now = Date.now();
      return { jobs: page.jobs.map((record) => toJob(record, now)), total: page.total, skip, limit };
    },
    getJob: async (id, options) => (await serviceForJob(id)).getJob(id, options),
    jobResults: async (id, options) => (await serviceForJob(id)).jobResults(id, options),
    cancelJob: async (id, options) => (await serviceForJob(id)).cancelJob(id, options),
    deleteJob: async (id) => (await serviceForJob(id)).deleteJob(id),
    resumeJob: async (id, options) => (await serviceForJob(id)).resumeJob(id, options),
    checkAgain: async (id, options) => (await serviceForJob(id)).checkAgain(id, options),
  };
}

/** Whether a user sees the jobs of that owner. */
async function maySeeJobs(store: JobStore, user: string, jobOwner: string): Promise<boolean> {
  if (user === adminOwner || user === jobOwner) return true;
  return isMemberId(user) && (await store.getKey(jobOwner))?.memberId === user;
}

/** The record of a job that the caller may see, otherwise the Failure `not_found`, whether it exists or not. */
export async function jobOf({ store }: WebContext, request: FastifyRequest, id: string): Promise<JobRecord> {
  const owner = await store.ownerOf(id);
  const isVisible = owner !== null && (await maySeeJobs(store, callerOf(request).id, owner));
  const job = isVisible ? await store.getJob(owner, id) : null;
  if (job !== null) return job;
  throw new Failure('not_found', 'There is no such job.', {
    hint: 'It may have been deleted. The Lists page shows all.',
  });
}

export function toAppJob(record: JobRecord, owner: Owner): AppJob {
  return { ...toJob(record, Date.now()), owner };
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
