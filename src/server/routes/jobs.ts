import { rm } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import { LruMap } from '../../async/lru-map.js';
import { Failure } from '../../model/failure.js';
import type { Job } from '../../model/job.js';
import { isTestKey, requireSandbox } from '../../model/sandbox.js';
import { listFormats, routes, uploadField } from '../../wire/routes.js';
import { readIntegers } from '../http/json-body.js';
import { receiveFile } from '../http/receive-file.js';
import { chooseFormat, contentTypeOf, streamResults, withRenderSlot } from '../http/results-body.js';
import { callerOf, type ServerContext } from '../server-context.js';
import type { RouteTable } from './define-route.js';
import { credits, job, jobPage, requests, uploadPreview } from './openapi.js';

const justEndedMs = 60_000;
const dayMs = 86_400_000;

/** Jobs that were running when their owner last read them. */
const lastSeenRunning = new LruMap<true>({ maxEntries: 20_000, ttlMs: dayMs });

function hasEnded(status: string): boolean {
  return status !== 'queued' && status !== 'running';
}

function recordSeen(owner: string, { id, status }: Job): void {
  if (hasEnded(status)) lastSeenRunning.delete(`${owner} ${id}`);
  else lastSeenRunning.set(`${owner} ${id}`, true);
}

/** Refuses to delete a job that ended a moment ago if the caller may mean to cancel it. */
function refuseIfJustEnded(owner: string, { id, status, finished_at: finishedAt }: Job): void {
  if (!hasEnded(status) || lastSeenRunning.get(`${owner} ${id}`) === undefined) return;
  if (finishedAt == null || Date.now() - Date.parse(finishedAt) > justEndedMs) return;
  throw new Failure('conflict', 'The job has ended since you last saw it, so it was not deleted.', {
    hint: 'Read the job, then send DELETE again to delete it. To cancel only, add ?only=cancel.',
  });
}

/** The language of a browser, for lists that are not UTF-8. */
function languageOf({ session, headers }: FastifyRequest): { language?: string } {
  const [language] = /^[a-z]{2}(?=[-,;]|$)/i.exec(headers['accept-language'] ?? '') ?? [];
  return session === null || language === undefined ? {} : { language };
}

/** Records what a browser does to a list; requests with a key are usage. */
async function recordAudit({ audit }: ServerContext, request: FastifyRequest, action: string, job: Job): Promise<void> {
  if (request.session !== null)
    await audit.record(request, { action, subject: job.id, subjectName: job.filename ?? '' });
}

