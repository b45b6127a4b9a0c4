import { formatNumber } from '../../../model/amount.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { type Column, Table } from '../../../report/components/panel.js';
import { StatusBar, shareText, sumOf, toCountByStatus } from '../../../report/components/status-bar.js';
import type { AppJob } from '../../../wire/app.js';
import { isLive, JobBadge, jobName } from '../../parts/job-words.js';
import { RelativeTime } from '../../parts/time.js';
import { Link } from '../../router.js';

interface ListTableProps {
  lists: readonly AppJob[];
  selected: readonly AppJob[];
  onSelect: (lists: readonly AppJob[]) => void;
  /** The page with the lists of an owner. */
  ownerPath: ((ownerId: string) => string) | null;
}

/** Lists as rows, with a bar of their results. Those that have ended can be selected. */
export function ListTable({ lists, selected, onSelect, ownerPath }: ListTableProps) {
  const columns: Column<AppJob>[] = [
    {
      ...{ name: 'Select', isHidden: true },
      cell: (list) => {
        const others = selected.filter(({ id }) => id !== list.id);
        return (
          <input
            type="checkbox"
            aria-label={`Select ${jobName(list)}`}
            checked={others.length < selected.length}
            disabled={isLive(list)}
            onChange={(event) => onSelect(event.currentTarget.checked ? [...others, list] : others)}
          />
        );
      },
    },
    {
      ...{ name: 'File', class: 'breaks strong name', isBare: true },
      cell: (list) => (
        <Link to={`/lists/${encodeURIComponent(list.id)}`}>
          <UntrustedText text={jobName(list)} />
        </Link>
      ),
    },
    { name: 'State', isBare: true, cell: (list) => <JobBadge job={list} /> },
    { name: 'Rows', class: 'number', cell: rowsText },
    {
      ...{ name: 'Result', class: 'bar-cell', isBare: true },
      cell: (list) => <StatusBar counts={toCountByStatus(list)} total={addressesIn(list)} />,
    },
    {
      ...{ name: 'Valid', class: 'number' },
      cell: (list) => shareText(list.valid_count ?? 0, sumOf(toCountByStatus(list))),
    },
    {
      ...{ name: 'By', class: 'by' },
      cell: ({ owner }) => (
        <>
          {owner.kind === 'key' && <span class="muted">key </span>}
          {ownerPath === null ? (
            <UntrustedText text={owner.name} />
          ) : (
            <Link to={ownerPath(owner.id)}>
              <UntrustedText text={owner.name} />
            </Link>
          )}
        </>
      ),
    },
    { name: 'Created', class: 'tight', cell: (list) => <RelativeTime at={list.created_at} /> },
  ];
  return <Table caption="Lists" stacks columns={columns} rows={lists} keyOf={({ id }) => id} />;
}

function addressesIn({ total = 0, empty_count: empty = 0, duplicate_count: duplicates = 0 }: AppJob): number {
  return total - empty - duplicates;
}

function rowsText(list: AppJob): string {
  const { total = 0, processed = 0 } = list;
  return isLive(list) ? `${formatNumber(processed)} of ${formatNumber(total)}` : formatNumber(total);
}
