import { formatAmount, formatNumber, formatPercent } from '../../model/amount.js';
import type { UploadPreview } from '../../model/job.js';
import type { ListShape } from '../../report/run-stats.js';
import type { ColumnProfile } from '../../rows/preview.js';
import type { ListPlan } from '../../service/plan-list.js';
import { sanitize } from '../terminal/sanitize.js';
import type { Style } from './style/paint.js';
import { cutTo, flow, padTo, textWidth } from './style/text-layout.js';

const delimiters: Record<string, string> = { ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/** The heading of a file: its name, rows, columns and delimiter. */
export function renderFile(
  { filename, columns, row_count, row_count_exact }: UploadPreview,
  delimiter: string,
  { columns: width }: Pick<Style, 'columns'>,
): string {
  const rows = row_count === undefined ? '' : `${row_count_exact ? '' : 'about '}${formatAmount(row_count, 'row')}`;
  const parts = [sanitize(filename), rows, formatAmount(columns.length, 'column'), delimiters[delimiter] ?? ''];
  const pieces = parts.filter((part) => part !== '').map((text) => ({ text }));
  return flow('', 0, pieces, { between: ' · ', columns: width });
}

const maxNameWidth = 24;

/** One line for each column: its name, some samples, and how many cells are filled. */
export function renderColumns(columns: readonly ColumnProfile[], { width }: { width: number }): string[] {
  const names = columns.map(({ name }) => cutTo(sanitize(name), Math.min(maxNameWidth, width), '…'));
  const nameWidth = Math.max(...names.map(textWidth));
  const fills = columns.map(fillOf);
  const fillWidth = Math.max(...fills.map((fill) => fill.length));
  const room = width - nameWidth - fillWidth - 4;
  return columns.map(({ samples }, index) => {
    const name = padTo(names[index] ?? '', nameWidth);
    const fill = fills[index] ?? '';
    if (room < 8) return `${name}  ${fill}`;
    const first = samples.slice(0, 2).map(sanitize).join(', ');
    const samplesText = samples.length > 2 ? `${cutTo(first, room - 2, '…')} …` : cutTo(first, room, '…');
    return `${name}  ${padTo(samplesText, room)}  ${fill}`;
  });
}

function fillOf({ filled, addresses }: ColumnProfile): string {
  if (filled === 0) return 'empty';
  return addresses === 0 ? 'no addresses' : `${formatPercent(filled)} filled`;
}

/** Where the addresses of a list are: lines that were skipped, the column, and other columns with addresses. */
export function placeParts({ columns, otherColumns, skippedLines = 0 }: Omit<ListShape, 'name'>): string[] {
  const quoted = (names: readonly string[]): string => names.map((name) => `"${sanitize(name)}"`).join(', ');
  const others = otherColumns.map(({ name }) => name);
  const otherColumnsNote = others.length === 0 ? '' : ` (also has addresses: ${quoted(others.slice(0, 5))})`;
  return [
    skippedLines === 0 ? '' : `${formatAmount(skippedLines, 'line')} skipped`,
    columns.length === 0 ? '' : `${columns.length === 1 ? 'column' : 'columns'} ${quoted(columns)}${otherColumnsNote}`,
  ].filter((text) => text !== '');
}

/** What an upload will do, and roughly how long it takes. */
export function planParts(
  { rows, unique, domains }: Pick<ListPlan, 'rows' | 'unique' | 'domains'>,
  target: { level: string } | { service: string },
): string[] {
  const addresses = `${formatAmount(unique, 'unique address', 'unique addresses')} in ${formatAmount(rows, 'row')}`;
  if ('service' in target) return [addresses, `sent to ${target.service}`, `at most ${formatAmount(unique, 'credit')}`];
  const { level } = target;
  const network: Record<string, string> = {
    smtp: `level smtp: the mail servers of ${formatAmount(domains, 'domain')} will be asked`,
    dns: `level dns: the DNS server will be asked about ${formatAmount(domains, 'domain')}`,
  };
  const traffic = (domains > 0 && network[level]) || `level ${level}: nothing is sent over the network`;
  return [addresses, traffic, roughTime(level, estimateSeconds(level, { unique, domains }))];
}

/** Typical rates per second. The real one depends on the mail servers, so the time is shown with its rate. */
const typicalRates = {
  syntax: { rate: 100_000, unit: 'addresses' },
  dns: { rate: 300, unit: 'domains' },
  smtp: { rate: 130, unit: 'addresses' },
};

function typicalRate(level: string) {
  return typicalRates[level as keyof typeof typicalRates] ?? typicalRates.syntax;
}

/** How long a local run takes at the typical rate. */
export function estimateSeconds(level: string, { unique, domains }: Pick<ListPlan, 'unique' | 'domains'>): number {
  const { rate, unit } = typicalRate(level);
  return Math.ceil((unit === 'domains' ? domains : unique) / rate);
}

function roughTime(level: string, seconds: number): string {
  if (seconds < 10) return 'a few seconds';
  const { rate, unit } = typicalRate(level);
  return `about ${roughDuration(seconds)} at a typical ${formatNumber(rate)} ${unit}/s`;
}

function roughDuration(seconds: number): string {
  if (seconds < 55) return formatAmount(Math.round(seconds / 10) * 10, 'second');
  if (seconds < 90 * 60) return formatAmount(Math.round(seconds / 60), 'minute');
  return `${formatNumber(Math.round(seconds / 3600))} hours`;
}
