import { rm } from 'node:fs/promises';
import { Failure } from '../../model/failure.js';
import { routes, uploadField } from '../../wire/routes.js';
import { receiveFile } from '../http/receive-file.js';
import { callerOf, type ServerContext } from '../server-context.js';
import type { RouteTable } from './define-route.js';
import { job, requests, uploadPreview } from './schemas.js';

/** Preview and confirmation of an upload. */
export function registerUploadRoutes(table: RouteTable, context: ServerContext): void {
  const { limits, incoming, connections } = context;
  table.offer(routes.previewUpload, {
    summary: `A CSV file, in the form field ${uploadField}: its columns, and the one that looks like email addresses`,
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
      const signal = connections.signalFor(request.raw, 'job', id);
      const file = await receiveFile(request, incoming, limits.fileBytes);
      try {
        return await context.jobsOf(id).previewUpload(file, { signal });
      } finally {
        await rm(file.path, { force: true });
      }
    },
  });
  table.offer(routes.confirmUpload, {
    summary: 'Makes a job of an uploaded file; confirming it again gives the same job and costs nothing',
    answer: job,
    body: requests.confirm,
    config: { session: 'too' },
    bodyLimit: limits.smallBodyBytes,
    handler: (request) => {
      const { id } = callerOf(request);
      const { upload_id, email_column } = request.body as { upload_id: string; email_column: string };
      // Confirming again after a disconnect gives the same job.
      const signal = connections.signalFor(request.raw, 'job', id);
      return context.jobsOf(id).confirmUpload(upload_id, email_column, { signal });
    },
  });
}
