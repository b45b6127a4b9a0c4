import { amount, count, percent } from '../../model/amount.js';
import type { UploadPreview } from '../../model/job.js';
import type { ColumnProfile } from '../../rows/profile-columns.js';
import type { FilePlan } from '../../service/plan-file.js';
import { sanitize } from '../terminal/sanitize.js';
import { cutTo, padTo, textWidth } from './style/text-width.js';

const delimiters: Record<string, string> = { ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/** What a file is: its name, how long and how wide it is. */
export function renderFile(
  { filename, columns, row_count, row_count_exact }: UploadPreview,
  delimiter: string,
): string {
  const rows = row_count === undefined ? '' : `${row_count_exact ? '' : 'about '}${amount(row_count, 'row')}`;
  const parts = [sanitize(filename), rows, amount(columns.length, 'column'), delimiters[delimiter] ?? ''];
  return parts.filter((part) => part !== '').join(' · ');
}

const widestName = 24;

/** A line for each column to choose from: its name, some of what is in it, and how full it is. */
export function renderColumns(columns: readonly ColumnProfile[], { width }: { width: number }): string[] {
  const names = columns.map(({ name }) => cutTo(sanitize(name), Math.min(widestName, width), '…'));
  const nameWidth = Math.max(...names.map(textWidth));
  const fills = columns.map(fillOf);
  const fillWidth = Math.max(...fills.map((fill) => fill.length));
  const room = width - nameWidth - fillWidth - 4;
  return columns.map(({ samples }, index) => {
    const name = padTo(names[index] ?? '', nameWidth);
    const fill = fills[index] ?? '';
    if (room < 8) return `${name}  ${fill}`;
    const some = samples.slice(0, 2).map(sanitize).join(', ');
    const shown = samples.length > 2 ? `${cutTo(some, room - 2, '…')} …` : cutTo(some, room, '…');
    return `${name}  ${padTo(shown, room)}  ${fill}`;
  });
}

function fillOf({ filled, addresses }: ColumnProfile): string {
  if (filled === 0) return 'empty';
  return addresses === 0 ? 'no addresses' : `${percent(filled)} filled`;
}

/** What will happen, in one line of parts. */
export function planParts(
  { rows, unique, domains }: FilePlan,
  where: { level: string } | { service: string },
): string[] {
  const addresses = `${amount(unique, 'unique address', 'unique addresses')} in ${amount(rows, 'row')}`;
  if ('service' in where) return [addresses, `sent to ${where.service}`, `at most ${amount(unique, 'credit')}`];
  const { level } = where;
  const asked: Record<string, string> = {
    smtp: `level smtp: the mail servers of ${amount(domains, 'domain')} will be asked`,
    dns: `level dns: the DNS server will be asked about ${amount(domains, 'domain')}`,
    syntax: 'level syntax: nobody will be asked',
  };
  return [addresses, asked[level] ?? `level ${level}`, roughTime(level, unique, domains)];
}

/** What a usual network and usual mail servers bear in a second; as rough as that is. */
const usualRates = { syntax: 100_000, dns: 300, smtp: 130 };

function roughTime(level: string, unique: number, domains: number): string {
  const seconds =
    level === 'smtp'
      ? unique / usualRates.smtp
      : level === 'dns'
        ? domains / usualRates.dns
        : unique / usualRates.syntax;
  if (seconds < 10) return 'a few seconds';
  if (seconds < 60) return 'less than a minute';
  if (seconds < 90 * 60) return `about ${amount(Math.round(seconds / 60), 'minute')}`;
  return `about ${count(Math.round(seconds / 3600))} hours`;
}
