import { amount, count } from '../../model/amount.js';
import { dnsTroubleOf } from '../../model/dns-trouble.js';
import type { Job } from '../../model/job.js';
import { statusOrder } from '../../model/text/status-sign.js';
import { renderDuration, renderMoment } from '../../model/text/time.js';
import type { RunStats } from '../../report/run-stats.js';
import { createJobStats } from '../../service/job-stats.js';
import { sumJobs } from '../../service/sum-jobs.js';
import { sanitize } from '../terminal/sanitize.js';
import { type NextStep, renderNext, renderRunStats } from './final-summary.js';
import { donePercent, doneRatio, shownId, shownStatus } from './job-words.js';
import { renderBar } from './style/bar.js';
import { paint } from './style/paint.js';
import type { Style } from './style/verdict-style.js';
import { hang } from './style/wrap.js';

const barWidth = 10;
const labelWidth = 10;

/** One job in full, or the sum of the jobs of one list, and what to do next; with what its rows told, where somebody has read them. */
export function renderJob(jobs: readonly Job[], style: Style, read?: RunStats): string {
  const { color, columns, unicode } = style;
  const chalk = paint(color);
  const job = sumJobs(jobs);
  const shown = job.id.length + labelWidth > columns ? shownId(job.id) : job.id;
  const id = jobs.length > 1 ? `${shown} (${amount(jobs.length, 'part')})` : shown;
  const lines: [string, string | undefined][] = [
    ['Job', id],
    ['State', shownStatus(job)],
    ['File', job.filename],
    ['Column', job.email_column],
    [
      'Done',
      job.processed === undefined
        ? undefined
        : `${renderBar(doneRatio(job) ?? 0, barWidth, unicode)} ${progressOf(job)}`,
    ],
    ['Rate', job.rows_per_second == null ? undefined : `${count(Math.round(job.rows_per_second))}/s`],
    ['Left', job.eta_seconds == null ? undefined : renderDuration(job.eta_seconds * 1000)],
    ['Created', momentOf(job.created_at)],
    ['Finished', momentOf(job.finished_at)],
    ['Error', job.error ?? dnsTroubleOf(job)?.message],
  ];
  const card = lines
    .filter((line): line is [string, string] => line[1] !== undefined && line[1] !== '')
    .map(([name, value]) => hang(chalk.dim(name.padEnd(labelWidth)), labelWidth, sanitize(value), columns))
    .join('');
  const isCounted = statusOrder.some((status) => job[`${status}_count`] !== undefined);
  const { list, ...told } = read ?? createJobStats(job).stats();
  // The column stands above.
  const figures = isCounted ? `\n${renderRunStats({ ...told, list: { ...list, columns: [] } }, style)}` : '';
  const next = renderNext(nextForJob(job), style);
  return `${card}${figures}${next === '' ? '' : `\n${next}`}`;
}

/** What there is to do with a job, by how it stands. */
function nextForJob(job: Job): NextStep | null {
  const id = shownId(job.id);
  const state = shownStatus(job);
  if (state === 'interrupted') return { command: `mailvet jobs resume ${id}`, does: 'goes on where it stopped' };
  if (state === 'queued' || state === 'running')
    return { command: `mailvet jobs get ${id} --watch`, does: 'follows it to its end' };
  if (state === 'failed' || state === 'canceled')
    return { command: `mailvet jobs resume ${id}`, does: 'goes on where it stopped' };
  if (state !== 'completed') return null;
  return { command: `mailvet jobs results ${id} -o vetted.csv`, does: 'writes every row with its verdict' };
}

/** What there is to do with a job whose rows are written. */
export function nextForRows({ id, unknown_count: unknown = 0, status }: Job): NextStep | null {
  if (status !== 'completed' || unknown === 0) return null;
  const ones = unknown === 1 ? 'the unknown one' : `the ${count(unknown)} unknown ones`;
  return { command: `mailvet jobs resume ${shownId(id)} --only-unknown --wait`, does: `asks ${ones} again` };
}

function progressOf(job: Job): string {
  const { processed, total } = job;
  return processed === undefined || total === undefined
    ? ''
    : `${donePercent(job)} · ${count(processed)} of ${count(total)}`;
}

function momentOf(iso: string | null | undefined): string | undefined {
  if (iso === null || iso === undefined) return undefined;
  const at = Date.parse(iso);
  return Number.isNaN(at) ? iso : renderMoment(at);
}
