import { formatAmount, formatNumber, formatPercent } from '../../model/amount.js';
import type { Counts } from '../../model/result.js';
import { signOf, statusOrder } from '../../model/text/status-sign.js';
import { renderDuration, renderMoment } from '../../model/text/time.js';
import { renderBar } from './style/bar.js';
import { paint, type Style, statusPaint } from './style/paint.js';

interface Progress {
  answered: number;
  /** Null if unknown. */
  total: number | null;
  /** The total is not known exactly. */
  isEstimate?: boolean;
  /** Answers per second; by default the average since the start. */
  rate?: number | null;
  /** Addresses that wait for greylisting, and the time of the next retry. */
  waiting?: number;
  nextAt?: number | null;
  counts?: Partial<Counts>;
  remark?: string;
}

const barWidth = 20;

/** `█████░░░ 31% · 12,000 of 38,400 · ✔ 9,000 ▲ 1,000 ✖ 1,500 ? 500 · 4,000/s · 7 s left`; the counts only if they fit. */
export function renderProgress(
  progress: Progress,
  elapsedMs: number,
  style: Style,
  { withBar = true }: { withBar?: boolean } = {},
): string {
  const [first = '', ...others] = renderParts(progress, elapsedMs, withBar ? style : null);
  const plain = [first, ...others].join(' · ');
  const { counts = {} } = progress;
  const countTexts = statusOrder.map((status) => ({
    status,
    text: `${signOf(status, style.unicode)} ${formatNumber(counts[`${status}_count`] ?? 0)}`,
  }));
  const width = countTexts.reduce((sum, { text }) => sum + text.length + 1, ' · '.length - 1);
  if (progress.counts === undefined || plain.length + width >= style.columns) return plain;
  const chalk = paint(style.color);
  const coloredCounts = countTexts.map(({ status, text }) => statusPaint(chalk, status)(text)).join(' ');
  return [first, coloredCounts, ...others].join(' · ');
}

function renderParts(progress: Progress, elapsedMs: number, bar: { unicode: boolean } | null): string[] {
  const { answered, total, isEstimate = false, waiting = 0, nextAt, remark } = progress;
  const rate = progress.rate ?? (elapsedMs > 0 ? (answered * 1000) / elapsedMs : 0);
  const parts: string[] = [];
  if (total === null) {
    parts.push(formatAmount(answered, 'row'));
  } else {
    const share = total === 0 ? 1 : Math.min(1, answered / total);
    const done = formatPercent(Math.floor(share * 100) / 100);
    const barText = bar === null ? '' : `${renderBar(share, barWidth, bar.unicode)} `;
    parts.push(`${barText}${done} · ${formatNumber(answered)} of ${isEstimate ? '~' : ''}${formatNumber(total)}`);
  }
  if (rate > 0) parts.push(`${formatNumber(Math.round(rate))}/s`);
  // Greylisted addresses are not answered at this rate.
  const unanswered = total === null ? 0 : total - answered - waiting;
  if (unanswered > 0 && rate > 0) parts.push(`${renderDuration((unanswered * 1000) / rate)} left`);
  if (waiting > 0) {
    const next = nextAt == null ? '' : `next ${renderMoment(nextAt)}; `;
    parts.push(
      `${formatNumber(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for greylisting (${next}Ctrl-C stops waiting and keeps the results)`,
    );
  }
  if (remark !== undefined) parts.push(remark);
  return parts;
}
