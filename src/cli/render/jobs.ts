import type { ChalkInstance } from 'chalk';
import { amount, count, percent } from '../../model/amount.js';
import type { Job } from '../../model/job.js';
import { explainSubStatus } from '../../model/words/sentences.js';
import { signOf, statusOrder } from '../../model/words/status-sign.js';
import { renderAge, renderDuration, renderMoment } from '../../model/words/time.js';
import { sumJobs } from '../../service/sum-jobs.js';
import { sanitise } from '../terminal/sanitise.js';
import { renderBar } from './style/bar.js';
import { paint } from './style/paint.js';
import { type Style, statusPaint } from './style/verdict-style.js';
import { hang, wrap } from './style/wrap.js';

/** So much of an id is shown in tables; any unambiguous beginning is understood. */
const shownIdLength = 8;
const barWidth = 10;
const narrow = 72;

/** A page of jobs for people: how far each is, what came out, how old it is. A table where it fits, else a few lines each. */
export function renderJobs(jobs: readonly Job[], style: Style, now: number): string {
  if (jobs.length === 0) return 'There are no jobs. Upload a list with: mailvet upload FILE.csv\n';
  return style.columns < narrow ? renderBlocks(jobs, style, now) : renderTable(jobs, style, now);
}

interface Column {
  title: string;
  right?: boolean;
  cell(job: Job): string;
  tone?(job: Job): (text: string) => string;
}

function renderTable(jobs: readonly Job[], { colour, columns: width, unicode }: Style, now: number): string {
  const chalk = paint(colour);
  const columns: Column[] = [
    { title: 'ID', cell: ({ id }) => id.slice(0, shownIdLength) },
    { title: 'STATE', cell: shownStatus, tone: (job) => statePaint(job, chalk) },
    { title: 'DONE', cell: (job) => doneCell(job, unicode) },
    ...statusOrder.map(
      (status): Column => ({
        title: signOf(status, unicode),
        right: true,
        cell: (job) => counted(job[`${status}_count`]),
        tone: () => statusPaint(chalk, status),
      }),
    ),
    { title: 'AGE', cell: (job) => ageOf(job, now) },
  ];
  const cells = jobs.map((job) => columns.map((column) => sanitise(column.cell(job))));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => (row[at] ?? '').length)));
  const room = Math.max(8, width - widths.reduce((sum, each) => sum + each + 2, 0));
  const line = (texts: readonly string[], tone: (at: number) => (text: string) => string, last: string): string =>
    `${texts
      .map((text, at) => tone(at)(pad(text, widths[at] ?? 0, columns[at]?.right === true)))
      .join('  ')}  ${last}`.trimEnd();
  const heading = line(
    columns.map(({ title }) => title),
    () => chalk.bold,
    chalk.bold('FILE'),
  );
  const rows = jobs.map((job, index) =>
    line(
      cells[index] ?? [],
      (at) => columns[at]?.tone?.(job) ?? String,
      shorten(sanitise(job.filename ?? ''), room, unicode),
    ),
  );
  return `${[heading, ...rows].join('\n')}\n`;
}

function renderBlocks(jobs: readonly Job[], { colour, columns, unicode }: Style, now: number): string {
  const chalk = paint(colour);
  return jobs
    .map((job) => {
      const head = [shownStatus(job), shareOf(job), ageOf(job, now)].filter((part) => part !== '').join(' · ');
      const counts = statusOrder
        .filter((status) => job[`${status}_count`] !== undefined)
        .map((status) => statusPaint(chalk, status)(`${signOf(status, unicode)} ${counted(job[`${status}_count`])}`));
      const file = job.filename === undefined ? '' : hang('  ', 2, sanitise(job.filename), columns);
      const rows = counts.length === 0 ? '' : `  ${counts.join('  ')}\n`;
      return `${chalk.bold(job.id.slice(0, shownIdLength))}  ${sanitise(head)}\n${file}${rows}`;
    })
    .join('');
}

