import { amount, count } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { renderDuration, renderMoment } from '../../../model/text/time.js';
import { byStatus, StatusBar } from '../../../report/components/status-bar.js';
import { StatusTotals } from '../../../report/components/status-totals.js';
import type { AppJob } from '../../../wire/app-jobs.js';
import { isLive, JobBadge, unprobedIn } from '../../parts/job-words.js';

/** Progress, waiting rows, and the counts so far. */
export function ProgressPanel({ job }: { job: AppJob }) {
  const counts = byStatus(job);
  const { total = 0, processed = 0, empty_count: empty = 0, duplicate_count: duplicates = 0 } = job;
  const error = job.error ?? dnsTroubleOf(job)?.message;
  const beside = [
    duplicates > 0 ? amount(duplicates, 'duplicate') : '',
    empty > 0 ? `${amount(empty, 'row')} without an address` : '',
  ].filter((text) => text !== '');
  return (
    <section class="panel" aria-label="Progress">
      <div class="apart progress-head">
        <p>
          <strong>
            {count(processed)} of {count(total)} answered
          </strong>{' '}
          <JobBadge job={job} />
        </p>
        <p class="muted">{paceText(job)}</p>
      </div>
      <StatusBar counts={counts} of={total - empty - duplicates} />
      <StatusTotals counts={counts} unprobed={unprobedIn(job)} />
      {beside.length > 0 && <p class="muted beside">Beside these: {beside.join(', ')}.</p>}
      {error !== undefined && error !== '' && (
        <p class="text-invalid beside">
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
  if (interrupted === true) return 'Nobody works on it. Resume it to go on.';
  if (!isLive(job)) {
    const tookMs = Date.parse(finished ?? '') - Date.parse(started ?? '');
    return Number.isNaN(tookMs) ? '' : `took ${renderDuration(tookMs)}`;
  }
  const next = waiting.next_at === null ? '' : `, next try ${renderMoment(Date.parse(waiting.next_at))}`;
  return [
    waiting.rows > 0 ? `${amount(waiting.rows, 'waits', 'wait')} for greylisting${next}` : '',
    rate == null || rate === 0 ? '' : `${count(Math.round(rate))} a second`,
    eta == null ? '' : `${renderDuration(eta * 1000)} left`,
  ]
    .filter((text) => text !== '')
    .join(' · ');
}
