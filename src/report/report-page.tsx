import { formatAmount, formatNumber } from '../model/amount.js';
import { safeText } from '../model/text/safe-text.js';
import { explainSubStatus } from '../model/text/sentences.js';
import { renderDuration, renderMoment } from '../model/text/time.js';
import { statuses } from '../model/verdict.js';
import { UntrustedText } from './components/domain-name.js';
import { ListCharts } from './components/list-charts.js';
import { type Column, Panel, Table } from './components/panel.js';
import { ReportHead } from './components/report-head.js';
import { StatusBadge, StatusBar, StatusTotals, toCountByStatus } from './components/status-bar.js';
import type { RunStats } from './run-stats.js';
import { countOf } from './shown-stats.js';

export function ReportPage({ stats }: { stats: RunStats }) {
  const { summary, bad } = stats;
  const counts = toCountByStatus(summary);
  return (
    <main>
      <Head stats={stats} />
      <section class="panel" aria-label="Totals">
        <p class="totals-line">
          <strong>{formatAmount(summary.total - summary.duplicate_count, 'address', 'addresses')}</strong>
          <span class="muted">{extrasText(stats)}</span>
        </p>
        <StatusBar counts={counts} />
        <StatusTotals counts={counts} unprobed={countOf(stats.reasons, 'not_probed')} />
      </section>
      <ListCharts stats={stats} />
      <BadTable bad={bad} />
    </main>
  );
}

function Head({ stats: { list, startedAt, endedAt, isLastRun = false, hasDuration = true } }: { stats: RunStats }) {
  const took = `${isLastRun ? 'last run took' : 'took'} ${renderDuration(endedAt - startedAt)}`;
  return (
    <ReportHead title={list.name ?? 'A list'}>
      {list.columns.length > 0 && (
        <>
          Addresses in “<UntrustedText text={list.columns.join(', ')} />” ·{' '}
        </>
      )}
      {renderMoment(endedAt, 0)}
      {hasDuration && ` · ${took}`}
    </ReportHead>
  );
}

function extrasText({ summary, list: { emptyUnit = 'row' } }: RunStats): string {
  const { duplicate_count: duplicates, empty_count: empty, unanswered_count: unanswered } = summary;
  return [
    duplicates > 0 ? formatAmount(duplicates, 'duplicate') : '',
    empty > 0 ? `${formatAmount(empty, emptyUnit)} without an address` : '',
    unanswered > 0 ? `${formatAmount(unanswered, 'address', 'addresses')} without an answer` : '',
    summary.incomplete ? 'the run was interrupted' : '',
  ]
    .filter((text) => text !== '')
    .join(' · ');
}

function BadTable({ bad: { rows, total } }: Pick<RunStats, 'bad'>) {
  const title = 'Rows that are not valid';
  const table = <Table caption={title} id="rows" columns={badColumns} rows={rows} empty="There are none." />;
  if (total === 0) return <Panel title={title}>{table}</Panel>;
  const capped = rows.length < total;
  return (
    <Panel title={title} aside={<p class="muted" id="shown" aria-live="polite" />}>
      <p class="muted">
        {formatAmount(total, 'address', 'addresses')}
        {capped && `, of which the first ${formatNumber(rows.length)} are here; the output file has all of them`}.
      </p>
      <div class="filter" id="filter" hidden>
        <label for="search">Search</label>
        <input id="search" type="search" autocomplete="off" spellcheck={false} />
        <label for="status">Status</label>
        <select id="status">
          <option value="">all</option>
          {statuses
            .filter((status) => status !== 'valid')
            .map((status) => (
              <option key={status}>{status}</option>
            ))}
        </select>
      </div>
      {table}
      {rows.length > 100 && <p class="muted on-paper">Only the first 100 rows are printed.</p>}
    </Panel>
  );
}

const badColumns: Column<RunStats['bad']['rows'][number]>[] = [
  { name: 'Address', class: 'breaks', cell: ({ email }) => <UntrustedText text={email} /> },
  { name: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Why',
    cell: ({ status, subStatus, suggestion }) => (
      <>
        {safeText(explainSubStatus(subStatus, status).means)}
        {suggestion !== null && (
          <>
            {' '}
            Did you mean <UntrustedText text={suggestion} class="breaks" />?
          </>
        )}
      </>
    ),
  },
];
