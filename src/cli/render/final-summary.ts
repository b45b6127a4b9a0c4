import { formatAmount, formatNumber } from '../../model/amount.js';
import type { RunSummary } from '../../model/result.js';
import { readableDomain } from '../../model/text/readable-domain.js';
import { reasonPhrase } from '../../model/text/sentences.js';
import { signOf, statusOrder } from '../../model/text/status-sign.js';
import { renderDuration } from '../../model/text/time.js';
import type { RunStats } from '../../report/run-stats.js';
import { countOf, rateOfRun, splitReasons } from '../../report/shown-stats.js';
import { worstOf } from '../../report/status-counts.js';
import { sanitize } from '../terminal/sanitize.js';
import { placeParts } from './preview.js';
import { formatRate } from './progress.js';
import { paint, type Style, statusPaint } from './style/paint.js';
import { flow, hang, type Piece, wrap, wrapCommand } from './style/text-layout.js';

/** A file that was written. */
export interface Written {
  path: string;
  /** Null: the file has no rows, such as a report. */
  rows: number | null;
}

/** The outcome of a list. */
export interface FinalSummary {
  stats: RunStats;
  written: readonly Written[];
  /** The number of rows in the standard output; null or absent: none, or they are on the screen. */
  stdoutRows?: number | null;
  next: NextStep | null;
  /** The rows were vetted earlier, by a job, so the duration is that of the job and not of writing them. */
  isVettedBefore?: boolean;
}

/** A command to suggest, and what it does. */
export interface NextStep {
  command: string;
  description: string;
}

const maxReasons = 6;
const maxDomains = 3;
/** Longer lines are hard to read. */
const maxWidth = 100;

/** The statistics of a list, the files that were written, and the next step. */
export function renderFinalSummary(summary: FinalSummary, screen: Style): string {
  const style = { ...screen, columns: Math.min(screen.columns, maxWidth) };
  const stats = renderRunStats(summary.stats, style);
  const { next } = summary;
  return `${stats}\n${renderWritten(summary, style)}${renderNext(next === null ? [] : [next], style)}`;
}

/** One line for a log: `51 valid, 1 risky, 53 invalid, 0 unknown · wrote vetted.csv (105 rows) in 4 s`. */
export function renderClosingLine({ stats, written, isVettedBefore }: Omit<FinalSummary, 'next'>): string {
  const { summary, list } = stats;
  const counts = statusOrder.map((status) => `${formatNumber(summary[`${status}_count`])} ${status}`).join(', ');
  const { duplicate_count: duplicates, empty_count: empty } = summary;
  const others = [
    duplicates === 0 ? '' : ` · ${formatAmount(duplicates, 'duplicate')}`,
    empty === 0 ? '' : ` · ${formatAmount(empty, list.emptyUnit ?? 'row')} without an address`,
  ].join('');
  const files = written.map(({ path, rows }) => (rows === null ? path : `${path} (${formatAmount(rows, 'row')})`));
  const wrote = files.length === 0 ? '' : ` · wrote ${files.join(', ')}`;
  return `${counts}${others}${wrote}${isVettedBefore ? '' : ` in ${renderDuration(stats.endedAt - stats.startedAt)}`}`;
}

/** Counts, reasons, domains and suggestions. */
export function renderRunStats(stats: RunStats, style: Style): string {
  const details = [renderReasons(stats, style), renderDomains(stats, style) + renderSuggestions(stats, style)];
  return [renderCounts(stats, style), ...details].filter((part) => part !== '').join('\n');
}

