import { formatAmount, formatNumber } from '../model/amount.js';
import { safeText } from '../model/text/safe-text.js';
import { explainSubStatus } from '../model/text/sentences.js';
import { statusOrder } from '../model/text/status-sign.js';
import { renderDuration, renderMoment } from '../model/text/time.js';
import { type Status, statuses, statusOf } from '../model/verdict.js';
import type { BadRow, BadRows } from './bad-rows.js';
import { ColumnChart } from './components/column-chart.js';
import { UntrustedText } from './components/domain-name.js';
import { NameTable } from './components/name-table.js';
import { Panel, Table } from './components/panel.js';
import { type Reason, Reasons } from './components/reasons.js';
import { StatusBadge, StatusBar, StatusTotals, toCountByStatus } from './components/status-bar.js';
import { countSeveralAddresses, countUnprobed, type RunStats, rateOfRun } from './run-stats.js';
import type { StatusCounts } from './status-counts.js';

const maxNames = 10;

export function ReportPage({ stats }: { stats: RunStats }) {
  const { summary, domains, providers, bad } = stats;
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
        <StatusTotals counts={counts} unprobed={countUnprobed(stats.reasons)} />
      </section>
      <NextSteps steps={nextSteps(stats)} />
      <div class="side-by-side">
        <Reasons reasons={reasonsOf(stats.reasons)} />
        <NameTable title="Domains" kind="Domain" {...nameRowsOf(domains)} empty="No domains." />
      </div>
      <div class="side-by-side">
        {providers.names.length > 0 && (
          <NameTable title="Mail providers" kind="Provider" {...nameRowsOf(providers)} empty="" />
        )}
        <TimelinePanel stats={stats} />
      </div>
      <BadTable bad={bad} />
    </main>
  );
}

function Head({ stats: { list, startedAt, endedAt, isLastRun = false, hasDuration = true } }: { stats: RunStats }) {
  const took = `${isLastRun ? 'last run took' : 'took'} ${renderDuration(endedAt - startedAt)}`;
  return (
    <div class="head">
      <div>
        <h1>
          <UntrustedText text={list.name ?? 'A list'} />
        </h1>
        <p>
          {list.columns.length > 0 && (
            <>
              Addresses in “<UntrustedText text={list.columns.join(', ')} />” ·{' '}
            </>
          )}
          {renderMoment(endedAt, 0)}
          {hasDuration && ` · ${took}`}
        </p>
      </div>
      <button type="button" class="theme-button" id="theme" hidden>
        Switch theme
      </button>
    </div>
  );
}

function extrasText({ summary }: RunStats): string {
  const { duplicate_count: duplicates, empty_count: empty, unanswered_count: unanswered } = summary;
  return [
    duplicates > 0 ? formatAmount(duplicates, 'duplicate') : '',
    empty > 0 ? `${formatAmount(empty, 'row')} without an address` : '',
    unanswered > 0 ? `${formatAmount(unanswered, 'address', 'addresses')} without an answer` : '',
    summary.incomplete ? 'the run was interrupted' : '',
  ]
    .filter((text) => text !== '')
    .join(' · ');
}

function NextSteps({ steps }: { steps: readonly string[] }) {
  if (steps.length === 0) return null;
  return (
    <Panel title="What to do next">
      <ul class="next-steps">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
    </Panel>
  );
}

/** A reason may belong to several statuses. Plain `valid` is left out. */
function reasonsOf({ names }: StatusCounts): Reason[] {
  return names
    .filter(({ name }) => name !== '')
    .flatMap((entry) => statuses.map((status): Reason => ({ code: entry.name, status, count: entry[status] })))
    .filter(({ count: rows }) => rows > 0)
    .sort((one, other) => other.count - one.count);
}

function nameRowsOf({ names, dropped }: StatusCounts) {
  const counts = { valid: 0, risky: 0, invalid: 0, unknown: 0 };
  const otherNames = names.slice(maxNames);
  for (const entry of otherNames) for (const status of statusOrder) counts[status] += entry[status];
  const rows = otherNames.reduce((sum, { total }) => sum + total, dropped);
  return {
    names: names.slice(0, maxNames).map((entry) => ({ name: entry.name, rows: entry.total, counts: entry })),
    others: { rows, names: dropped > 0 ? null : otherNames.length, counts: dropped > 0 ? null : counts },
  };
}

