import { formatAmount, formatNumber } from '../../model/amount.js';
import { signOf, statusOrder } from '../../model/text/status-sign.js';
import type { CountedRow, StatusCounts } from '../../wire/app.js';
import { DomainName } from './domain-name.js';
import { type Column, Panel, Table } from './panel.js';
import { StatusBar, shareText } from './status-bar.js';

const maxNames = 10;

interface NameTableProps {
  title: string;
  kind: 'Domain' | 'Provider';
  counts: StatusCounts;
  empty: string;
}

/** A name, or the rest of the list; `total` is exact, the counts of the rest may be unknown. */
type NameRow = CountedRow & { label?: string; isUnknown?: boolean };

/** Domains or providers by frequency, with the share that is not valid. */
export function NameTable({ title, kind, counts, empty }: NameTableProps) {
  const columns: Column<NameRow>[] = [
    {
      name: kind,
      class: ({ label }) => (label === undefined ? 'breaks' : 'muted'),
      cell: ({ name, label }) => label ?? <DomainName name={name} />,
    },
    {
      name: 'Addresses',
      title: 'Different addresses, without duplicates',
      class: 'number',
      cell: ({ total }) => formatNumber(total),
    },
    { name: 'Not valid', class: 'number', cell: (row) => !row.isUnknown && <NotValid row={row} /> },
    {
      name: 'By status',
      isHidden: true,
      class: 'bar-cell',
      cell: (row) => !row.isUnknown && <StatusBar counts={row} />,
    },
  ];
  return (
    <Panel title={title}>
      <Table {...{ caption: title, columns, empty }} rows={[...counts.names.slice(0, maxNames), ...othersOf(counts)]} />
    </Panel>
  );
}

function othersOf({ names, dropped }: StatusCounts): NameRow[] {
  const others = names.slice(maxNames);
  const sum: NameRow = { name: '', total: dropped, valid: 0, risky: 0, invalid: 0, unknown: 0 };
  for (const entry of others) {
    sum.total += entry.total;
    for (const status of statusOrder) sum[status] += entry[status];
  }
  if (sum.total === 0) return [];
  return [{ ...sum, label: dropped > 0 ? 'all others' : formatAmount(others.length, 'other'), isUnknown: dropped > 0 }];
}

/** Marks names with at least half of their rows not valid, by the most frequent status. */
function NotValid({ row }: { row: CountedRow }) {
  const bad = row.total - row.valid;
  const isMarked = row.total > 1 && bad * 2 >= row.total;
  const main = (['invalid', 'risky', 'unknown'] as const).reduce((most, each) => (row[each] > row[most] ? each : most));
  return (
    <span class={isMarked ? `text-${main}` : ''}>
      {shareText(bad, row.total)}
      {isMarked && ` ${signOf(main, true)}`}
    </span>
  );
}
