import type { FastifyReply, FastifyRequest } from 'fastify';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { toJob } from '../../jobs/job-view.js';
import type { JobRecord } from '../../jobs/store/job-record.js';
import { formatAmount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import type { JobResultRow, JobResults } from '../../model/job.js';
import { explainSubStatus } from '../../model/text/sentences.js';
import { addedColumnsOf } from '../../rows/table/verdict-columns.js';
import type { AppRow } from '../../wire/app.js';
import type { FilledQueryOf } from '../../wire/routes.js';
import { contentTypeOf, streamResults, workbookType } from '../http/results-body.js';
import type { Handlers } from '../routes/router.js';
import { callerOf } from '../server-context.js';
import { jobOf } from './job-access.js';
import { createDuplicateFilter, createStatsCache, readStats, selectRows } from './job-stats.js';
import type { WebContext } from './web-context.js';

/** Charts, pages of rows and downloads of a list. */
export function rowHandlers(context: WebContext) {
  const statsCache = createStatsCache();
  const record = (request: FastifyRequest, { id, filename }: JobRecord): Promise<void> =>
    context.audit.record(request, { action: 'list_downloaded', subject: id, subjectName: filename });
  return {
    jobStats: async ({ request, id }) => {
      const { job, open } = await openRows(context, request, id);
      const { signal } = context.connections.callerFor(request.raw, 'job', callerOf(request).id);
      return statsCache.get(toJob(job, Date.now()), signal, open, job.uploadId);
    },
    jobRows: async ({ request, id, query: { skip, limit, ...selection } }) => {
      const { read } = await openRows(context, request, id);
      return read(async ({ results, slices }) => {
        const page: AppRow[] = [];
        let matched = 0;
        let more = false;
        for await (const chunk of selectRows(results, selection, slices)) {
          for (const { number, row } of chunk) {
            if (matched++ < skip) continue;
            more = page.length >= limit;
            if (more) break;
            page.push(...row.map((part) => toAppRow(part, number)));
          }
          if (more) break;
        }
        const { columns, emailColumns = [] } = results;
        return { columns: [...columns], email_columns: [...emailColumns], rows: page, skip, limit, more };
      });
    },
    report: async ({ request, reply, id }) => {
      const { job, read } = await openRows(context, request, id);
      const view = toJob(job, Date.now());
      const { stats } = await read(({ results, slices }) => readStats(view, results, slices, { keepBad: true }));
      const { renderReport } = await import('../../report/render-report.js');
      const { html, policy } = renderReport(stats);
      await record(request, job);
      // The sandbox keeps the script of the report from the session and the pages.
      const inSandbox = `${policy}; frame-ancestors 'none'; sandbox allow-scripts`;
      return reply.header('content-security-policy', inSandbox).type('text/html; charset=utf-8').send(html);
    },
    download: async ({ request, reply, id, query }) => {
      const isFirst = query.duplicates === 'remove' ? createDuplicateFilter() : () => true;
      const { job, open } = await openRows(context, request, id);
      const { results, caller, slices } = await open();
      // These formats have an object for each address.
      const byAddress = query.format === 'ndjson' || query.format === 'json';
      async function* wanted(): JobResults['rows'] {
        for await (const chunk of selectRows(results, query, slices, byAddress))
          yield chunk.flatMap(({ row }) => (row.filter(isFirst).length > 0 ? row : []));
      }
      const format = query.format === 'ndjson' ? 'objects' : query.format;
      try {
        const chosen = chooseColumns({ ...results, rows: wanted() }, query.columns);
        await record(request, job);
        return asDownload(reply, downloadName(job.filename, query))
          .type(format === 'xlsx' ? workbookType : contentTypeOf(format))
          .send(streamResults(format, chosen, caller, addedColumnsOf(results)));
      } catch (error) {
        await results.close?.();
        throw error;
      }
    },
  } satisfies Partial<Handlers>;
}

/** Only these columns, by numbers from 1. */
function chooseColumns(results: JobResults, columns = ''): JobResults {
  if (columns === '') return results;
  const indexes = columns.split(',').map((number) => Number(number) - 1);
  if (!indexes.every((index) => results.columns[index] !== undefined)) {
    throw new Failure('bad_input', 'The parameter "columns" must be numbers of columns.', {
      hint: `The list has ${formatAmount(results.columns.length, 'column')}; separate numbers by commas.`,
    });
  }
  const pick = (cells: readonly string[]): string[] => indexes.map((index) => cells[index] ?? '');
  async function* rows(): JobResults['rows'] {
    for await (const chunk of results.rows) {
      yield chunk.map(({ cells, email, verdict, part }) => ({
        cells: pick(cells),
        email,
        verdict,
        ...(part && { part }),
      }));
    }
  }
  const { headerText: _, ...layout } = results.layout ?? { hasHeader: true, delimiter: ',' };
  return { ...results, columns: pick(results.columns), layout, rows: rows() };
}

/** A job that the caller may see; `open` reads its rows until the request or the given signal is aborted. */
async function openRows(context: WebContext, request: FastifyRequest, jobId: string) {
  const job = await jobOf(context, request, jobId);
  const { id } = callerOf(request);
  const open = async (signal?: AbortSignal) => {
    const requester = context.connections.callerFor(request.raw, 'job', id);
    const caller = { ...requester, signal: signal ?? requester.signal };
    const results = await context.jobsOf(id).jobResults(job.id, { signal: caller.signal });
    return { results, slices: timeSlicesFor(caller), caller };
  };
  return {
    job,
    open,
    /** Closes the rows afterwards, also if none was read. */
    read: async <Found>(use: (opened: Awaited<ReturnType<typeof open>>) => Promise<Found>): Promise<Found> => {
      const opened = await open();
      return use(opened).finally(opened.results.close);
    },
  };
}

function toAppRow({ cells, email, verdict }: JobResultRow, number: number): AppRow {
  const { means } = verdict === null ? { means: '' } : explainSubStatus(verdict.sub_status, verdict.status);
  return { number, cells: [...cells], email, verdict: verdict === null ? null : { ...verdict, means } };
}

function downloadName(filename: string, query: FilledQueryOf<'download'>): string {
  const name = filename.replace(/\.[^.]{1,8}$/, '') || 'results';
  const selection = query.part ?? ([query.only, query.reason].join(' ').trim().replaceAll(/[ ,]/g, '-') || 'results');
  const unique = query.duplicates === 'remove' ? '.unique' : '';
  return `${name}.${selection}${unique}.${query.format}`;
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
