import { basename } from 'node:path';
import type { ChalkInstance } from 'chalk';
import { formatAmount, formatNumber, formatPercent } from '../../model/amount.js';
import { dnsTroubleOf } from '../../model/dns-trouble.js';
import { type Job, unitOf } from '../../model/job.js';
import { shortId } from '../../model/text/short-id.js';
import { signOf, statusOrder } from '../../model/text/status-sign.js';
import { renderAge, renderAgo, renderDueTime, renderMoment, renderTimeLeft } from '../../model/text/time.js';
import type { RunStats } from '../../report/run-stats.js';
import { createJobStats } from '../../service/job-stats.js';
import type { Context } from '../context.js';
import { sanitize } from '../terminal/sanitize.js';
import { type NextStep, renderNext, renderRunStats } from './final-summary.js';
import { formatRate } from './progress.js';
import { renderBar } from './style/bar.js';
import { paint, type Style, statusPaint } from './style/paint.js';
import { cutTo, hang, hangSentence, textWidth, wrapCommand } from './style/text-layout.js';

const barWidth = 10;
const minTableWidth = 72;
const labelWidth = 10;

/** The state of a job; `interrupted` if it has no worker. */
function displayStatus({ status, interrupted }: Job): string {
  return interrupted === true ? 'interrupted' : status;
}

/** A job as JSON, with the state that tables show. */
export function encodeJob(job: Job): Job {
  const defaults = { interrupted: false, last_run_at: null, resolver_down: false };
  const parts = job.jobs?.filter(({ id }) => id !== '').map(encodeJob);
  return { ...defaults, ...job, ...(parts && { jobs: parts }), status: displayStatus(job) };
}

/** How much of a job is done: 0..1; null if the counts are missing. */
function doneRatio({ processed, total }: Job): number | null {
  if (processed === undefined || total === undefined) return null;
  return total === 0 ? 1 : processed / total;
}

function donePercent(job: Job): string {
  const ratio = doneRatio(job);
  return ratio === null ? '' : formatPercent(Math.floor(ratio * 100) / 100);
}

/** Composes a command for the same back end. */
type Compose = Context['command'];

/** A page of jobs as a table, or as a few lines for each on a narrow screen. */
export function renderJobs(jobs: readonly Job[], style: Style, now: number, command: Compose, status?: string): string {
  if (jobs.length === 0) {
    const hint = ' Upload a list with: mailvet upload FILE';
    const sentence = status === undefined ? `There are no jobs.${hint}` : `There are no ${status} jobs.`;
    return hangSentence('', 0, sentence, style.columns);
  }
  const table = style.columns < minTableWidth ? renderBlocks(jobs, style, now) : renderTable(jobs, style, now);
  return `${table}${renderInterrupted(jobs, style, command)}`;
}

function renderInterrupted(jobs: readonly Job[], { color, columns }: Style, command: Compose): string {
  const ids = jobs.flatMap(({ id, interrupted }) => (interrupted ? [id] : []));
  if (ids.length === 0) return '';
  const chalk = paint(color);
  const sentence =
    ids.length === 1
      ? '1 job has no worker. Continue it with:'
      : `${ids.length} jobs have no worker. Continue them with:`;
  const commands = ids.flatMap((id) => wrapCommand(command('jobs', 'resume', id), columns - 2));
  return `\n${hang('', 0, sentence, columns)}${commands.map((line) => `  ${chalk.bold(line)}\n`).join('')}`;
}

interface Column {
  title: string;
  isRightAligned?: boolean;
  cell(job: Job): string;
  tone?(job: Job): (text: string) => string;
}

/** A bar that would cut the name of a file is left out. */
function renderTable(jobs: readonly Job[], style: Style, now: number, withBar = true): string {
  const { color, columns: width, unicode } = style;
  const chalk = paint(color);
  const columns: Column[] = [
    { title: 'ID', cell: ({ id }) => shortId(id) },
    { title: 'STATE', cell: displayStatus, tone: (job) => statePaint(job, chalk) },
    { title: 'DONE', cell: (job) => (withBar ? doneCell(job, unicode) : donePercent(job).padStart(4)) },
    ...statusOrder.map(
      (status): Column => ({
        title: signOf(status, unicode),
        isRightAligned: true,
        cell: (job) => countCell(job[`${status}_count`]),
        tone: () => statusPaint(chalk, status),
      }),
    ),
    { title: 'AGE', cell: (job) => ageOf(job, now) },
  ];
  const cells = jobs.map((job) => columns.map((column) => sanitize(column.cell(job))));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => (row[at] ?? '').length)));
  const room = Math.max(8, width - widths.reduce((sum, each) => sum + each + 2, 0));
  const files = jobs.map(({ filename = '' }) => sanitize(filename));
  if (withBar && files.some((file) => textWidth(file) > room)) return renderTable(jobs, style, now, false);
  const line = (texts: readonly string[], tone: (at: number) => (text: string) => string, file: string): string => {
    const padded = texts.map((text, at) => {
      const [columnWidth = 0, column] = [widths[at], columns[at]];
      return tone(at)(column?.isRightAligned ? text.padStart(columnWidth) : text.padEnd(columnWidth));
    });
    return `${[...padded, file].join('  ').trimEnd()}\n`;
  };
  const titles = columns.map(({ title }) => title);
  const rows = jobs.map((job, index) =>
    line(
      cells[index] ?? [],
      (at) => columns[at]?.tone?.(job) ?? String,
      cutTo(files[index] ?? '', room, unicode ? '…' : '...'),
    ),
  );
  return `${line(titles, () => chalk.bold, chalk.bold('FILE'))}${rows.join('')}`;
}

