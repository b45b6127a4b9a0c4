import { formatAmount, formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { JobPage, JobState } from '../../../model/job.js';
import type { ValidationService } from '../../../model/service.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { encodeJob, renderJobs } from '../../render/jobs.js';
import { hangSentence } from '../../render/style/text-layout.js';
import { printRecords, showsTable } from '../../results/print-records.js';
import { noteInterrupted } from './follow.js';

/** The states of `--status`. An interrupted job is stored as running or queued, but has no worker. */
export type ListState = JobState | 'interrupted';

export type ListFlags = FormatFlags & { skip: number; limit: number; status?: ListState };

/** The most running or queued jobs among which interrupted ones are found. */
const maxActive = 1_000;

/** Prints a page of jobs. */
export async function runJobsList(context: Context, flags: ListFlags): Promise<number> {
  const { skip, limit, status } = flags;
  const service = await context.service();
  if (status !== undefined && service.jobs === undefined) {
    throw new Failure('unsupported', 'A remote service cannot filter jobs by status.', { hint: 'Leave out --status.' });
  }
  const { stdout } = context.terminal;
  const page =
    status !== undefined
      ? await jobsInState(service, status, flags)
      : await service.listJobs({ skip, limit }, { signal: context.signal });
  const { jobs, total = 0 } = page;
  const rows = jobs.map(encodeJob);
  const screen = (): string =>
    jobs.length === 0 && skip > 0 && total > 0
      ? `There are no more than ${formatAmount(total, 'job')}.\n`
      : renderJobs(jobs, stdout, Date.now(), context.command, status) + footer(context, page, flags);
  await printRecords(context, flags, { rows, document: { ...page, jobs: rows }, screen });
  if (!showsTable(context, flags)) noteInterrupted(context, jobs);
  return 0;
}

async function jobsInState(
  service: ValidationService,
  status: ListState,
  { skip, limit }: ListFlags,
): Promise<JobPage> {
  if (status !== 'interrupted' && status !== 'running' && status !== 'queued') {
    return service.listJobs({ skip, limit, status });
  }
  const stored = status === 'interrupted' ? (['running', 'queued'] as const) : ([status] as const);
  const pages = await Promise.all(
    stored.map((state) => service.listJobs({ skip: 0, limit: maxActive, status: state })),
  );
  const jobs = pages
    .flatMap((page) => page.jobs)
    .filter(({ interrupted = false }) => interrupted === (status === 'interrupted'))
    // Newest first.
    .sort((one, other) => (other.created_at ?? '').localeCompare(one.created_at ?? ''));
  return { jobs: jobs.slice(skip, skip + limit), total: jobs.length, skip, limit };
}

/** Which part of the jobs is shown; empty if all are. */
function footer(context: Context, { jobs, total = 0, skip, limit }: JobPage, { status }: ListFlags): string {
  if (total <= jobs.length || jobs.length === 0) return '';
  const nextPageFlags = ['--skip', String(skip + limit), ...(limit === 10 ? [] : ['--limit', String(limit)])];
  const state = status === undefined ? [] : ['--status', status];
  const range =
    skip === 0 ? formatNumber(jobs.length) : `${formatNumber(skip + 1)} to ${formatNumber(skip + jobs.length)}`;
  const next =
    skip + jobs.length < total ? ` More: ${context.command('jobs', 'list', ...nextPageFlags, ...state)}` : '';
  return `\n${hangSentence('', 0, `${range} of ${formatNumber(total)}.${next}`, context.terminal.stdout.columns)}`;
}