function renderCounts({ summary, list, reasons }: RunStats, { color, columns, unicode }: Style): string {
  const chalk = paint(color);
  const total = summary.total - summary.duplicate_count;
  const answered = statusOrder.reduce((sum, status) => sum + summary[`${status}_count`], 0);
  // The unique addresses of a list are known at its end only: more duplicates may be found.
  const isPart = answered < total;
  const addresses = `${formatAmount(isPart ? answered : total, 'address', 'addresses')}${isPart ? ' answered' : ''}`;
  const isUnprobed = summary.valid_count > 0 && summary.valid_count === countOf(reasons, 'not_probed');
  const counts = statusOrder.map((status): Piece => {
    const isUnsure = status === 'valid' && isUnprobed;
    const times = summary[`${status}_count`];
    const tone = isUnsure ? chalk.cyan : statusPaint(chalk, status);
    const sign = isUnsure ? '~' : signOf(status, unicode);
    return { text: `${sign} ${formatNumber(times)} ${status}`, tone: times === 0 ? chalk.dim : tone.bold };
  });
  const width = counts.reduce((sum, { text }) => sum + text.length + 3, 0);
  const fitsOneLine = width + addresses.length <= columns;
  const countLines = flow('', 0, counts, { between: '   ', columns });
  const first = fitsOneLine
    ? `${countLines.trimEnd()}${addresses.padStart(Math.min(columns, 88) - width + 3)}\n`
    : countLines;
  const remarks = remarksOn(summary, list).map((text): Piece => ({ text, tone: chalk.dim }));
  const details = fitsOneLine ? remarks : [{ text: addresses }, ...remarks];
  return first + flow('  ', 2, details, { between: ' · ', columns });
}

function remarksOn(summary: RunSummary, list: RunStats['list']): string[] {
  const { part, emptyUnit = 'row' } = list;
  return [
    part ?? '',
    summary.duplicate_count === 0 ? '' : formatAmount(summary.duplicate_count, 'duplicate'),
    summary.empty_count ? `${formatAmount(summary.empty_count, emptyUnit)} without an address` : '',
    summary.suppressed_count ? `${formatNumber(summary.suppressed_count)} suppressed` : '',
    summary.reused_count ? `${formatAmount(summary.reused_count, 'answer')} reused` : '',
    ...placeParts(list),
  ].filter((text) => text !== '');
}

interface Reason {
  code: string;
  status: (typeof statusOrder)[number];
  times: number;
  phrase: string;
}

/** The most frequent reasons, except those of valid addresses that were probed; in two columns if they fit. */
function renderReasons({ reasons }: RunStats, { color, columns, unicode }: Style): string {
  const chalk = paint(color);
  const allReasons = reasons.names
    .flatMap((entry) =>
      statusOrder.map((status): Reason => {
        const { name: code, [status]: times } = entry;
        return { code, status, times, phrase: phraseOf(code, status) };
      }),
    )
    .filter(
      ({ status, times, phrase }) => times > 0 && (status !== 'valid' || phrase === phraseOf('not_probed', status)),
    )
    .sort((one, other) => other.times - one.times);
  const { shown: topReasons, others: otherReasons } = splitReasons(allReasons, maxReasons);
  if (topReasons.length === 0) return '';
  const digits = Math.max(...topReasons.map(({ times }) => formatNumber(times).length));
  const phraseWidth = Math.max(...topReasons.map(({ phrase }) => phrase.length));
  const cellWidth = 2 + 1 + 2 + digits + 2 + phraseWidth;
  const hasTwoColumns = topReasons.length > 2 && 2 * cellWidth + 2 <= columns;
  const lineCount = hasTwoColumns ? Math.ceil(topReasons.length / 2) : topReasons.length;
  const head = ({ status, times }: Reason): string =>
    `${status === 'valid' ? '~' : signOf(status, unicode)}  ${formatNumber(times).padStart(digits)}`;
  const tone = ({ status }: Reason) => (status === 'valid' ? chalk.cyan : statusPaint(chalk, status));
  const otherTimes = otherReasons.reduce((sum, { times }) => sum + times, 0);
  const others = `${formatNumber(otherTimes).padStart(digits + 3)}  for other reasons`;
  const lines = topReasons
    .slice(0, lineCount)
    .map((left, at) => {
      const right = topReasons[at + lineCount];
      const start = `  ${tone(left)(head(left))}  `;
      if (right === undefined) return hang(start, head(left).length + 4, left.phrase, columns);
      return `${start}${left.phrase.padEnd(phraseWidth)}    ${tone(right)(head(right))}  ${right.phrase}\n`;
    })
    .join('');
  return otherTimes === 0 ? lines : `${lines}  ${chalk.dim(others)}\n`;
}

function phraseOf(reason: string, status: string): string {
  return sanitize(reasonPhrase(reason, status));
}

