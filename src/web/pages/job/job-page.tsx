import { formatAmount, formatNumber } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { renderDuration, renderMoment } from '../../../model/text/time.js';
import { Foreign } from '../../../report/components/domain-name.js';
import { NameTable } from '../../../report/components/name-table.js';
import { Table } from '../../../report/components/panel.js';
import { Reasons } from '../../../report/components/reasons.js';
import { StatusBar, StatusTotals, toCountByStatus } from '../../../report/components/status-bar.js';
import { appDownloads, appPath } from '../../../wire/app.js';
import type { AppJob, JobStats, NameCount, ResultPart, ResultsQuery } from '../../../wire/app-jobs.js';
import { isLive, JobBadge, jobName, unprobedIn } from '../../parts/job-words.js';
import { PageHead } from '../../parts/page-head.js';
import { RemoteContent } from '../../parts/remote-content.js';
import { Ago } from '../../parts/time.js';
import { call } from '../../server/call.js';
import { type Remote, useAnswer } from '../../server/use-answer.js';
import { JobActions } from './job-actions.js';
import { RowsPanel } from './rows-panel.js';

const pollIntervalMs = 1_000;
const statsIntervalMs = 5_000;

/** One job: progress, charts, rows and downloads. */
export function JobPage({ id }: { id: string }) {
  const job = useAnswer(
    `job ${id}`,
    (signal) => call('getJob', { id, signal }),
    (answer) => (isLive(answer) ? pollIntervalMs : null),
  );
  return (
    <RemoteContent remote={job}>
      {(answer) => <JobView job={answer} onChange={job.setAnswer} onRefresh={job.refresh} />}
    </RemoteContent>
  );
}

function JobView({ job, ...actions }: Parameters<typeof JobActions>[0]) {
  const isRunning = isLive(job);
  const stats = useAnswer(
    `stats ${job.id} ${isRunning}`,
    (signal) => call('jobStats', { id: job.id, signal }),
    () => (isRunning ? statsIntervalMs : null),
  );
  return (
    <>
      <PageHead title={jobName(job)} about={<About job={job} />}>
        <JobActions job={job} {...actions} />
      </PageHead>
      <ProgressPanel job={job} />
      <Charts stats={stats} />
      <RowsPanel job={job} />
      <Downloads job={job} counts={stats.answer?.parts ?? null} />
    </>
  );
}

function About({ job }: { job: AppJob }) {
  const { total, email_column: column, owner, started_at: started, created_at: created } = job;
  return (
    <>
      {formatAmount(total ?? 0, 'row')}
      {column !== undefined && (
        <>
          {' · addresses in “'}
          <Foreign text={column} />”
        </>
      )}
      {' · '}
      {started == null ? 'created ' : 'started '}
      <Ago at={started ?? created} never="at an unknown time" />
      {' by '}
      <Foreign text={owner.name} />
    </>
  );
}

function Charts({ stats }: { stats: Remote<JobStats> }) {
  return (
    <RemoteContent remote={stats}>
      {({ reasons, domains, providers }) => (
        <>
          <div class="side-by-side">
            <Reasons reasons={reasons} />
            <NameTable title="Where" kind="Domain" {...nameRowsOf(domains)} empty="No domain is known yet." />
          </div>
          {providers.top.length > 0 && (
            <NameTable
              title="Mail providers"
              kind="Provider"
              {...nameRowsOf(providers)}
              empty="No provider is known yet."
            />
          )}
        </>
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
  const extras = [
    duplicates > 0 ? formatAmount(duplicates, 'duplicate') : '',
    empty > 0 ? `${formatAmount(empty, 'row')} without an address` : '',
  ].filter((text) => text !== '');
  return (
    <section class="panel" aria-label="Progress">
      <div class="apart progress-head">
        <p>
          <strong>
            {formatNumber(processed)} of {formatNumber(total)} answered
          </strong>{' '}
          <JobBadge job={job} />
        </p>
        <p class="muted">{paceText(job)}</p>
      </div>
      <StatusBar counts={counts} total={total - empty - duplicates} />
      <StatusTotals counts={counts} unprobed={unprobedIn(job)} />
      {extras.length > 0 && <p class="muted extras">Also: {extras.join(', ')}.</p>}
      {error !== undefined && error !== '' && (
        <p class="text-invalid extras">
          <span aria-hidden="true">✖ </span>
          {error}
        </p>
      )}
    </section>
  );
}

function paceText(job: AppJob): string {
  const {
    waiting,
    rows_per_second: rate,
    eta_seconds: eta,
    interrupted,
    finished_at: finished,
    started_at: started,
  } = job;
  if (interrupted === true) return 'No worker is running it. Resume it to continue.';
  if (!isLive(job)) {
    const durationMs = Date.parse(finished ?? '') - Date.parse(started ?? '');
    return Number.isNaN(durationMs) ? '' : `took ${renderDuration(durationMs)}`;
  }
  const next = waiting.next_at === null ? '' : `, next try ${renderMoment(Date.parse(waiting.next_at))}`;
  return [
    waiting.rows > 0 ? `${formatAmount(waiting.rows, 'row')} waiting for greylisting${next}` : '',
    rate == null || rate === 0 ? '' : `${formatNumber(Math.round(rate))} a second`,
    eta == null ? '' : `${renderDuration(eta * 1000)} left`,
  ]
    .filter((text) => text !== '')
    .join(' · ');
}

const parts: { part: ResultPart | null; name: string; about: string }[] = [
  { part: null, name: 'All rows', about: 'every row with its verdict' },
  { part: 'clean', name: 'Clean', about: 'valid: safe to send' },
  { part: 'review', name: 'Review', about: 'risky, unknown, without an address: review them' },
  { part: 'rejected', name: 'Rejects', about: 'invalid: remove them' },
];
const formats = ['csv', 'ndjson', 'json'] as const;

/** Downloads in every format. `counts` is null until the rows are counted. */
function Downloads({ job, counts }: { job: AppJob; counts: JobStats['parts'] | null }) {
  const unprobed = unprobedIn(job);
  return (
    <section class="panel" aria-label="Downloads">
      <h2>Downloads</h2>
      {unprobed > 0 && (
        <p class="beneath">
          <span aria-hidden="true">~ </span>
          For {formatAmount(unprobed, 'address', 'addresses')} the mailbox was not checked. Run the list on a server
          with --level smtp before you rely on them.
        </p>
      )}
      {isLive(job) && <p class="muted beneath">The job is running: unanswered rows are in Review.</p>}
      <Table about="Files to download">
        {parts.map(({ part, name, about }) => (
          <tr key={name}>
            <th scope="row" class="strong">
              {name}
            </th>
            <td class="muted roomy-only">
              {part === 'clean' && unprobed > 0 ? 'valid as far as it was checked' : about}
            </td>
            <td class="number">{rowsText(part === null ? job.total : counts?.[part])}</td>
            <td class="tight links">
              {formats.map((format) => {
                const query: ResultsQuery = { format, ...(part !== null && { part }) };
                return (
                  <a
                    key={format}
                    href={appPath(appDownloads.results, { id: job.id, query: { ...query } })}
                    aria-label={`${name} as ${format.toUpperCase()}`}
                    download
                  >
                    {format.toUpperCase()}
                  </a>
                );
              })}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function rowsText(rows: number | undefined): string {
  return rows === undefined ? '…' : formatNumber(rows);
}
