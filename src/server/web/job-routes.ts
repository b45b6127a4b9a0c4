import type { FastifyInstance, FastifyRequest } from 'fastify';
import { timeSlicesFor } from '../../async/time-slicer.js';
import type { JobRecord, JobStore } from '../../jobs/store/store.js';
import type { JobService } from '../../service/local/jobs.js';
import type { AppCalls } from '../../wire/app.js';
import type { AppForgetReport, AppJob, JobsQuery } from '../../wire/app-jobs.js';
import { callerOf } from '../server-context.js';
import { defineAppRoute, idOf } from './define-app-route.js';
import { jobOf, ownerNames, toAppJob } from './job-access.js';
import { isKey, visibleOwner, type WebContext } from './web-context.js';

const queries = {
  list: {
    type: 'object',
    properties: {
      search: { type: 'string', maxLength: 255 },
      status: { type: 'string', enum: ['queued', 'running', 'completed', 'failed', 'canceled'] },
      owner: { type: 'string', maxLength: 100 },
      days: { type: 'integer', minimum: 1, maximum: 3_650 },
      skip: { type: 'integer', minimum: 0, maximum: 1_000_000_000, default: 0 },
      limit: { type: 'integer', minimum: 1, maximum: 200, default: 20 },
    },
  },
  plan: {
    type: 'object',
    required: ['email_column'],
    properties: {
      email_column: { type: 'string' },
      email_column_number: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    },
  },
} as const;

const dayMs = 24 * 60 * 60_000;

const forgetBody = {
  type: 'object',
  required: ['email'],
  properties: { email: { type: 'string', minLength: 3, maxLength: 1_000, pattern: '@' } },
} as const;

type ListQuery = JobsQuery & Required<Pick<JobsQuery, 'skip' | 'limit'>>;

/** The lists with these ids, without those that were deleted meanwhile. */
async function listsOf(context: WebContext, ids: readonly string[]): Promise<AppForgetReport['unfinished']> {
  const lists: AppForgetReport['unfinished'] = [];
  for (const id of ids) {
    const owner = await context.store.ownerOf(id);
    const job = owner === null ? null : await context.store.getJob(owner, id);
    if (job === null) continue;
    lists.push({ id, filename: job.filename, owner: (await ownerNames(context, [job.owner]))(job.owner) });
  }
  return lists;
}

/** The position of the email column, from 1, if its name is not enough; null otherwise. */
async function columnNumber(store: JobStore, job: JobRecord): Promise<number | null> {
  const { owner, uploadId, emailColumn, options } = job;
  const columns = options['columns'];
  if (!Array.isArray(columns) || columns.length !== 1) return null;
  const names = (await store.getUpload(owner, uploadId))?.columns ?? [];
  return names.indexOf(emailColumn) === names.lastIndexOf(emailColumn) ? null : Number(columns[0]) + 1;
}

/** The Lists and Jobs pages: all jobs for the administrator, a key's own for a key. */
export function registerJobRoutes(app: FastifyInstance, context: WebContext): void {
  const { store } = context;
  const jobsOf = (request: FastifyRequest): JobService => context.jobsOf(callerOf(request).id);
  const currentJob = async (request: FastifyRequest): Promise<AppJob> => {
    const record = await jobOf(context, request, idOf(request));
    const job = toAppJob(record, (await ownerNames(context, [record.owner]))(record.owner));
    const number = await columnNumber(store, record);
    return number === null ? job : { ...job, email_column_number: number };
  };
  defineAppRoute(app, 'listJobs', {
    query: queries.list,
    answer: async (request) => {
      const { search = '', status, owner = null, days, skip, limit } = request.query as ListQuery;
      const { jobs, total } = await store.listJobs(visibleOwner(request) ?? owner, {
        skip,
        limit,
        ...(search.trim() !== '' && { search: search.trim() }),
        ...(status !== undefined && { state: status }),
        ...(days !== undefined && { createdSince: Date.now() - days * dayMs }),
      });
      const ownerOf = await ownerNames(
        context,
        jobs.map(({ owner }) => owner),
      );
      return { jobs: jobs.map((job) => toAppJob(job, ownerOf(job.owner))), total, skip, limit };
    },
  });
  defineAppRoute(app, 'getJob', { answer: currentJob });
  for (const [name, onlyUnknown, action] of [
    ['resumeJob', false, 'list_resumed'],
    ['retryUnknown', true, 'list_retried'],
  ] as const) {
    defineAppRoute(app, name, {
      answer: async (request) => {
        const { id, filename } = await jobOf(context, request, idOf(request));
        await jobsOf(request).jobs.resume(id, { onlyUnknown });
        await context.audit.record(request, { action, subject: id, subjectName: filename });
        return currentJob(request);
      },
    });
  }
  defineAppRoute(app, 'deleteJob', {
    answer: async (request) => {
      const { id, filename } = await jobOf(context, request, idOf(request));
      const jobs = jobsOf(request);
      await jobs.cancelJob(id);
      await jobs.deleteJob(id);
      await context.audit.record(request, { action: 'list_deleted', subject: id, subjectName: filename });
      return { deleted: true };
    },
  });
  defineAppRoute(app, 'forgetAddress', {
    body: forgetBody,
    answer: async (request) => {
      const { email } = request.body as AppCalls['forgetAddress']['body'];
      const report = await jobsOf(request).jobs.forget(email.trim());
      // The entry does not contain the address, since the log must not keep it.
      await context.audit.record(request, { action: 'address_forgotten' });
      return { ...report, unfinished: await listsOf(context, report.unfinished) };
    },
  });
  defineAppRoute(app, 'uploadPlan', {
    query: queries.plan,
    answer: async (request) => {
      const { email_column, email_column_number: number } = request.query as AppCalls['uploadPlan']['query'];
      const { id, credits: balance } = callerOf(request);
      const caller = context.connections.callerFor(request.raw, 'job', id);
      const { signal } = caller;
      const slices = timeSlicesFor(caller);
      const { rows, addresses, unique } = await jobsOf(request).planUpload(idOf(request), email_column, {
        signal,
        slices,
        ...(number !== undefined && { columns: [number - 1] }),
      });
      const credits = isKey(request) ? unique : 0;
      return {
        rows,
        addresses,
        unique,
        credits,
        balance,
        empty: rows - addresses,
        duplicates: addresses - unique,
      };
    },
  });
}
