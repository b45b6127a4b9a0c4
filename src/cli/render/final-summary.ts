import { amount, count } from '../../model/amount.js';
import type { RunSummary } from '../../model/result.js';
import { readableDomain } from '../../model/text/readable-domain.js';
import { reasonPhrase } from '../../model/text/reason-phrases.js';
import { signOf, statusOrder } from '../../model/text/status-sign.js';
import { renderDuration } from '../../model/text/time.js';
import { type RunStats, unprobedIn } from '../../report/run-stats.js';
import { worstOf } from '../../report/status-counts.js';
import { sanitize } from '../terminal/sanitize.js';
import { paint, type Style, statusPaint } from './style/paint.js';
import { flow, hang, type Piece, wrap, wrapCommand } from './style/text-layout.js';

/** A file that was written, and how many rows are in it. */
export interface Written {
  path: string;
  rows: number;
}

/** What is said when a list is done. */
export interface FinalSummary {
  stats: RunStats;
  written: readonly Written[];
  /** The earlier output that it was compared with, and when that was written. */
  since: { path: string; at: number } | null;
  next: NextStep | null;
}

/** A command that it makes sense to go on with, and what it does. */
export interface NextStep {
  command: string;
  does: string;
}

const shownReasons = 6;
const shownDomains = 3;
/** Beyond this a line is hard to follow from one end to the other. */
const widest = 100;

/** The end of a list for people: counts, reasons, domains, what changed, what was written, and what to do next. */
export function renderFinalSummary(ending: FinalSummary, given: Style): string {
  const style = { ...given, columns: Math.min(given.columns, widest) };
  return [
    renderRunStats(ending.stats, style),
    '\n',
    renderSince(ending, style),
    renderWritten(ending, style),
    renderNext(ending.next, style),
  ].join('');
}

/** The counts alone: counts, reasons, domains and suggestions. */
export function renderRunStats(stats: RunStats, style: Style): string {
  const details = [renderReasons(stats, style), renderDomains(stats, style) + renderSuggestions(stats, style)];
  return [renderCounts(stats, style), ...details].filter((part) => part !== '').join('\n');
}

function renderCounts({ summary, list, reasons }: RunStats, { color, columns, unicode }: Style): string {
  const chalk = paint(color);
  const addresses = amount(summary.total - summary.duplicate_count, 'address', 'addresses');
  const isUnsure = summary.valid_count > 0 && summary.valid_count === unprobedIn(reasons);
  const counts = statusOrder.map((status): Piece => {
    const sign = status === 'valid' && isUnsure ? '~' : signOf(status, unicode);
    const times = summary[`${status}_count`];
    const tone = status === 'valid' && isUnsure ? chalk.cyan : statusPaint(chalk, status);
    return { text: `${sign} ${count(times)} ${status}`, tone: times === 0 ? chalk.dim : tone.bold };
  });
  const width = counts.reduce((sum, { text }) => sum + text.length + 3, 0);
  const beside = width + addresses.length <= columns;
  const first = beside
    ? `${flow('', 0, counts, { between: '   ', columns }).trimEnd()}${addresses.padStart(Math.min(columns, 88) - width + 3)}\n`
    : flow('', 0, [...counts, { text: addresses }], { between: '   ', columns });
  const remarks = notesOn(summary, list).map((text): Piece => ({ text, tone: chalk.dim }));
  return first + flow('  ', 2, remarks, { between: ' · ', columns });
}

function notesOn(summary: RunSummary, { columns, otherColumns, passedOver = 0 }: RunStats['list']): string[] {
  const quoted = (names: readonly string[]): string => names.map((name) => `"${sanitize(name)}"`).join(', ');
  const others = otherColumns.map(({ name }) => name);
  const also = others.length === 0 ? '' : ` (also has addresses: ${quoted(others.slice(0, 5))})`;
  return [
    summary.duplicate_count === 0 ? '' : amount(summary.duplicate_count, 'duplicate'),
    summary.empty_count ? `${amount(summary.empty_count, 'row')} without an address` : '',
    passedOver === 0 ? '' : `${amount(passedOver, 'line')} passed over`,
    columns.length === 0 ? '' : `${columns.length === 1 ? 'column' : 'columns'} ${quoted(columns)}${also}`,
  ].filter((text) => text !== '');
}

interface Reason {
  status: (typeof statusOrder)[number];
  times: number;
  phrase: string;
}

/** The commonest reasons for not being plainly valid, in two columns where they fit. */
function renderReasons({ reasons }: RunStats, { color, columns, unicode }: Style): string {
  const chalk = paint(color);
  const shown = reasons.names
    .flatMap((entry) =>
      statusOrder.map((status): Reason => ({ status, times: entry[status], phrase: phraseOf(entry.name, status) })),
    )
    .filter(
      ({ status, times, phrase }) => times > 0 && (status !== 'valid' || phrase === phraseOf('not_probed', status)),
    )
    .sort((one, other) => other.times - one.times)
    .slice(0, shownReasons);
  if (shown.length === 0) return '';
  const digits = Math.max(...shown.map(({ times }) => count(times).length));
  const phraseWidth = Math.max(...shown.map(({ phrase }) => phrase.length));
  const cellWidth = 2 + 1 + 2 + digits + 2 + phraseWidth;
  const inTwo = shown.length > 2 && 2 * cellWidth + 2 <= columns;
  const lines = inTwo ? Math.ceil(shown.length / 2) : shown.length;
  const cell = ({ status, times, phrase }: Reason, width: number): string => {
    const sign = status === 'valid' ? '~' : signOf(status, unicode);
    const tone = status === 'valid' ? chalk.cyan : statusPaint(chalk, status);
    const head = `${sign}  ${count(times).padStart(digits)}`;
    return width === 0
      ? hang(`  ${tone(head)}  `, head.length + 4, phrase, columns).trimEnd()
      : `  ${tone(head)}  ${phrase.padEnd(width)}`;
  };
  return Array.from({ length: lines }, (_, at) => {
    const [left, right] = [shown[at], inTwo ? shown[at + lines] : undefined];
    const text = left === undefined ? '' : cell(left, right === undefined ? 0 : phraseWidth);
    return `${right === undefined ? text : `${text}  ${cell(right, phraseWidth)}`.trimEnd()}\n`;
  }).join('');
}