/** One job in full, or the sum of the jobs of one list. */
export function renderJob(jobs: readonly Job[], { colour, columns, unicode }: Style): string {
  const chalk = paint(colour);
  const job = sumJobs(jobs);
  const id = jobs.length > 1 ? `${job.id} (${amount(jobs.length, 'part')})` : job.id;
  const counts = statusOrder
    .filter((status) => job[`${status}_count`] !== undefined)
    .map((status) => `${signOf(status, unicode)} ${counted(job[`${status}_count`])} ${status}`);
  const lines: [string, string | undefined][] = [
    ['Job', id],
    ['State', shownStatus(job)],
    ['File', job.filename],
    ['Column', job.email_column],
    [
      'Done',
      job.processed === undefined
        ? undefined
        : `${renderBar(doneShare(job) ?? 0, barWidth, unicode)} ${progressOf(job)}`,
    ],
    ['Rows', counts.join(' · ')],
    ['Duplicates', job.duplicate_count === undefined ? undefined : count(job.duplicate_count)],
    ['Rate', job.rows_per_second == null ? undefined : `${count(Math.round(job.rows_per_second))}/s`],
    ['Left', job.eta_seconds == null ? undefined : renderDuration(job.eta_seconds * 1000)],
    ['Created', momentOf(job.created_at)],
    ['Finished', momentOf(job.finished_at)],
    ['Error', job.error ?? undefined],
  ];
  const card = lines
    .filter((line): line is [string, string] => line[1] !== undefined && line[1] !== '')
    .map(([name, value]) => hang(chalk.dim(name.padEnd(12)), 12, sanitise(value), columns))
    .join('');
  return card + renderReasons(job, columns);
}

/** The commonest reasons in words, each with its count. */
function renderReasons(job: Job, columns: number): string {
  const reasons = Object.entries(job.sub_status_counts ?? {})
    .filter(([reason]) => reason !== '')
    .sort(([, a], [, b]) => b - a);
  if (reasons.length === 0) return '';
  const width = Math.max(...reasons.map(([, times]) => count(times).length));
  const rows = reasons.map(([reason, times]) =>
    hang(`  ${count(times).padStart(width)}  `, width + 4, sanitise(explainSubStatus(reason).means), columns),
  );
  return `\n${rows.join('')}`;
}

/** For people: a job that nobody works on does not run, whatever its state. */
function shownStatus({ status, interrupted }: Job): string {
  return interrupted === true ? 'interrupted' : status;
}

function statePaint(job: Job, chalk: ChalkInstance): (text: string) => string {
  const paints: Record<string, ChalkInstance> = {
    completed: chalk.green,
    running: chalk.cyan,
    failed: chalk.red,
    interrupted: chalk.yellow,
    canceled: chalk.yellow,
  };
  const shown = shownStatus(job);
  return (Object.hasOwn(paints, shown) ? paints[shown] : undefined) ?? String;
}

/** How much of a job is done, 0 to 1; null where it does not say. */
function doneShare({ processed, total }: Job): number | null {
  if (processed === undefined || total === undefined) return null;
  return total === 0 ? 1 : processed / total;
}

function shareOf(job: Job): string {
  const share = doneShare(job);
  return share === null ? '' : percent(Math.floor(share * 100) / 100);
}

function doneCell(job: Job, unicode: boolean): string {
  const share = doneShare(job);
  return share === null ? '' : `${renderBar(share, barWidth, unicode)} ${shareOf(job).padStart(5)}`;
}

function progressOf(job: Job): string {
  const { processed, total } = job;
  return processed === undefined || total === undefined
    ? ''
    : `${shareOf(job)} · ${count(processed)} of ${count(total)}`;
}

function ageOf(job: Job, now: number): string {
  return job.created_at === undefined ? '' : renderAge(now - Date.parse(job.created_at));
}

function momentOf(iso: string | null | undefined): string | undefined {
  if (iso === null || iso === undefined) return undefined;
  const at = Date.parse(iso);
  return Number.isNaN(at) ? iso : renderMoment(at);
}

function counted(value: number | undefined): string {
  return value === undefined ? '' : count(value);
}

function pad(text: string, width: number, right: boolean): string {
  return right ? text.padStart(width) : text.padEnd(width);
}

function shorten(text: string, room: number, unicode: boolean): string {
  if (text.length <= room) return text;
  const mark = unicode ? '…' : '...';
  return `${wrap(text, room - mark.length)[0]?.slice(0, room - mark.length) ?? ''}${mark}`;
}
