import type { ChalkInstance } from 'chalk';
import { count } from '../../model/amount.js';
import type { Job } from '../../model/job.js';
import { signOf, statusOrder } from '../../model/text/status-sign.js';
import { renderAge } from '../../model/text/time.js';
import { sanitize } from '../terminal/sanitize.js';
import { donePercent, doneRatio, interruptedLists, shownId, shownStatus } from './job-words.js';
import { renderBar } from './style/bar.js';
import { paint } from './style/paint.js';
import { cutTo } from './style/text-width.js';
import { type Style, statusPaint } from './style/verdict-style.js';
import { hang } from './style/wrap.js';

const barWidth = 10;
const narrow = 72;

/** A page of jobs for people: how far each is, what came out, how old it is. A table where it fits, else a few lines each. */
export function renderJobs(jobs: readonly Job[], style: Style, now: number): string {
  if (jobs.length === 0) return 'There are no jobs. Upload a list with: mailvet upload FILE.csv\n';
  const shown = style.columns < narrow ? renderBlocks(jobs, style, now) : renderTable(jobs, style, now);
  return `${shown}${renderInterrupted(jobs, style)}`;
}

/** Lists that nobody works on, with the command to go on with them. */
function renderInterrupted(jobs: readonly Job[], { color, columns }: Style): string {
  const ids = interruptedLists(jobs).map(shownId);
  if (ids.length === 0) return '';
  const chalk = paint(color);
  const sentence =
    ids.length === 1
      ? '1 job has no worker. Continue it with:'
      : `${ids.length} jobs have no worker. Continue them with:`;
  const commands = ids.map((id) => `  ${chalk.bold(`mailvet jobs resume ${id}`)}\n`);
  return `\n${hang('', 0, sentence, columns)}${commands.join('')}`;
}

interface Column {
  title: string;
  right?: boolean;
  cell(job: Job): string;
  tone?(job: Job): (text: string) => string;
}

function renderTable(jobs: readonly Job[], { color, columns: width, unicode }: Style, now: number): string {
  const chalk = paint(color);
  const columns: Column[] = [
    { title: 'ID', cell: ({ id }) => shownId(id) },
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
  const cells = jobs.map((job) => columns.map((column) => sanitize(column.cell(job))));
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
      cutTo(sanitize(job.filename ?? ''), room, unicode ? '…' : '...'),
    ),
  );
  return `${[heading, ...rows].join('\n')}\n`;
}

function renderBlocks(jobs: readonly Job[], { color, columns, unicode }: Style, now: number): string {
  const chalk = paint(color);
  return jobs
    .map((job) => {
      const head = [shownStatus(job), donePercent(job), ageOf(job, now)].filter((part) => part !== '').join(' · ');
      const counts = statusOrder
        .filter((status) => job[`${status}_count`] !== undefined)
        .map((status) => statusPaint(chalk, status)(`${signOf(status, unicode)} ${counted(job[`${status}_count`])}`));
      const file = job.filename === undefined ? '' : hang('  ', 2, sanitize(job.filename), columns);
      const rows = counts.length === 0 ? '' : `  ${counts.join('  ')}\n`;
      return `${chalk.bold(shownId(job.id))}  ${sanitize(head)}\n${file}${rows}`;
    })
    .join('');
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

function doneCell(job: Job, unicode: boolean): string {
  const share = doneRatio(job);
  return share === null ? '' : `${renderBar(share, barWidth, unicode)} ${donePercent(job).padStart(4)}`;
}

function ageOf(job: Job, now: number): string {
  return job.created_at === undefined ? '' : renderAge(now - Date.parse(job.created_at));
}

function counted(value: number | undefined): string {
  return value === undefined ? '' : count(value);
}

function pad(text: string, width: number, right: boolean): string {
  return right ? text.padStart(width) : text.padEnd(width);
}
