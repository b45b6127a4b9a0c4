import { formatAmount, formatNumber } from '../../model/amount.js';
import { reasonPhrase } from '../../model/text/sentences.js';
import { renderDuration } from '../../model/text/time.js';
import { statuses, statusOf } from '../../model/verdict.js';
import type { RunStats, StatusCounts } from '../../wire/app.js';
import { countOf, rateOfRun } from '../shown-stats.js';
import { ColumnChart } from './column-chart.js';
import { NameTable } from './name-table.js';
import { Panel } from './panel.js';
import { type Reason, Reasons } from './reasons.js';

/** What to do next, and the reasons, domains, providers and times of a list: on its page and in its report. */
export function ListCharts({ stats, isRunning = false }: { stats: RunStats; isRunning?: boolean }) {
  const { reasons, domains, providers, timeline } = stats;
  return (
    <>
      {!isRunning && <NextSteps steps={nextSteps(stats)} />}
      <div class="side-by-side">
        <Reasons reasons={reasonsOf(reasons)} empty={isRunning ? 'No answers with a reason yet.' : undefined} />
        <NameTable
          title="Domains"
          kind="Domain"
          counts={domains}
          empty={isRunning ? 'No domains yet.' : 'No domains.'}
        />
      </div>
      {(providers.names.length > 0 || timeline.answered.length > 1) && (
        <div class="side-by-side">
          {providers.names.length > 0 && (
            <NameTable title="Mail providers" kind="Provider" counts={providers} empty="" />
          )}
          <TimelinePanel stats={stats} />
        </div>
      )}
    </>
  );
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

/** Advice on a validated list, most useful first. */
function nextSteps({ summary, reasons, suggestions }: RunStats): string[] {
  const { valid_count: valid, invalid_count: invalid, risky_count: risky } = summary;
  const addresses = (number: number): string => formatAmount(number, 'address', 'addresses');
  const unprobed = countOf(reasons, 'not_probed');
  const several = countOf(reasons, 'several_addresses');
  const unknown = summary.unknown_count - several;
  const commonest = reasons.names.find(
    ({ name }) =>
      name !== 'several_addresses' &&
      Object.hasOwn(statusOf, name) &&
      statusOf[name as keyof typeof statusOf] === 'unknown',
  );
  return [
    unprobed > 0
      ? `The ${unprobed === 1 ? 'mailbox' : 'mailboxes'} of ${addresses(unprobed)} ${unprobed === 1 ? 'was' : 'were'} not checked. A server at level smtp checks them.`
      : '',
    invalid > 0
      ? `Remove ${formatAmount(invalid, 'invalid address', 'invalid addresses')}: mail to ${invalid === 1 ? 'it' : 'them'} bounces.`
      : '',
    suggestions.count > 0
      ? `${formatAmount(suggestions.count, 'address looks', 'addresses look')} mistyped. The table below shows the probable spelling; confirm it before you change ${suggestions.count === 1 ? 'it' : 'them'}.`
      : '',
    risky > 0 ? `Review ${formatAmount(risky, 'risky address', 'risky addresses')}, and send with care.` : '',
    unknown > 0
      ? `Check ${formatAmount(unknown, 'unknown address', 'unknown addresses')} again: ${unknown === 1 ? 'it' : 'they'} may be good or bad.${commonest === undefined ? '' : ` The most common reason: ${reasonPhrase(commonest.name, 'unknown')}.`}`
      : '',
    several > 0
      ? `${formatAmount(several, 'cell holds', 'cells hold')} several addresses, which were not checked. Give each address a row of its own.`
      : '',
    valid > 0 && invalid + risky + summary.unknown_count === 0 && unprobed === 0
      ? 'Nothing: all addresses are safe to send to.'
      : '',
  ].filter((step) => step !== '');
}
