import type { ComponentChildren, ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { unitOf } from '../../../model/job.js';
import { renderDueTime, renderDuration, renderTimeLeft } from '../../../model/text/time.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { ListCharts } from '../../../report/components/list-charts.js';
import { StatusBar, StatusTotals, toCountByStatus } from '../../../report/components/status-bar.js';
import type { AppJob } from '../../../wire/app.js';
import { countUnprobed, isLive, JobBadge, jobName } from '../../parts/job-words.js';
import { PageHead } from '../../parts/page-head.js';
import { RemoteContent } from '../../parts/remote-content.js';
import { RelativeTime } from '../../parts/time.js';
import type { PageProps } from '../../router.js';
import { call } from '../../server/call.js';
import { useAnswer } from '../../server/use-answer.js';
import { ChangesPanel } from './changes-panel.js';
import { Downloads } from './downloads.js';
import { ListActions } from './list-actions.js';
import { NotifyWhenDone, ProgressAnnouncement, percentOf } from './notify.js';
import { RowsPanel } from './rows-panel.js';

const pollIntervalMs = 1_000;
const statsIntervalMs = 5_000;

/** One list: progress, charts, rows and downloads. */
export function ListPage({ id, query }: PageProps) {
  const [isNotified, setIsNotified] = useState(false);
  const job = useAnswer(
    `job ${id}`,
    (signal) => call('getList', { id, signal }),
    (answer) => (isLive(answer) ? pollIntervalMs : null),
    // A hidden page asks for nothing, unless a notification is wanted.
    isNotified,
  );
  return (
    <RemoteContent remote={job}>
      {(answer) => (
        <ListView
          job={answer}
          query={query}
          onRefresh={job.refresh}
          notify={<NotifyWhenDone job={answer} isOn={isNotified} onChange={setIsNotified} />}
        />
      )}
    </RemoteContent>
  );
}

interface ListViewProps extends ComponentProps<typeof ListActions> {
  query: URLSearchParams;
  notify: ComponentChildren;
}

function ListView({ job, query, notify, ...actions }: ListViewProps) {
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
        <ListActions job={job} {...actions} />
      </PageHead>
      <ProgressAnnouncement job={job} />
      <ProgressPanel job={job} />
      <RemoteContent remote={stats}>
        {(answer) => <ListCharts stats={answer.stats} isRunning={isRunning} />}
      </RemoteContent>
      {job.earlier_id !== undefined && !isRunning && <ChangesPanel job={job} />}
      <Downloads job={job} stats={stats.answer} />
      <RowsPanel job={job} query={query} />
    </>
  );
}

function About({ job }: { job: AppJob }) {
  const { total, email_column: column, owner, started_at: started, created_at: created } = job;
  const { email_column_number: columnNumber } = job;
  return (
    <>
      {formatAmount(total ?? 0, unitOf(job))}
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
            {formatNumber(processed)} of {formatAmount(total, unitOf(job))} answered
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
function basisText(job: AppJob): string {
  const { total = 0, processed = 0, empty_count: empty = 0, duplicate_count: duplicates = 0 } = job;
  const unit = unitOf(job);
  const addresses = Math.max(0, processed - empty - duplicates);
  const others = [
    duplicates > 0 ? `${formatAmount(duplicates, unit)} repeat${duplicates === 1 ? 's' : ''} an address` : '',
    empty > 0 ? `${formatAmount(empty, unit)} ${empty === 1 ? 'has' : 'have'} no address` : '',
    processed < total ? `${formatAmount(total - processed, unit)} not answered yet` : '',
  ].filter((text) => text !== '');
  const basis = `Counted here: ${formatAmount(addresses, 'different address', 'different addresses')}`;
  return `${[basis, ...others].join('; ')}.`;
}

function paceText(job: AppJob): string {
  const {
    waiting_count: waiting = 0,
    retry_at: retryAt,
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
    return `${lastRun == null ? 'took' : 'last run took'} ${renderDuration(durationMs)}`;
  }
  const next = retryAt == null ? '' : `, next try ${renderDueTime(retryAt * 1000)}`;
  return [
    waiting > 0 ? `${formatAmount(waiting, 'row')} waiting for a retry${next}` : '',
    rate == null || Math.round(rate) === 0 ? '' : `${formatNumber(Math.round(rate))} a second`,
    eta == null ? '' : `${renderTimeLeft(eta * 1000)} left`,
  ]
    .filter((text) => text !== '')
    .join(' · ');
}