function phraseOf(reason: string, status: string): string {
  return sanitize(reasonPhrase(reason, status));
}

function renderDomains({ domains }: RunStats, { color, columns, unicode }: Style): string {
  const chalk = paint(color);
  const pieces = worstOf(domains, shownDomains).map(({ name, total, status, count: bad }): Piece => {
    const tone = statusPaint(chalk, status);
    const sign = signOf(status, unicode);
    const text = `${sanitize(readableDomain(name))} ${count(bad)} of ${count(total)} ${sign}`;
    return { text, tone: (whole) => (whole.endsWith(sign) ? whole.slice(0, -1) + tone(sign) : whole) };
  });
  return labelled('Worst domains', pieces, ' · ', { color, columns });
}

function renderSuggestions({ suggestions }: RunStats, { color, columns }: Style): string {
  const [first] = suggestions.examples;
  if (first === undefined) return '';
  const example = `${sanitize(first.email)} → ${sanitize(first.meant)}`;
  const pieces = [{ text: `${count(suggestions.count)},` }, { text: `e.g. ${example}` }];
  return labelled('Suggestions', suggestions.count === 1 ? [{ text: example }] : pieces, ' ', { color, columns });
}

function renderSince({ since, stats: { summary } }: FinalSummary, { color, columns }: Style): string {
  const { changes, moves = {} } = summary;
  if (since === null || changes === undefined) return '';
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }).format(since.at);
  const moved = Object.entries(moves).sort(([, one], [, other]) => other - one);
  const pieces = [
    `+${count(changes.new)} new`,
    `−${count(changes.gone)} gone`,
    ...moved.map(([move, times]) => `${count(times)} ${move.replace('→', ' → ')}`),
    `${count(changes.same)} same`,
    `since ${sanitize(since.path)} of ${day}`,
  ].map((text): Piece => ({ text }));
  return labelled('Changes', pieces, '   ', { color, columns });
}

function renderWritten({ written, stats }: FinalSummary, { color, columns }: Style): string {
  const { startedAt, endedAt, summary } = stats;
  const took = Math.max(0, endedAt - startedAt);
  const rate = took < 1000 ? '' : ` (${count(Math.round((summary.total * 1000) / took))}/s)`;
  const time = `${renderDuration(took)}${rate}`;
  if (written.length === 0) return labelled('Took', [{ text: time }], '', { color, columns });
  const pieces = written.map(({ path, rows }, index): Piece => {
    const isLast = index === written.length - 1;
    return { text: `${sanitize(path)} (${amount(rows, 'row')})${isLast ? ` in ${time}` : ','}` };
  });
  return labelled('Wrote', pieces, ' ', { color, columns });
}

/** The command, and what it does beside it, else beneath it. */
export function renderNext(next: NextStep | null, { color, columns }: Style): string {
  if (next === null) return '';
  const chalk = paint(color);
  const command = sanitize(next.command);
  const indent = indentFor(columns);
  const lines = wrapCommand(command, columns - indent).map((text): Piece => ({ text, tone: chalk.bold }));
  const beside = indent + command.length + 3 + next.does.length <= columns;
  const does = { text: next.does, tone: chalk.dim };
  if (beside) return labelled('Next', [...lines, does], '   ', { color, columns });
  const shown = lines.map((line) => labelled('', [line], '', { color, columns })).join('');
  const beneath = wrap(next.does, columns - indent).map((text) => `${' '.repeat(indent)}${chalk.dim(text)}\n`);
  return withLabel('Next', shown, { color, columns }) + beneath.join('');
}

const labelWidth = 'Worst domains'.length;
/** Below this a label stands above what it is for. */
const roomBeside = 60;

function indentFor(columns: number): number {
  return columns < roomBeside ? 4 : labelWidth + 5;
}

/** A label with pieces beside it or, on a narrow screen, beneath it. */
function labelled(
  label: string,
  pieces: readonly Piece[],
  between: string,
  { color, columns }: { color: boolean; columns: number },
): string {
  const indent = indentFor(columns);
  return withLabel(label, flow(' '.repeat(indent), indent, pieces, { between, columns }), { color, columns });
}

/** Lines that leave room for a label, with the label. */
function withLabel(label: string, lines: string, { color, columns }: { color: boolean; columns: number }): string {
  if (lines === '' || label === '') return lines;
  const shown = paint(color).dim(label);
  const indent = indentFor(columns);
  return columns < roomBeside
    ? `  ${shown}\n${lines}`
    : `  ${shown}${' '.repeat(indent - 2 - label.length)}${lines.slice(indent)}`;
}