/** Hidden for a run whose answers came all at once. */
function TimelinePanel({ stats }: { stats: RunStats }) {
  const { startedAt, endedAt } = stats;
  const { sliceMs, answered } = stats.timeline;
  if (answered.length < 2) return null;
  const durationMs = Math.max(1, endedAt - startedAt);
  const rate = Math.round(rateOfRun(stats) ?? 0);
  const average = rate === 0 ? undefined : <p class="muted">{formatNumber(rate)} a second on average</p>;
  return (
    <Panel title="Timeline" aside={average}>
      <ColumnChart
        label={`Answers in each ${renderDuration(sliceMs)} of the run, which took ${renderDuration(durationMs)}.`}
        columns={answered.map((value, at) => ({
          label: `after ${renderDuration(at * sliceMs)}: ${formatAmount(value, 'answer')}`,
          parts: [{ kind: 'accent', value }],
        }))}
        ends={['start', renderDuration(durationMs)]}
      />
    </Panel>
  );
}

function BadTable({ bad: { rows, total } }: { bad: BadRows }) {
  if (total === 0) {
    return (
      <Panel title="Rows that are not valid">
        <p class="muted">There are none.</p>
      </Panel>
    );
  }
  const capped = rows.length < total;
  return (
    <Panel title="Rows that are not valid" aside={<p class="muted" id="shown" aria-live="polite" />}>
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
      <Table
        caption="Rows that are not valid"
        id="rows"
        head={
          <>
            <th>Address</th>
            <th>Status</th>
            <th>Why</th>
          </>
        }
      >
        {rows.map((row, at) => (
          <BadTableRow key={at} row={row} />
        ))}
      </Table>
      {rows.length > 100 && <p class="muted on-paper">Only the first 100 rows are printed.</p>}
    </Panel>
  );
}

function BadTableRow({ row: { email, status, subStatus, suggestion } }: { row: BadRow }) {
  return (
    <tr>
      <td class="breaks">
        <UntrustedText text={email} />
      </td>
      <td>
        <StatusBadge status={status as Status} />
      </td>
      <td>
        {safeText(explainSubStatus(subStatus, status).means)}
        {suggestion !== null && (
          <>
            {' '}
            Did you mean <UntrustedText text={suggestion} class="breaks" />?
          </>
        )}
      </td>
    </tr>
  );
}

/** Advice on a validated list, most useful first. */
function nextSteps({ summary, reasons, suggestions }: RunStats): string[] {
  const { valid_count: valid, invalid_count: invalid, risky_count: risky } = summary;
  const addresses = (number: number): string => formatAmount(number, 'address', 'addresses');
  const unprobed = countUnprobed(reasons);
  const several = countSeveralAddresses(reasons);
  const unknown = summary.unknown_count - several;
  const commonest = reasons.names.find(
    ({ name }) =>
      name !== 'several_addresses' &&
      Object.hasOwn(statusOf, name) &&
      statusOf[name as keyof typeof statusOf] === 'unknown',
  );
  return [
    unprobed > 0
      ? `The ${unprobed === 1 ? 'mailbox' : 'mailboxes'} of ${addresses(unprobed)} ${unprobed === 1 ? 'was' : 'were'} not checked. Run it again with --level smtp.`
      : '',
    invalid > 0
      ? `Remove ${formatAmount(invalid, 'invalid address', 'invalid addresses')}: mail to ${invalid === 1 ? 'it' : 'them'} bounces.`
      : '',
    suggestions.count > 0
      ? `${formatAmount(suggestions.count, 'address looks', 'addresses look')} mistyped. The table below shows the probable spelling; confirm it before you change ${suggestions.count === 1 ? 'it' : 'them'}.`
      : '',
    risky > 0 ? `Review ${formatAmount(risky, 'risky address', 'risky addresses')}, and send with care.` : '',
    unknown > 0
      ? `Check ${formatAmount(unknown, 'unknown address', 'unknown addresses')} again: ${unknown === 1 ? 'it' : 'they'} may be good or bad.${commonest === undefined ? '' : ` The most common reason: ${explainSubStatus(commonest.name).means}`}`
      : '',
    several > 0
      ? `${formatAmount(several, 'cell holds', 'cells hold')} several addresses, which were not checked. Give each address a row; --input text finds each.`
      : '',
    valid > 0 && invalid + risky + summary.unknown_count === 0 && unprobed === 0
      ? 'Nothing: all addresses are safe to send to.'
      : '',
  ].filter((step) => step !== '');
}
