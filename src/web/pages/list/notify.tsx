import { useEffect, useRef, useState } from 'preact/hooks';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { safeText } from '../../../model/text/safe-text.js';
import type { AppJob } from '../../../wire/app.js';
import { Button } from '../../parts/button.js';
import { isLive, jobName } from '../../parts/job-words.js';

/** The share of answered rows in percent, rounded down. */
export function percentOf({ processed = 0, total = 0 }: AppJob): number {
  return total === 0 ? 0 : Math.floor((processed / total) * 100);
}

/** Announces every quarter and the end to screen readers. */
export function ProgressAnnouncement({ job }: { job: AppJob }) {
  const [wasLive] = useState(isLive(job));
  const quarter = Math.floor(percentOf(job) / 25) * 25;
  return (
    <p class="visually-hidden" role="status">
      {wasLive && (isLive(job) ? quarter > 0 && `${quarter}% answered` : endText(job))}
    </p>
  );
}

/** Offers a notification of the browser at the end of a running job. */
export function NotifyWhenDone({
  job,
  isOn,
  onChange,
}: {
  job: AppJob;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  const wasLive = useRef(isLive(job));
  useEffect(() => {
    if (isOn && wasLive.current && !isLive(job)) new Notification(safeText(endText(job)), { tag: job.id });
    wasLive.current = isLive(job);
  }, [isOn, job]);
  if (!isLive(job) || !hasNotifications() || Notification.permission === 'denied') return null;
  if (isOn) return <span class="muted">You will be notified.</span>;
  return (
    <Button
      kind="quiet"
      onClick={() => void Notification.requestPermission().then((answer) => onChange(answer === 'granted'))}
    >
      Notify me when done
    </Button>
  );
}

function endText(job: AppJob): string {
  const { status, total = 0, valid_count: valid = 0 } = job;
  if (status !== 'completed') return `${jobName(job)}: ${status}`;
  return `${jobName(job)} is done: ${formatAmount(total, 'row')}, ${formatNumber(valid)} valid`;
}

/** Only pages from https or this machine have notifications. Browsers on Android show those of service workers only. */
function hasNotifications(): boolean {
  return typeof Notification !== 'undefined' && !navigator.userAgent.includes('Android');
}
