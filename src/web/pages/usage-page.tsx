import { useState } from 'preact/hooks';
import { formatAmount, formatNumber } from '../../model/amount.js';
import { statusOrder } from '../../model/text/status-sign.js';
import { ColumnChart } from '../../report/components/column-chart.js';
import { DomainName, UntrustedText } from '../../report/components/domain-name.js';
import { type Column, Panel, Table } from '../../report/components/panel.js';
import { Reasons } from '../../report/components/reasons.js';
import { ShareBar, StatusTotals, sumOf } from '../../report/components/status-bar.js';
import type { UsageView } from '../../wire/app.js';
import { PageHead } from '../parts/page-head.js';
import { RemoteContent } from '../parts/remote-content.js';
import { call } from '../server/call.js';
import { useAnswer } from '../server/use-answer.js';

const dayRanges = [7, 30, 90] as const;

/** Usage by day, key and result. */
export function UsagePage() {
  const [days, setDays] = useState<number>(dayRanges[0]);
  const usage = useAnswer(
    `usage ${days}`,
    (signal) => call('usage', { query: { days }, signal }),
    () => 60_000,
  );
  return (
    <>
      <PageHead
        title="Usage"
        description="Counts of each day, in UTC, up to the last one with any. No address is kept for them."
      >
        <fieldset class="chips">
          <legend class="visually-hidden">Days</legend>
          {dayRanges.map((span) => (
            <label key={span} class={span === days ? 'chip chosen' : 'chip'}>
              <input type="radio" name="days" checked={span === days} onChange={() => setDays(span)} />
              {span} days
            </label>
          ))}
        </fieldset>
      </PageHead>
      <RemoteContent remote={usage}>{(view) => <UsageCharts view={view} />}</RemoteContent>
    </>
  );
}

function UsageCharts({ view: { days, owners, reasons, domains } }: { view: UsageView }) {
  const counts = { valid: 0, risky: 0, invalid: 0, unknown: 0 };
  let requests = 0;
  for (const day of days) {
    for (const status of statusOrder) counts[status] += day[status];
    requests += day.requests;
  }
  const addresses = sumOf(counts);
  const ends = [days[0]?.day ?? '', days.at(-1)?.day ?? ''] as const;
  if (addresses === 0 && requests === 0) {
    return (
      <section class="panel empty" aria-label="Usage">
        <p>Nothing was checked in these 90 days.</p>
        <p class="muted">Check an address, upload a list, or give a program an API key.</p>
      </section>
    );
  }
  return (
    <>
      <Panel
        title="Addresses a day"
        aside={
          <p class="muted">
            {formatAmount(addresses, 'address', 'addresses')} · {formatAmount(requests, 'request')}
          </p>
        }
      >
        <ColumnChart
          label={`Addresses of each of ${days.length} days by status: ${statusOrder.map((status) => `${formatNumber(counts[status])} ${status}`).join(', ')}.`}
          columns={days.map((day) => ({
            label: `${day.day}: ${formatAmount(sumOf(day), 'address', 'addresses')}, ${formatAmount(day.requests, 'request')}`,
            parts: statusOrder.map((kind) => ({ kind, value: day[kind] })),
          }))}
          ends={ends}
        />
        <StatusTotals counts={counts} />
      </Panel>
      <Owners owners={owners} dayCount={days.length} />
      <div class="side-by-side">
        <Reasons reasons={reasons} />
        <TopDomains domains={domains} />
      </div>
    </>
  );
}

type Owner = UsageView['owners'][number];

function Owners({ owners, dayCount }: { owners: readonly Owner[]; dayCount: number }) {
  const columns: Column<Owner>[] = [
    {
      ...{ name: 'User or key', class: 'breaks strong' },
      cell: ({ owner }) => (
        <>
          {owner.kind === 'key' && <span class="muted plain">key </span>}
          <UntrustedText text={owner.name} />
        </>
      ),
    },
    { name: 'Addresses', class: 'number', cell: ({ addresses }) => formatNumber(addresses) },
    { name: 'Requests', class: 'number', cell: ({ requests }) => formatNumber(requests) },
    {
      ...{ name: `${dayCount} days`, class: 'spark-cell wide-screen-only' },
      cell: ({ by_day: byDay }) => <Spark values={byDay} />,
    },
  ];
  return (
    <Panel title="Users and keys">
      <Table caption="Usage by user and key" columns={columns} rows={owners} keyOf={({ owner }) => owner.id} />
    </Panel>
  );
}

/** A sparkline of one user or key. */
function Spark({ values }: { values: readonly number[] }) {
  const tallest = Math.max(1, ...values);
  return (
    <svg class="spark" viewBox={`0 0 ${Math.max(1, values.length)} 20`} preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, at) => {
        const height = value === 0 ? 0 : Math.max(1, (value / tallest) * 20);
        return (
          value > 0 && <rect key={at} class="fill-accent" x={at + 0.1} y={20 - height} width="0.8" height={height} />
        );
      })}
    </svg>
  );
}

function TopDomains({ domains }: { domains: UsageView['domains'] }) {
  const largest = Math.max(1, ...domains.map(({ count }) => count));
  const columns: Column<(typeof domains)[number]>[] = [
    { name: 'Domain', class: 'breaks', cell: ({ name }) => <DomainName name={name} /> },
    { name: 'Addresses', class: 'number', cell: ({ count }) => formatNumber(count) },
    { name: 'Share', class: 'bar-cell', cell: ({ count }) => <ShareBar share={count / largest} tone="accent" /> },
  ];
  return (
    <Panel title="Domains">
      <Table
        {...{ caption: 'Most checked domains', hasHead: false, columns, empty: 'No domain was counted.' }}
        rows={domains.slice(0, 8)}
      />
    </Panel>
  );
}