/** Jobs, their results, and the caller's credits. */
export function registerJobRoutes(table: RouteTable, context: ServerContext): void {
  const idOf = (params: unknown): string => (params as { job_id: string }).job_id;
  table.define(routes.listJobs, {
    summary: 'Jobs, newest first',
    answer: jobPage,
    querystring: requests.page,
    config: { session: 'too' },
    preValidation: (request, _reply, next) => {
      readIntegers(requests.page, request.query);
      next();
    },
    handler: async (request) => {
      const { id: owner } = callerOf(request);
      const page = await context.jobsOf(owner).listJobs(request.query as { skip: number; limit: number });
      for (const job of page.jobs) recordSeen(owner, job);
      return page;
    },
  });
  table.define(routes.getJob, {
    summary: 'One job',
    answer: job,
    params: requests.job,
    config: { session: 'too' },
    handler: async (request) => {
      const { id: owner } = callerOf(request);
      const job = await context.jobsOf(owner).getJob(idOf(request.params));
      recordSeen(owner, job);
      return job;
    },
  });
  table.define(routes.jobResults, {
    summary: 'The rows of a job with the verdicts known so far',
    answer: {
      description: 'All columns of the file, by ?format= or Accept',
      types: ['text/csv', 'application/json', 'application/x-ndjson'],
    },
    params: requests.job,
    querystring: requests.format,
    config: { session: 'too' },
    handler: async (request, reply) => {
      const id = idOf(request.params);
      const { id: owner } = callerOf(request);
      const caller = context.connections.callerFor(request.raw, 'job', owner);
      const { signal } = caller;
      const format = chooseFormat((request.query as { format?: string }).format, request.headers.accept);
      const results = await withRenderSlot(caller, () => context.jobsOf(owner).jobResults(id, { signal }));
      return reply
        .type(contentTypeOf(format))
        .header('content-disposition', `attachment; filename="${id}.${format}"`)
        .send(streamResults(format, results, caller));
    },
  });
  table.define(routes.cancelJob, {
    summary: 'Cancels a job and refunds the rows that were not validated; deletes one that has ended',
    answer: job,
    params: requests.job,
    querystring: requests.cancel,
    config: { session: 'too' },
    handler: async (request) => {
      const { id: owner } = callerOf(request);
      const jobs = context.jobsOf(owner);
      const id = idOf(request.params);
      const { only } = request.query as { only?: 'cancel' };
      if (only !== 'cancel') refuseIfJustEnded(owner, await jobs.getJob(id));
      const deleted = only === 'cancel' ? null : await jobs.deleteJob(id);
      const job = deleted ?? (await jobs.cancelJob(id));
      await recordAudit(context, request, deleted === null ? 'list_canceled' : 'list_deleted', job);
      return job;
    },
  });
  table.define(routes.credits, {
    summary: 'The credits of this key, and the limits of an upload',
    answer: credits,
    handler: async (request) => {
      const { credits: balance, plan, name } = await context.keys.refresh(callerOf(request));
      const { rows, fileBytes } = context.limits;
      return { credits: balance, plan, name, max_rows: rows, max_file_bytes: fileBytes };
    },
  });
}

interface ConfirmBody {
  upload_id: string;
  email_column: string;
  /** From 1. */
  email_column_number?: number;
}

/** Preview and confirmation of an upload. */
export function registerUploadRoutes(table: RouteTable, context: ServerContext): void {
  const { limits, incoming, connections } = context;
  table.define(routes.previewUpload, {
    summary: `A list as ${listFormats}, in the form field ${uploadField}: its columns, and the one that looks like email addresses`,
    answer: uploadPreview,
    consumes: ['multipart/form-data'],
    bodyLimit: limits.fileBytes,
    config: { session: 'too' },
    handler: async (request) => {
      if (!request.isMultipart()) {
        throw new Failure('unsupported', 'The body must be multipart/form-data.', {
          hint: `With curl: -F ${uploadField}=@list.csv`,
        });
      }
      const { id } = callerOf(request);
      const { signal } = connections.callerFor(request.raw, 'job', id);
      const file = await receiveFile(request, incoming, limits.fileBytes);
      try {
        const reading = languageOf(request);
        return await context.jobsOf(id).previewUpload(file, { signal, reading });
      } finally {
        await rm(file.path, { force: true });
      }
    },
  });
  table.define(routes.confirmUpload, {
    summary: 'Creates a job from an uploaded file; confirming again returns the same job and costs nothing',
    answer: job,
    body: requests.confirm,
    config: { session: 'too' },
    bodyLimit: limits.smallBodyBytes,
    handler: async (request) => {
      const key = callerOf(request);
      const { id } = key;
      const { upload_id, email_column, email_column_number: number } = request.body as ConfirmBody;
      // Confirming again after a disconnect returns the same job.
      const { signal } = connections.callerFor(request.raw, 'job', id);
      const options = { signal, ...(number !== undefined && { columns: [number - 1] }) };
      const checkEmail = isTestKey(key) ? (email: string) => requireSandbox(key, [email]) : undefined;
      const created = await context.jobsOf(id, checkEmail).confirmUpload(upload_id, email_column, options);
      recordSeen(id, created);
      await recordAudit(context, request, 'list_started', created);
      return created;
    },
  });
}
