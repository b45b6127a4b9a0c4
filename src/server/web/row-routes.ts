import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../async/caller.js';
import { type TimeSlices, timeSlicesFor } from '../../async/time-slicer.js';
import type { JobRecord } from '../../jobs/store/store.js';
import type { JobResultRow, JobResults } from '../../model/job.js';
import { rowKinds } from '../../model/row-kind.js';
import { explainSubStatus } from '../../model/text/sentences.js';
import {
  type AppRow,
  type DownloadFormat,
  downloadFormats,
  type ResultsQuery,
  type RowsQuery,
} from '../../wire/app-jobs.js';
import { contentTypeOf, streamResults, workbookType } from '../http/results-body.js';
import { callerOf } from '../server-context.js';
import { defineAppRoute, defineDownload, idOf } from './define-app-route.js';
import { jobOf, ownerNames, toAppJob } from './job-access.js';
import { createDuplicateFilter, createStatsCache, keepRows, readStats, rowFilter } from './job-stats.js';
import type { WebContext } from './web-context.js';

const part = { type: 'string', enum: rowKinds };
const only = { type: 'string', maxLength: 100 };
const queries = {
  rows: {
    type: 'object',
    properties: {
      only,
      search: { type: 'string', maxLength: 255 },
      skip: { type: 'integer', minimum: 0, maximum: 1_000_000_000, default: 0 },
      limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
    },
  },
  results: {
    type: 'object',
    properties: {
      only,
      part,
      format: { type: 'string', enum: downloadFormats, default: 'csv' },
      duplicates: { type: 'string', enum: ['remove'] },
      bom: { type: 'string', enum: ['add'] },
    },
  },
};

/** Charts, pages of rows and downloads of a job. */
export function registerRowRoutes(app: FastifyInstance, context: WebContext): void {
  const statsCache = createStatsCache();
  defineAppRoute(app, 'jobStats', {
    answer: async (request) => {
      const { job, open } = await openRows(context, request);
      const view = toAppJob(job, (await ownerNames(context, [job.owner]))(job.owner));
      const { signal } = context.connections.callerFor(request.raw, 'job', callerOf(request).id);
      return statsCache.get(view, signal, open, job.uploadId);
    },
  });
  defineAppRoute(app, 'jobRows', {
    query: queries.rows,
    answer: async (request) => {
      const { search, only: statuses, skip, limit } = request.query as RowsQuery & { skip: number; limit: number };
      const { open } = await openRows(context, request);
      const isWanted = rowFilter({
        ...(statuses !== undefined && { only: statuses }),
        ...(search !== undefined && { search }),
      });
      const { results, slices } = await open();
      const { rows, more } = await pageOf(results, isWanted, slices, { skip, limit });
      const { columns, emailColumns = [] } = results;
      return { columns, email_columns: [...emailColumns], rows, skip, limit, more };
    },
  });
  defineDownload(app, 'report', {
    answer: async (request, reply) => {
      const { job, open } = await openRows(context, request);
      const view = toAppJob(job, (await ownerNames(context, [job.owner]))(job.owner));
      const { results, slices } = await open();
      const stats = await readStats(view, results, slices, { keepBad: true });
      const { renderReport } = await import('../../report/render-report.js');
      const { html, policy } = renderReport(stats);
      // The sandbox keeps the script of the report from the session and the pages.
      const inSandbox = `${policy}; frame-ancestors 'none'; sandbox allow-scripts`;
      return reply.header('content-security-policy', inSandbox).type('text/html; charset=utf-8').send(html);
    },
  });
  defineDownload(app, 'results', {
    query: queries.results,
    answer: async (request, reply) => {
      const query = request.query as ResultsQuery & { format: DownloadFormat };
      const isInSelection = rowFilter(query);
      const isFirst = query.duplicates === 'remove' ? createDuplicateFilter() : () => true;
      const isWanted = (row: JobResultRow): boolean => isInSelection(row) && isFirst(row);
      const { job, open } = await openRows(context, request);
      const { results, caller } = await open();
      const marked = query.bom === 'add' && query.format === 'csv' ? withMark(results) : results;
      const wanted = { ...marked, rows: keepRows(results.rows, isWanted) };
      const format = query.format === 'ndjson' ? 'objects' : query.format;
      return asDownload(reply, downloadName(job.filename, query))
        .type(format === 'xlsx' ? workbookType : contentTypeOf(format))
        .send(streamResults(format, wanted, caller));
    },
  });
}

interface OpenedRows {
  results: JobResults;
  slices: TimeSlices;
  caller: Caller;
}

function withMark(results: JobResults): JobResults {
  const { layout = { hasHeader: true, delimiter: ',' } } = results;
  const { preamble = '', charset } = layout;
  const mark = charset?.hold('\ufeff') ?? '\ufeff';
  // It would be wrong for a list that is not UTF-8.
  const isMarked = preamble.startsWith(mark) || charset?.guessed() != null || charset?.declared != null;
  return isMarked ? results : { ...results, layout: { ...layout, preamble: `${mark}${preamble}` } };
}

/** A job that the caller may see; `open` reads its rows until the request or the given signal is aborted. */
async function openRows(
  context: WebContext,
  request: FastifyRequest,
): Promise<{ job: JobRecord; open(signal?: AbortSignal): Promise<OpenedRows> }> {
  const job = await jobOf(context, request, idOf(request));
  const { id } = callerOf(request);
  return {
    job,
    open: async (signal) => {
      const requester = context.connections.callerFor(request.raw, 'job', id);
      const caller = { ...requester, signal: signal ?? requester.signal };
      const results = await context.jobsOf(id).jobResults(job.id, { signal: caller.signal });
      return { results, slices: timeSlicesFor(caller), caller };
    },
  };
}

async function pageOf(
  { rows, firstRowNumber = 2 }: JobResults,
  isWanted: (row: JobResultRow) => boolean,
  { maybeYield }: TimeSlices,
  { skip, limit }: { skip: number; limit: number },
): Promise<{ rows: AppRow[]; more: boolean }> {
  const page: AppRow[] = [];
  // Rows are numbered as in notes about the list.
  let number = firstRowNumber - 1;
  let matched = 0;
  for await (const chunk of rows) {
    for (const row of chunk) {
      number++;
      const pause = maybeYield();
      if (pause !== null) await pause;
      if (!isWanted(row) || matched++ < skip) continue;
      if (page.length === limit) return { rows: page, more: true };
      page.push(toAppRow(row, number));
    }
  }
  return { rows: page, more: false };
}

function toAppRow({ cells, email, verdict }: JobResultRow, number: number): AppRow {
  const { means } = verdict === null ? { means: '' } : explainSubStatus(verdict.sub_status, verdict.status);
  return {
    number,
    cells: [...cells],
    email,
    verdict: verdict === null ? null : { ...verdict, means },
  };
}

function downloadName(filename: string, query: ResultsQuery): string {
  const name = filename.replace(/\.[^.]{1,8}$/, '') || 'results';
  const selection = query.part ?? (query.only?.replaceAll(',', '-') || 'results');
  const unique = query.duplicates === 'remove' ? '.unique' : '';
  return `${name}.${selection}${unique}.${query.format ?? 'csv'}`;
}

/** RFC 6266 §4.3: an ASCII name for old clients, and the full one. */
function asDownload(reply: FastifyReply, name: string): FastifyReply {
  const asciiName = name.replace(/[^\w. -]/g, '_');
  const encodedName = encodeURIComponent(Buffer.from(name).toString()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return reply.header('content-disposition', `attachment; filename="${asciiName}"; filename*=UTF-8''${encodedName}`);
}
