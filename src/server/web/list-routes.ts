import type { FastifyRequest } from 'fastify';
import { timeSlicesFor } from '../../async/time-slicer.js';
import type { JobRecord } from '../../jobs/store/job-record.js';
import type { JobStore } from '../../jobs/store/store.js';
import { formatAmount } from '../../model/amount.js';
import type { ValidationResult } from '../../model/result.js';
import { explainReason, explainSubStatus } from '../../model/text/sentences.js';
import { whyNot } from '../../model/text/why-not.js';
import { columnIndexes } from '../../wire/api.js';
import type { AppForgetReport, AppJob, CheckAnswer } from '../../wire/app.js';
import type { Handlers } from '../routes/router.js';
import { validateOne } from '../routes/validation.js';
import { callerOf, isKey, visibleOwner } from '../server-context.js';
import { compareLists } from './compare-lists.js';
import { jobOf, ownerNames, toAppJob } from './job-access.js';
import type { WebContext } from './web-context.js';

const dayMs = 24 * 60 * 60_000;

/** The Check page, and lists: all for administrators, their own for others. */
export function listHandlers(context: WebContext) {
  const { store, audit, connections } = context;
  const jobsOf = (request: FastifyRequest) => context.jobsOf(callerOf(request).id);
  return {
    check: async ({ request, body: { email } }) =>
      toCheckAnswer(await validateOne(context, request, email.trim(), { explain: true })),
    listLists: async ({ request, query: { search = '', status, owner = null, skip, limit } }) => {
      const { jobs, total } = await store.listJobs(visibleOwner(request) ?? owner, {
        skip,
        limit,
        ...(search.trim() !== '' && { search: search.trim() }),
        ...(status !== undefined && { state: status }),
      });
      const owners = jobs.map((job) => job.owner);
      const ownerOf = await ownerNames(context, owners);
      return { jobs: jobs.map((job) => toAppJob(job, ownerOf(job.owner))), total };
    },
    getList: async ({ request, id }) => readList(context, await jobOf(context, request, id)),
    checkAgain: async ({ request, id, body: { max_age_days: days } }) => {
      const { signal } = connections.callerFor(request.raw, 'job', callerOf(request).id);
      const again = await jobsOf(request).checkAgain(id, { maxAgeMs: days * dayMs, signal });
      const record = await jobOf(context, request, again.id);
      const subject = { subject: again.id, subjectName: record.filename };
      await audit.record(request, { action: 'list_checked_again', ...subject });
      return readList(context, record);
    },
    listChanges: async ({ request, id }) => {
      const job = await jobOf(context, request, id);
      const earlier = await jobOf(context, request, String(job.options['earlierId'] ?? ''));
      const { signal } = connections.callerFor(request.raw, 'job', callerOf(request).id);
      const jobs = jobsOf(request);
      const read = (listId: string) => jobs.jobResults(listId, { signal });
      const at = new Date(earlier.finishedAt ?? earlier.createdAt).toISOString();
      const found = await compareLists(
        () => read(earlier.id),
        () => read(job.id),
      );
      return { ...found, earlier_at: at };
    },
    uploadPlan: async ({ request, id, query: { email_column, email_column_numbers: numbers } }) => {
      const { id: owner, credits: balance } = callerOf(request);
      const caller = connections.callerFor(request.raw, 'job', owner);
      const { rows, addresses, empty, unique } = await jobsOf(request).planUpload(id, email_column, {
        signal: caller.signal,
        slices: timeSlicesFor(caller),
        ...(numbers !== undefined && { columns: columnIndexes(numbers) }),
      });
      const credits = isKey(request) ? unique : 0;
      return { rows, addresses, empty, unique, credits, balance, duplicates: addresses - unique };
    },
    forgetAddress: async ({ request, body: { email } }) => {
      const report = await jobsOf(request).jobs.forget(email.trim());
      // The entry does not contain the address, since the log must not keep it.
      await audit.record(request, { action: 'address_forgotten' });
      return { ...report, unfinished: await listsOf(context, report.unfinished) };
    },
    setRetention: async ({ request, body: { keep_days } }) => {
      await store.setKeepDays(keep_days);
      const subjectName = keep_days === null ? 'until deleted' : formatAmount(keep_days, 'day');
      await audit.record(request, { action: 'retention_changed', subjectName });
      return { keep_days };
    },
  } satisfies Partial<Handlers>;
}

async function readList(context: WebContext, record: JobRecord): Promise<AppJob> {
  const number = await columnNumber(context.store, record);
  const { earlierId } = record.options;
  return {
    ...toAppJob(record, (await ownerNames(context, [record.owner]))(record.owner)),
    ...(number !== null && { email_column_number: number }),
    // It may have been deleted meanwhile.
    ...(typeof earlierId === 'string' &&
      (await context.store.ownerOf(earlierId)) !== null && { earlier_id: earlierId }),
  };
}

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

function toCheckAnswer({ evidence, ...result }: ValidationResult): CheckAnswer {
  const { status, reasons, sub_status: leadCode } = result;
  return {
    result,
    verdict: { code: leadCode, ...explainSubStatus(leadCode, status, 'service') },
    reasons: reasons
      .filter((code) => code !== leadCode)
      .map((code) => ({ code, means: explainReason(code), advice: '' })),
    evidence: evidence ?? null,
    why_not: evidence === undefined ? [] : whyNot(result, evidence),
  };
}
