import { formatAmount, formatNumber, formatPercent } from '../model/amount.js';
import { safeText } from '../model/text/safe-text.js';
import { renderMoment } from '../model/text/time.js';
import { DomainName, UntrustedText } from './components/domain-name.js';
import { type Column, Panel, Table } from './components/panel.js';
import { ReportHead } from './components/report-head.js';
import {
  calibrationScope,
  type Decile,
  type FalseVerdict,
  formatMailedRate,
  formatRate,
  type OutcomeRow,
  type OutcomeStats,
  outcomesIn,
} from './outcome-stats.js';

/** Verdicts against what happened to the mail. */
export function OutcomePage({ stats, endedAt }: { stats: OutcomeStats; endedAt: number }) {
  return (
    <main>
      <ReportHead title="Verdicts and bounces">{renderMoment(endedAt, 0)}</ReportHead>
      <Panel title="Verdicts and what happened">
        <p class="muted">{summaryOf(stats)}</p>
        <OutcomeTable title="Verdict" rows={stats.by_status} stats={stats} />
        <OutcomeTable title="Reason" rows={stats.by_sub_status} stats={stats} />
      </Panel>
      <div class="side-by-side">
        <Calibration stats={stats} />
        <Panel title="Domains with the most hard bounces">
          <OutcomeTable title="Domain" rows={stats.worst_domains} stats={stats} isDomain />
        </Panel>
      </div>
      <Panel title="False verdicts">
        <Table caption="False verdicts" columns={falseColumns} rows={stats.false_verdicts} empty="There are none." />
      </Panel>
    </main>
  );
}

function summaryOf({
  mailed,
  not_vetted,
  not_sent,
  knows_sent,
  false_valid,
  saved_bounces,
  late_bounces,
}: OutcomeStats): string {
  const pieces = [
    formatAmount(mailed, 'address', 'addresses'),
    ...(knows_sent
      ? [
          `false valid: ${formatMailedRate(false_valid, 'valid')}`,
          `saved bounces: ${formatMailedRate(saved_bounces, 'invalid')}`,
        ]
      : []),
    ...(late_bounces.of > 0 ? [`took mail and bounced later: ${formatRate(late_bounces)}`] : []),
    ...(not_vetted > 0 ? [`${formatNumber(not_vetted)} without a verdict`] : []),
    ...(not_sent > 0 ? [`${formatAmount(not_sent, 'bounce')} of other addresses`] : []),
  ];
  return pieces.join(' · ');
}

type OutcomeTableProps = { title: string; rows: readonly OutcomeRow[]; stats: OutcomeStats; isDomain?: boolean };

function OutcomeTable({ title, rows, stats: { knows_sent }, isDomain = false }: OutcomeTableProps) {
  const columns: Column<OutcomeRow>[] = [
    {
      name: title,
      class: 'breaks',
      cell: ({ name }) => (isDomain ? <DomainName name={name} /> : safeText(name)),
    },
    ...outcomesIn(rows).map((outcome) => ({
      ...{ name: outcome.replaceAll('_', ' '), class: 'number' },
      cell: (row: OutcomeRow) => formatNumber(row[outcome]),
    })),
  ];
  const rate: Column<OutcomeRow> = {
    ...{ name: 'Hard bounces (95%)', class: 'number' },
    cell: ({ hard_rate }) => formatRate(hard_rate),
  };
  return (
    <Table
      caption={`Outcomes by ${title.toLowerCase()}`}
      columns={knows_sent ? [...columns, rate] : columns}
      rows={rows}
      empty="There are none."
    />
  );
}

/** Each decile as a point with its interval. For points on the diagonal, the confidence equals the observed rate. */
function Calibration({ stats: { calibration, calibration_error: error } }: { stats: OutcomeStats }) {
  if (error === null) return null;
  const x = (value: number): number => 40 + value * 240;
  const y = (value: number): number => 260 - value * 240;
  const label = `Confidence and what happened. The mean difference is ${formatPercent(error)}.`;
  return (
    <Panel title="Is the confidence right?" aside={<p class="muted">mean difference {formatPercent(error)}</p>}>
      <figure class="figure">
        <svg viewBox="0 0 300 290" role="img" aria-label={label} width="360">
          <line x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} stroke="currentColor" stroke-dasharray="4" opacity="0.5" />
          <path d={`M${x(0)} ${y(1)}V${y(0)}H${x(1)}`} fill="none" stroke="currentColor" opacity="0.5" />
          {calibration.map((decile) => (
            <DecilePoint key={decile.from} decile={decile} x={x(decile.mean_confidence)} y={y} />
          ))}
          <text x="160" y="285" text-anchor="middle" font-size="12" fill="currentColor">
            confidence
          </text>
          <text x="12" y="140" text-anchor="middle" font-size="12" fill="currentColor" transform="rotate(-90 12 140)">
            what happened
          </text>
        </svg>
      </figure>
      <p class="muted">{calibrationScope}</p>
    </Panel>
  );
}

type PointProps = { decile: Decile; x: number; y(value: number): number };

function DecilePoint({ decile: { mean_confidence, right }, x, y }: PointProps) {
  return (
    <g>
      <title>{`confidence ${formatPercent(mean_confidence)}: ${formatRate(right)}`}</title>
      <line x1={x} x2={x} y1={y(right.low)} y2={y(right.high)} stroke="currentColor" stroke-width="2" />
      <circle class="fill-accent" cx={x} cy={y(right.share)} r="4" />
    </g>
  );
}

const falseColumns: Column<FalseVerdict>[] = [
  { name: 'Address', class: 'breaks', cell: ({ address }) => <UntrustedText text={address} /> },
  {
    name: 'Verdict',
    cell: ({ status, sub_status, confidence }) => safeText(`${status} ${sub_status} ${formatPercent(confidence)}`),
  },
  {
    name: 'What happened',
    class: 'breaks',
    cell: ({ outcome, reply }) => (
      <>
        {outcome} <UntrustedText text={reply} />
      </>
    ),
  },
];