function renderBlocks(jobs: readonly Job[], { color, columns, unicode }: Style, now: number): string {
  const chalk = paint(color);
  return jobs
    .map((job) => {
      const head = [displayStatus(job), donePercent(job), ageOf(job, now, renderAgo)]
        .filter((part) => part !== '')
        .join(' · ');
      const counts = statusOrder
        .filter((status) => job[`${status}_count`] !== undefined)
        .map((status) => statusPaint(chalk, status)(`${signOf(status, unicode)} ${countCell(job[`${status}_count`])}`));
      const file = job.filename === undefined ? '' : hang('  ', 2, sanitize(job.filename), columns);
      const rows = counts.length === 0 ? '' : `  ${counts.join('  ')}\n`;
      return `${chalk.bold(shortId(job.id))}  ${sanitize(head)}\n${file}${rows}`;
    })
    .join('');
}

function statePaint(job: Job, chalk: ChalkInstance): (text: string) => string {
  const paints = new Map([
    ['completed', chalk.green],
    ['running', chalk.cyan],
    ['failed', chalk.red],
    ['interrupted', chalk.yellow],
    ['canceled', chalk.yellow],
  ]);
  return paints.get(displayStatus(job)) ?? String;
}

function doneCell(job: Job, unicode: boolean): string {
  const ratio = doneRatio(job);
  return ratio === null ? '' : `${renderBar(ratio, barWidth, unicode)} ${donePercent(job).padStart(4)}`;
}

function ageOf(job: Job, now: number, render = renderAge): string {
  return job.created_at === undefined ? '' : render(now - Date.parse(job.created_at));
}

function countCell(value: number | undefined): string {
  return value === undefined ? '' : formatNumber(value);
}

/**
 * The card of a job, with the next step. Parts of a list without an id were not sent. `stats` is given if the rows were read. A
 * service cannot resume a job.
 */
export function renderJob(
  job: Job,
  style: Style,
  command: Compose,
  { stats, canResume = true }: { stats?: RunStats; canResume?: boolean } = {},
): string {
  const { color, columns, unicode } = style;
  const chalk = paint(color);
  const { id, processed = 0, total = 0, jobs: parts = [job], rows_per_second: rate } = job;
  const { waiting_count: waiting = 0, retry_at: nextAt, forgotten_count: forgotten = 0 } = job;
  const nextTry = nextAt == null ? '' : `, next try ${renderDueTime(nextAt * 1000)}`;
  const idText = id.length + labelWidth > columns ? shortId(id) : id;
  const sentCount = parts.filter((part) => part.id !== '').length;
  const sent = sentCount < parts.length ? `${sentCount} of ` : '';
  const ratio = doneRatio(job);
  const counts =
    ratio === null ? '' : `${donePercent(job)} · ${formatNumber(processed)} of ${formatAmount(total, unitOf(job))}`;
  const lines: [string, string | undefined][] = [
    ['Job', parts.length > 1 ? `${idText} (${sent}${formatAmount(parts.length, 'part')})` : idText],
    ['State', displayStatus(job)],
    ['File', job.filename],
    ['Column', job.email_column],
    ['Done', job.processed === undefined ? '' : `${renderBar(ratio ?? 0, barWidth, unicode)} ${counts}`],
    // The rows of earlier runs are in the counts, but not in the rate.
    ['Rate', rate == null ? '' : `${formatRate(rate)}${job.last_run_at == null ? '' : ' in the last run'}`],
    ['Left', job.eta_seconds == null ? '' : renderTimeLeft(job.eta_seconds * 1000)],
    ['Waiting', waiting === 0 ? '' : `${formatAmount(waiting, 'address', 'addresses')} for a retry${nextTry}`],
    ['Forgotten', forgotten === 0 ? '' : `${formatAmount(forgotten, 'row')}, in no count and no result`],
    ['Created', displayTime(job.created_at)],
    ['Finished', displayTime(job.finished_at)],
    ['Error', job.error ?? dnsTroubleOf(job)?.message],
  ];
  const card = lines.map(([name, value = '']) =>
    value === '' ? '' : hang(chalk.dim(name.padEnd(labelWidth)), labelWidth, sanitize(value), columns),
  );
  const hasCounts = statusOrder.some((status) => job[`${status}_count`] !== undefined);
  const { list, ...otherStats } = stats ?? createJobStats(job).stats();
  // The card shows the column already.
  const summary = hasCounts ? `\n${renderRunStats({ ...otherStats, list: { ...list, columns: [] } }, style)}` : '';
  const steps = [nextForJob(job, command, canResume)].filter((step) => step !== null);
  const next = renderNext(steps, style);
  return `${card.join('')}${summary}${next === '' ? '' : `\n${next}`}`;
}

function nextForJob(job: Job, command: Compose, canResume: boolean): NextStep | null {
  const { id } = job;
  const results = command('jobs', 'results', id, '-o', vettedName(job));
  switch (displayStatus(job)) {
    case 'queued':
    case 'running':
      return { command: command('jobs', 'get', id, '--watch'), description: 'follows it to its end' };
    case 'interrupted':
    case 'failed':
    case 'canceled':
      if (!canResume) return job.processed ? { command: results, description: 'writes the rows that were sent' } : null;
      return { command: command('jobs', 'resume', id), description: 'continues where it stopped' };
    case 'completed':
      return { command: results, description: 'writes every row with its verdict' };
    default:
      return null;
  }
}

/** A name for the results that is not the list's: `list.vetted.csv`. */
function vettedName({ filename = '' }: Job): string {
  const name = basename(filename).replace(/(\.[a-z\d]{1,6}){1,2}$/i, '');
  return `${name === '' || name.startsWith('-') ? 'list' : name}.vetted.csv`;
}

function displayTime(iso: string | null = null): string {
  if (iso === null) return '';
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : renderMoment(time);
}
