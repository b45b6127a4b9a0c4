import { amount, count } from '../../model/amount.js';
import type { Job } from '../../model/job.js';
import { countWords } from '../../model/result.js';
import { sumJobs } from '../../service/sum-jobs.js';
import { sanitise } from '../terminal/sanitise.js';
import { renderGrid } from './style/grid.js';

/** A page of jobs for people: how far each is, what came out, how old it is. A table where it fits, else a few lines each. */
export function renderJobs(jobs: readonly Job[], style: { colour: boolean; columns: number }, now: number): string {
  if (jobs.length === 0) return 'There are no jobs. Make one with: mailvet upload FILE.csv\n';
  const rows = jobs.map((job) => [
    job.id,
    shownStatus(job),
    progressOf(job),
    counted(job.valid_count),
    counted(job.invalid_count),
    counted(job.risky_count),
    counted(job.unknown_count),
    counted(job.duplicate_count),
    ageOf(job, now),
    job.filename ?? '',
  ]);
  const headers = ['id', 'status', 'done', 'valid', 'invalid', 'risky', 'unknown', 'duplicate', 'age', 'file'];
  const plain = renderGrid(headers, rows, { colour: false });
  if (plain.split('\n').some((line) => line.length > style.columns)) {
    return jobs.map((job) => renderNarrow(job, now)).join('');
  }
  return style.colour ? renderGrid(headers, rows, style) : plain;
}

function renderNarrow(job: Job, now: number): string {
  const counts = countWords
    .map((name) => [job[`${name}_count`] ?? 0, name] as const)
    .filter(([times]) => times > 0)
    .map(([times, name]) => `${count(times)} ${name}`);
  const lines = [
    [job.id],
    ['  file', job.filename],
    ['  status', shownStatus(job)],
    ['  done', progressOf(job)],
    ['  rows', counts.join(', ')],
    ['  age', ageOf(job, now)],
  ];
  const shown = lines.filter(([, value]) => value !== '');
  return shown
    .map(([name = '', value]) => `${value === undefined ? name : `${name.padEnd(10)}${sanitise(value)}`}\n`)
    .join('');
}

function ageOf(job: Job, now: number): string {
  return job.created_at === undefined ? '' : age(now - Date.parse(job.created_at));
}

/** One job in full, or the sum of the jobs of one list. */
export function renderJob(jobs: readonly Job[], style: { colour: boolean }): string {
  const job = sumJobs(jobs);
  const lines: [string, string | undefined][] = [
    ['job', jobs.length > 1 ? `${job.group_id} (${amount(jobs.length, 'job')})` : job.id],
    ['status', shownStatus(job)],
    ['file', job.filename],
    ['column', job.email_column],
    ['done', progressOf(job)],
    ['valid', counted(job.valid_count)],
    ['invalid', counted(job.invalid_count)],
    ['risky', counted(job.risky_count)],
    ['unknown', counted(job.unknown_count)],
    ['duplicate', counted(job.duplicate_count)],
    ['rate', job.rows_per_second == null ? undefined : `${amount(Math.round(job.rows_per_second), 'row')}/s`],
    ['left', job.eta_seconds == null ? undefined : age(job.eta_seconds * 1000)],
    ['created', job.created_at],
    ['finished', job.finished_at ?? undefined],
    ['error', job.error ?? undefined],
  ];
  const shown = lines.filter((line): line is [string, string] => line[1] !== undefined && line[1] !== '');
  const card = shown.map(([name, value]) => `${name.padEnd(10)}${sanitise(value)}\n`).join('');
  const reasons = Object.entries(job.sub_status_counts ?? {})
    .filter(([reason]) => reason !== '')
    .sort(([, a], [, b]) => b - a)
    .map(([reason, times]) => [reason, count(times)]);
  return reasons.length === 0 ? card : `${card}\n${renderGrid(['reason', 'rows'], reasons, style)}`;
}

/** For people: a job that nobody works on does not run, whatever its state. */
function shownStatus({ status, interrupted }: Job): string {
  return interrupted === true ? 'interrupted' : status;
}

/** `31 % · 12,000 of 38,400 · 4,000/s · 7s left`, for the line that follows a job. */
export function renderJobProgress(jobs: readonly Job[]): string {
  const job = sumJobs(jobs);
  const parts = [progressOf(job)];
  if (job.rows_per_second != null) parts.push(`${count(Math.round(job.rows_per_second))}/s`);
  if (job.eta_seconds != null) parts.push(`${age(job.eta_seconds * 1000)} left`);
  if (job.status === 'queued') parts.push('waiting for its turn');
  return parts.join(' · ');
}

function progressOf({ processed, total }: Job): string {
  if (processed === undefined || total === undefined) return '';
  const share = total === 0 ? 100 : Math.floor((processed / total) * 100);
  return `${share} % · ${count(processed)} of ${count(total)}`;
}

function counted(value: number | undefined): string {
  return value === undefined ? '' : count(value);
}

function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ${Math.floor((seconds % 3600) / 60)}m`;
  return `${Math.floor(seconds / 86_400)}d ${Math.floor((seconds % 86_400) / 3600)}h`;
}
