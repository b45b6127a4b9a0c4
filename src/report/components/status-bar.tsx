import { formatNumber, formatPercent } from '../../model/amount.js';
import { signOf, statusOrder } from '../../model/text/status-sign.js';
import type { Status } from '../../model/verdict.js';

type CountByStatus = Readonly<Record<Status, number>>;

export function sumOf(counts: CountByStatus): number {
  return statusOrder.reduce((sum, status) => sum + counts[status], 0);
}

/** From the counts of a job or a run, any of which may be missing. */
export function toCountByStatus(counts: Partial<Record<`${Status}_count`, number>>): CountByStatus {
  const {
    valid_count: valid = 0,
    risky_count: risky = 0,
    invalid_count: invalid = 0,
    unknown_count: unknown = 0,
  } = counts;
  return { valid, risky, invalid, unknown };
}

/** A bar of the four statuses. If `total` is more than their sum, the rest of the bar is empty. */
export function StatusBar({ counts, total = 0 }: { counts: CountByStatus; total?: number }) {
  const whole = Math.max(sumOf(counts), total, 1);
  let offset = 0;
  const parts = statusOrder.map((status) => {
    const width = (counts[status] / whole) * 100;
    const x = offset;
    offset += width;
    return width > 0 && <rect key={status} class={`fill-${status}`} x={x} y="0" width={width} height="10" />;
  });
  const words = statusOrder.map((status) => `${formatNumber(counts[status])} ${status}`).join(', ');
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={words}>
      {parts}
    </svg>
  );
}

export function ShareBar({ share, tone }: { share: number; tone: Status | 'plausible' | 'accent' }) {
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class={`fill-${tone}`} x="0" y="0" width={Math.min(100, Math.max(0, share * 100))} height="10" />
    </svg>
  );
}

/** A status as sign and word; `word` replaces its name. */
export function StatusBadge({ status, word = status }: { status: string; word?: string }) {
  const tone = ['valid', 'risky', 'invalid'].includes(status) ? status : 'unknown';
  return <Badge sign={signOf(status, true)} word={word} tone={tone} />;
}

export function Badge({ sign, word, tone }: { sign: string; word: string; tone: string }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign} </span>
      {word}
    </span>
  );
}

/** The four counts with their shares. Without a mailbox check for any of them, `valid` has no tick. */
export function StatusTotals({ counts, unprobed = 0 }: { counts: CountByStatus; unprobed?: number }) {
  const whole = sumOf(counts);
  return (
    <dl class="totals">
      {statusOrder.map((status) => (
        <div key={status}>
          <dt>
            {status === 'valid' && unprobed > 0 && unprobed === counts.valid ? (
              <Badge sign="~" word="plausible, not probed" tone="plausible" />
            ) : (
              <StatusBadge status={status} />
            )}
          </dt>
          <dd>{formatNumber(counts[status])}</dd>
          <dd>
            {shareText(counts[status], whole)}
            {status === 'valid' && unprobed > 0 && unprobed < counts.valid && ` · ${formatNumber(unprobed)} not probed`}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A percentage for people: never "0%" for something, nor "100%" for less than all. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const share = part / whole;
  if (part > 0 && share < 0.005) return '< 1%';
  if (part < whole && share >= 0.995) return '> 99%';
  return formatPercent(share);
}
