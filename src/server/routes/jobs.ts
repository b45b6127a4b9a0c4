import { rm } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../model/failure.js';
import type { Job } from '../../model/job.js';
import { isTestKey, requireSandbox } from '../../model/sandbox.js';
import { columnIndexes, uploadField } from '../../wire/api.js';
import { receiveFile } from '../http/receive-file.js';
import { chooseFormat, contentTypeOf, streamResults, withRenderSlot } from '../http/results-body.js';
import { callerOf, type ServerContext } from '../server-context.js';
import type { Handlers } from './router.js';

/** The language of a browser, for lists that are not UTF-8. */
function languageOf({ session, headers }: FastifyRequest): { language?: string } {
  const [language] = /^[a-z]{2}(?=[-,;]|$)/i.exec(headers['accept-language'] ?? '') ?? [];
  return session === null || language === undefined ? {} : { language };
}

/** Jobs, their results, and the caller's credits. */
export function jobHandlers(context: ServerContext) {
  const jobsOf = (request: FastifyRequest) => context.jobsOf(callerOf(request).id);
  /** Records what a browser does to a list; requests with a key are usage. */
  const record = async (request: FastifyRequest, action: string, job: Job): Promise<Job> => {
    const entry = { action, subject: job.id, subjectName: job.filename ?? '' };
    if (request.session !== null) await context.audit.record(request, entry);
    return job;
  };
  return {
    listJobs: ({ request, query }) => jobsOf(request).listJobs(query),
    getJob: ({ request, id }) => jobsOf(request).getJob(id),
    jobResults: async ({ request, reply, id, query }) => {
      const caller = context.connections.callerFor(request.raw, 'job', callerOf(request).id);
      const { signal } = caller;
      const format = chooseFormat(query.format, request.headers.accept);
      const jobs = jobsOf(request);
      if (request.session !== null) await record(request, 'list_downloaded', await jobs.getJob(id));
      const results = await withRenderSlot(caller, () => jobs.jobResults(id, { signal }));
      return reply
        .type(contentTypeOf(format))
        .header('content-disposition', `attachment; filename="${id}.${format}"`)
        .send(streamResults(format, results, caller));
    },
    cancelJob: async ({ request, id }) => record(request, 'list_canceled', await jobsOf(request).cancelJob(id)),
    resumeJob: async ({ request, id }) => record(request, 'list_resumed', await jobsOf(request).resumeJob(id)),
    deleteJob: async ({ request, id }) => record(request, 'list_deleted', await jobsOf(request).deleteJob(id)),
    credits: async ({ request }) => {
      const { credits, plan, name } = await context.keys.refresh(callerOf(request));
      const { rows, fileBytes } = context.limits;
      return { credits, plan, name, max_rows: rows, max_file_bytes: fileBytes };
    },
    confirmUpload: async ({ request, body }) => {
      const key = callerOf(request);
      const { upload_id, email_column, email_column_numbers: numbers } = body;
      // Confirming again after a disconnect returns the same job.
      const { signal } = context.connections.callerFor(request.raw, 'job', key.id);
      const options = { signal, ...(numbers !== undefined && { columns: columnIndexes(numbers) }) };
      const checkEmail = isTestKey(key) ? (email: string) => requireSandbox(key, [email]) : undefined;
      const created = await context.jobsOf(key.id, checkEmail).confirmUpload(upload_id, email_column, options);
      return record(request, 'list_started', created);
    },
  } satisfies Partial<Handlers>;
}

/** The preview of an upload, which is a form. */
export function uploadHandlers({ limits, incoming, connections, jobsOf }: ServerContext) {
  return {
    previewUpload: async ({ request }) => {
      if (!request.isMultipart()) {
        throw new Failure('unsupported', 'The body must be multipart/form-data.', {
          hint: `With curl: -F ${uploadField}=@list.csv`,
        });
      }
      const { id } = callerOf(request);
      const { signal } = connections.callerFor(request.raw, 'job', id);
      const file = await receiveFile(request, incoming, limits.fileBytes);
      try {
        return await jobsOf(id).previewUpload(file, { signal, reading: languageOf(request) });
      } finally {
        await rm(file.path, { force: true });
      }
    },
  } satisfies Partial<Handlers>;
}