function renderDomains({ domains }: RunStats, style: Style): string {
  const chalk = paint(style.color);
  const pieces = worstOf(domains, maxDomains).map(({ name, total, status, count: bad }): Piece => {
    const sign = signOf(status, style.unicode);
    const text = `${sanitize(readableDomain(name))} ${formatNumber(bad)} of ${formatNumber(total)} ${sign}`;
    const tone = (whole: string): string =>
      whole.endsWith(sign) ? whole.slice(0, -1) + statusPaint(chalk, status)(sign) : whole;
    return { text, tone };
  });
  return labeled('Worst domains', pieces, ' · ', style);
}

function renderSuggestions({ suggestions }: RunStats, style: Style): string {
  const [first] = suggestions.examples;
  if (first === undefined) return '';
  const { count } = suggestions;
  const lead = count === 1 ? '' : `${formatNumber(count)}, e.g. `;
  const pieces = [{ text: `${lead}${sanitize(first.email)}` }, { text: `→ ${sanitize(first.suggestion)}` }];
  return labeled('Suggestions', pieces, ' ', style);
}

function renderWritten(outcome: FinalSummary, style: Style): string {
  const { written, stats, stdoutRows = null, isVettedBefore = false } = outcome;
  const { summary, startedAt, endedAt, isLastRun = false, hasDuration = true } = stats;
  const durationMs = Math.max(0, endedAt - startedAt);
  const perSecond = rateOfRun(stats) ?? 0;
  // A job may have waited to be continued.
  const hasRate = !isLastRun && durationMs >= 1000 && perSecond > (isVettedBefore ? 0.5 : 0);
  const rate = hasRate ? ` (${formatRate(perSecond)})` : '';
  const time = `${renderDuration(durationMs)}${rate}`;
  const vettedText = isLastRun ? `last run took ${time}` : `in ${time}`;
  const vetted = isVettedBefore && hasDuration ? labeled('Vetted', [{ text: vettedText }], '', style) : '';
  // The counts are of unique addresses.
  const piped = stdoutRows === summary.total - summary.duplicate_count ? null : stdoutRows;
  if (written.length === 0 && piped === null)
    return isVettedBefore ? vetted : labeled('Took', [{ text: time }], '', style);
  return vetted + renderFiles(written, style, isVettedBefore ? '' : ` in ${time}`, piped);
}

/** What was written, `piped` rows and files, and after the last one `end`; empty if there is none. */
export function renderFiles(written: readonly Written[], style: Style, end = '', piped: number | null = null): string {
  const files = written.map(
    ({ path, rows }) => `${sanitize(path)}${rows === null ? '' : ` (${formatAmount(rows, 'row')})`}`,
  );
  const texts = piped === null ? files : [`${formatAmount(piped, 'row')} to standard output`, ...files];
  const pieces = texts.map((text, index): Piece => ({ text: `${text}${index === texts.length - 1 ? end : ','}` }));
  return labeled('Wrote', pieces, ' ', style);
}

/** Each command, and what it does on the next line. */
export function renderNext(steps: readonly NextStep[], style: Style): string {
  const { columns } = style;
  const chalk = paint(style.color);
  const indent = indentFor(columns);
  // A command has its own line, so that the line can be pasted.
  const text = steps.flatMap(({ command, description }) => [
    ...wrapCommand(sanitize(command), columns - indent).map((line) => chalk.bold(line)),
    ...wrap(description, columns - indent).map((line) => chalk.dim(line)),
  ]);
  return withLabel('Next', text.map((line) => `${' '.repeat(indent)}${line}\n`).join(''), style);
}

const labelWidth = 'Worst domains'.length;
/** On narrower screens, a label is on its own line. */
const minLabelColumns = 60;

function indentFor(columns: number): number {
  return columns < minLabelColumns ? 4 : labelWidth + 5;
}

function labeled(label: string, pieces: readonly Piece[], between: string, style: Style): string {
  const { columns } = style;
  const indent = indentFor(columns);
  return withLabel(label, flow(' '.repeat(indent), indent, pieces, { between, columns }), style);
}

function withLabel(label: string, lines: string, { color, columns }: Style): string {
  if (lines === '') return '';
  const dimLabel = paint(color).dim(label);
  const indent = indentFor(columns);
  return columns < minLabelColumns
    ? `  ${dimLabel}\n${lines}`
    : `  ${dimLabel}${' '.repeat(indent - 2 - label.length)}${lines.slice(indent)}`;
}
