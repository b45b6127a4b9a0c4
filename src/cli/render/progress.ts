import { formatAmount, formatNumber, formatPercent } from '../../model/amount.js';
import type { Counts } from '../../model/result.js';
import { signOf, statusOrder } from '../../model/text/status-sign.js';
import { renderDueTime, renderTimeLeft } from '../../model/text/time.js';
import { secondsLeft } from '../../model/time-left.js';
import { renderBar } from './style/bar.js';
import { paint, type Style, statusPaint } from './style/paint.js';

interface Progress {
  answered: number;
  /** Null if unknown. */
  total: number | null;
  /** True if the total is an estimate. */
  isEstimate?: boolean;
  /** Answers of an earlier run, which the rate leaves out. */
  reused?: number;
  /** Answers per second; by default the average since the start. */
  rate?: number;
  /** The time left if it is known; null for none. By default it follows from the rate. */
  leftMs?: number | null;
  /** Addresses that wait for a retry, and the time of the next one. */
  waiting?: number;
  nextAt?: number | null;
  counts?: Partial<Counts> & { empty_count?: number };
  remark?: string;
}

/** Some terminals wrap a full line, and Ctrl-C adds `^C` to it, which must not move the cursor to the next line. */
const freeColumns = 3;

const barWidths = { wide: 20, narrow: 10, none: 0 };

/** The layouts of the line, from the widest to the narrowest. The time of the next retry is in all of them. */
const layouts: readonly Layout[] = [
  { bar: 'wide', counts: true, rate: true, longWait: true },
  { bar: 'narrow', counts: true, rate: true, longWait: true },
  { bar: 'wide', counts: false, rate: true, longWait: true },
  { bar: 'narrow', counts: true, rate: true, longWait: false },
  { bar: 'wide', counts: false, rate: true, longWait: false },
  { bar: 'narrow', counts: false, rate: true, longWait: false },
  { bar: 'none', counts: false, rate: true, longWait: false },
  { bar: 'none', counts: false, rate: false, longWait: false },
  { bar: 'none', counts: false, rate: false, longWait: false, percent: false },
];

interface Layout {
  bar: keyof typeof barWidths;
  counts: boolean;
  rate: boolean;
  longWait: boolean;
  percent?: false;
}

interface Part {
  text: string;
  /** The text with color. */
  painted?: string;
}

/**
 * `█████░░░ 31% · 12,000 of 38,400 · ✔ 9,000 ▲ 1,000 ✖ 1,500 ? 500 · 4,000/s · 7 s left`. On a narrow screen the counts,
 * then the bar, then the rate are left out.
 */
export function renderProgress(
  progress: Progress,
  elapsedMs: number,
  style: Style,
  { withBar = true }: { withBar?: boolean } = {},
): string {
  const lines = layouts
    .filter(({ bar }) => withBar || bar === 'none')
    .map((layout) => partsOf(progress, elapsedMs, style, layout));
  const widthOf = (parts: readonly Part[]): number => parts.map(({ text }) => text).join(' · ').length;
  const fitting =
    lines.find((parts) => !withBar || widthOf(parts) <= style.columns - freeColumns) ?? lines.at(-1) ?? [];
  return fitting.map(({ text, painted = text }) => painted).join(' · ');
}

function partsOf(progress: Progress, elapsedMs: number, style: Style, layout: Layout): Part[] {
  const { answered, total, isEstimate = false, waiting = 0, remark, reused = 0 } = progress;
  const rate = progress.rate ?? (elapsedMs > 0 ? ((answered - reused) * 1000) / elapsedMs : 0);
  const parts: Part[] = [];
  if (total === null) {
    parts.push({ text: formatAmount(answered, 'row') });
  } else {
    const share = total === 0 ? 1 : Math.min(1, answered / total);
    const done = layout.percent === false ? '' : `${formatPercent(Math.floor(share * 100) / 100)} · `;
    const bar = layout.bar === 'none' ? '' : `${renderBar(share, barWidths[layout.bar], style.unicode)} `;
    const ofAll = `${formatNumber(answered)} of ${isEstimate ? '~' : ''}${formatNumber(total)}`;
    parts.push({ text: `${bar}${done}${ofAll}` });
  }
  if (layout.counts && progress.counts !== undefined) parts.push(countsPart(progress.counts, style));
  const onlyWait = waiting > 0 && total !== null && answered + waiting >= total;
  if (layout.rate && rate > 0 && !onlyWait) parts.push({ text: formatRate(rate) });
  const leftMs = timeLeftMs(progress, rate, elapsedMs);
  if (leftMs !== null) parts.push({ text: `${isEstimate ? '~' : ''}${renderTimeLeft(leftMs)} left` });
  if (waiting > 0) parts.push({ text: waitText(progress, layout) });
  if (remark !== undefined) parts.push({ text: remark });
  return parts;
}

/** `131/s`, or `20/min` for a slow one. */
export function formatRate(perSecond: number): string {
  return perSecond > 0.5
    ? `${formatNumber(Math.round(perSecond))}/s`
    : `${formatNumber(Math.round(perSecond * 60))}/min`;
}

function countsPart(counts: NonNullable<Progress['counts']>, { color, unicode }: Style): Part {
  const chalk = paint(color);
  const texts = statusOrder.map((status, at) => ({
    tone: statusPaint(chalk, status),
    text: `${at === 0 ? '' : ' '}${signOf(status, unicode)} ${formatNumber(counts[`${status}_count`] ?? 0)}`,
  }));
  // With these, the counts sum to the number of answered rows.
  const { duplicate_count: duplicates = 0, empty_count: empty = 0 } = counts;
  if (duplicates > 0) texts.push({ tone: chalk.dim, text: ` · ${formatAmount(duplicates, 'duplicate')}` });
  if (empty > 0) texts.push({ tone: chalk.dim, text: ` · ${formatNumber(empty)} empty` });
  return {
    text: texts.map(({ text }) => text).join(''),
    painted: texts.map(({ text, tone }) => tone(text)).join(''),
  };
}

/** Null if it is unknown: at the start, and if rows wait longer, since they are not answered at this rate. */
function timeLeftMs(progress: Progress, rate: number, elapsedMs: number): number | null {
  const { answered, total, waiting = 0, reused = 0, nextAt } = progress;
  const open = (total ?? 0) - answered - waiting;
  const seconds = total === null ? null : secondsLeft({ asked: answered - reused, open, rate, elapsedMs });
  const { leftMs = seconds === null ? null : seconds * 1000 } = progress;
  const endsBeforeRetry = leftMs !== null && waiting > 0 && nextAt != null && Date.now() + leftMs < nextAt;
  return endsBeforeRetry ? null : leftMs;
}

function waitText({ waiting = 0, nextAt }: Progress, { longWait, percent }: Layout): string {
  const reason = percent === false ? '' : ' for a retry';
  const rows = `${formatNumber(waiting)} ${waiting === 1 ? 'waits' : 'wait'}${reason}`;
  const next = nextAt == null ? '' : `next try ${renderDueTime(nextAt)}`;
  if (!longWait) return next === '' ? rows : `${rows}, ${next}`;
  const hint = 'Ctrl-C keeps the answers';
  return `${rows} (${next === '' ? hint : `${next}; ${hint}`})`;
}
