import { formatAmount, formatNumber } from '../../../model/amount.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { type Column, Panel, Table } from '../../../report/components/panel.js';
import { StatusBadge } from '../../../report/components/status-bar.js';
import type { AppJob, Changes } from '../../../wire/app.js';
import { RemoteContent } from '../../parts/remote-content.js';
import { RelativeTime } from '../../parts/time.js';
import { Link } from '../../router.js';
import { call } from '../../server/call.js';
import { useAnswer } from '../../server/use-answer.js';

const columns: Column<Changes['rows'][number]>[] = [
  { name: 'Address', class: 'breaks', isBare: true, cell: ({ email }) => <UntrustedText text={email} /> },
  { name: 'Before', cell: ({ before }) => <StatusBadge status={before} /> },
  { name: 'Now', cell: ({ now }) => <StatusBadge status={now} /> },
  { name: 'Why', isBare: true, cell: ({ why }) => why },
];

/** What changed since the list was last checked. */
export function ChangesPanel({ job: { id, earlier_id: earlierId = '' } }: { job: AppJob }) {
  const changes = useAnswer(`changes ${id}`, (signal) => call('listChanges', { id, signal }));
  return (
    <RemoteContent remote={changes}>
      {({ changed, same, moves, earlier_at: at, rows }) => (
        <Panel
          title="What changed since last time"
          aside={
            <Link to={`/lists/${encodeURIComponent(earlierId)}`}>
              Checked before <RelativeTime at={at} />
            </Link>
          }
        >
          <p>
            {changed === 0
              ? `Nothing: ${formatAmount(same, 'address has', 'addresses have')} the same verdict.`
              : `${formatAmount(changed, 'address', 'addresses')} changed, ${formatNumber(same)} did not: ${movesText(moves)}.`}
          </p>
          {rows.length > 0 && <Table caption="Changed addresses" stacks columns={columns} rows={rows} />}
          {rows.length < changed && <p class="muted">The first {formatNumber(rows.length)} are shown.</p>}
        </Panel>
      )}
    </RemoteContent>
  );
}

function movesText(moves: Changes['moves']): string {
  return Object.entries(moves)
    .sort(([, one], [, other]) => other - one)
    .map(([move, count]) => `${formatNumber(count)} ${move.replace('→', ' → ')}`)
    .join(', ');
}
