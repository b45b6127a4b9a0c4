import type { ComponentChildren, ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { renderDueTime, renderDuration, renderTimeLeft } from '../../../model/text/time.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { NameTable } from '../../../report/components/name-table.js';
import { Reasons } from '../../../report/components/reasons.js';
import { StatusBar, StatusTotals, toCountByStatus } from '../../../report/components/status-bar.js';
import type { AppJob, JobStats, NameCount } from '../../../wire/app-jobs.js';
import { countUnprobed, isLive, JobBadge, jobName } from '../../parts/job-words.js';
import { PageHead } from '../../parts/page-head.js';
import { RemoteContent } from '../../parts/remote-content.js';
import { RelativeTime } from '../../parts/time.js';
import { call } from '../../server/call.js';
import { type Remote, useAnswer } from '../../server/use-answer.js';
import { Downloads } from './downloads.js';
import { JobActions } from './job-actions.js';
import { NotifyWhenDone, ProgressAnnouncement, percentOf } from './job-notice.js';
import { RowsPanel } from './rows-panel.js';

const pollIntervalMs = 1_000;
const statsIntervalMs = 5_000;

/** One job: progress, charts, rows and downloads. */
export function JobPage({ id, query }: { id: string; query: URLSearchParams }) {
  const [isNotified, setIsNotified] = useState(false);
  const job = useAnswer(
    `job ${id}`,
    (signal) => call('getJob', { id, signal }),
    (answer) => (isLive(answer) ? pollIntervalMs : null),
    // A hidden page asks for nothing, unless a notification is wanted.
    isNotified,
  );
  return (
    <RemoteContent remote={job}>
      {(answer) => (
        <JobView
          job={answer}
          query={query}
          onChange={job.setAnswer}
          onRefresh={job.refresh}
          notify={<NotifyWhenDone job={answer} isOn={isNotified} onChange={setIsNotified} />}
        />
      )}
    </RemoteContent>
  );
}

interface JobViewProps extends ComponentProps<typeof JobActions> {
  query: URLSearchParams;
  notify: ComponentChildren;
}

function JobView({ job, query, notify, ...actions }: JobViewProps) {
  const isRunning = isLive(job);
  const stats = useAnswer(
    `stats ${job.id} ${isRunning}`,
    (signal) => call('jobStats', { id: job.id, signal }),
    ({ answered }) => (isRunning ? (answered === 0 ? pollIntervalMs : statsIntervalMs) : null),
  );
  return (
    <>
      <PageHead
        title={jobName(job)}
        description={<About job={job} />}
        {...(isRunning && { tabPrefix: `${percentOf(job)}% · ` })}
      >
        {notify}
        <JobActions job={job} {...actions} />
      </PageHead>
      <ProgressAnnouncement job={job} />
      <ProgressPanel job={job} />
      <Downloads job={job} stats={stats.answer} />
      <Charts stats={stats} />
      <RowsPanel job={job} query={query} />
    </>
  );
}

function About({ job }: { job: AppJob }) {
  const { total, email_column: column, owner, started_at: started, created_at: created } = job;
  const { email_column_number: columnNumber } = job;
  return (
    <>
      {formatAmount(total ?? 0, 'row')}
      {column !== undefined && (
        <>
          {' · addresses in “'}
          <UntrustedText text={column} />”{columnNumber !== undefined && ` (column ${columnNumber})`}
        </>
      )}
      {' · '}
      {started == null ? 'created ' : 'started '}
      <RelativeTime at={started ?? created} never="at an unknown time" />
      {' by '}
      <UntrustedText text={owner.name} />
    </>
  );
}

function Charts({ stats }: { stats: Remote<JobStats> }) {
  return (
    <RemoteContent remote={stats}>
      {({ reasons, domains, answered }) => (
        <div class="side-by-side">
          <Reasons reasons={reasons} empty={answered === 0 ? 'No answers yet.' : undefined} />
          <NameTable title="Domains" kind="Domain" {...nameRowsOf(domains)} empty="No domains yet." />
        </div>
      )}
    </RemoteContent>
  );
}

function nameRowsOf({ top, others }: JobStats['domains']) {
  const countsOf = ({ valid, risky, invalid, unknown }: NameCount) => ({ valid, risky, invalid, unknown });
  return {
    names: top.slice(0, 8).map((entry) => ({ name: entry.name, rows: entry.rows, counts: countsOf(entry) })),
    others: top.slice(8).reduce(
      (sum, entry) => ({
        rows: sum.rows + entry.rows,
        names: sum.names + 1,
        counts: {
          valid: sum.counts.valid + entry.valid,
          risky: sum.counts.risky + entry.risky,
          invalid: sum.counts.invalid + entry.invalid,
          unknown: sum.counts.unknown + entry.unknown,
        },
      }),
      { rows: others.rows, names: others.names, counts: countsOf(others) },
    ),
  };
}

/** Progress, waiting rows, and the counts so far. */
function ProgressPanel({ job }: { job: AppJob }) {
  const counts = toCountByStatus(job);
  const { total = 0, processed = 0, empty_count: empty = 0, duplicate_count: duplicates = 0 } = job;
  const error = job.error ?? dnsTroubleOf(job)?.message;
  return (
    <section class="panel" aria-label="Progress">
      <div class="space-between progress-head">
        <p>
          <strong>
            {formatNumber(processed)} of {formatAmount(total, 'row')} answered
          </strong>{' '}
          <JobBadge job={job} />
        </p>
        <p class="muted">{paceText(job)}</p>
      </div>
      <StatusBar counts={counts} total={total - empty - duplicates} />
      <StatusTotals counts={counts} unprobed={countUnprobed(job)} />
      <p class="muted extras">{basisText(job)}</p>
      {error !== undefined && error !== '' && (
        <p class="text-invalid extras">
          <span aria-hidden="true">✖ </span>
          {error}
        </p>
      )}
    </section>
  );
}

/** Says which rows the counts by status include, and which they do not. */
function basisText({
  total = 0,
  processed = 0,
  empty_count: empty = 0,
  duplicate_count: duplicates = 0,
}: AppJob): string {
  const addresses = Math.max(0, processed - empty - duplicates);
  const others = [
    duplicates > 0 ? `${formatAmount(duplicates, 'row')} repeat${duplicates === 1 ? 's' : ''} an address` : '',
    empty > 0 ? `${formatAmount(empty, 'row')} ${empty === 1 ? 'has' : 'have'} no address` : '',
    processed < total ? `${formatAmount(total - processed, 'row')} not answered yet` : '',
  ].filter((text) => text !== '');
  const basis = `Counted here: ${formatAmount(addresses, 'different address', 'different addresses')}`;
  return `${[basis, ...others].join('; ')}.`;
}

function paceText(job: AppJob): string {
  const {
    waiting,
    rows_per_second: rate,
    eta_seconds: eta,
    interrupted,
    finished_at: finished,
    started_at: started,
    last_run_at: lastRun,
  } = job;
  if (interrupted === true) return 'No worker is running it. Resume it to continue.';
  if (!isLive(job)) {
    const durationMs = Date.parse(finished ?? '') - Date.parse(lastRun ?? started ?? '');
    // A canceled job may have waited without a worker before.
    if (Number.isNaN(durationMs) || job.status === 'canceled') return '';
    return `${lastRun === null ? 'took' : 'last run took'} ${renderDuration(durationMs)}`;
  }
  const next = waiting.next_at === null ? '' : `, next try ${renderDueTime(Date.parse(waiting.next_at))}`;
  return [
    waiting.rows > 0 ? `${formatAmount(waiting.rows, 'row')} waiting for a retry${next}` : '',
    rate == null || Math.round(rate) === 0 ? '' : `${formatNumber(Math.round(rate))} a second`,
    eta == null ? '' : `${renderTimeLeft(eta * 1000)} left`,
  ]
    .filter((text) => text !== '')
    .join(' · ');
}
