import { amount, count } from '../../model/amount.js';
import type { RowSource } from '../../rows/rows.js';
import type { Terminal } from './terminal.js';

/** A line on stderr that says how far a run is. */
export interface Progress {
  update(rows: number): void;
  close(): Promise<void>;
}

const everyMs = 150;
const clearLine = '\r\x1b[K';

/** Shows rows, rate and time left, where stderr is a terminal that the rows themselves do not go to. */
export function openProgress(
  { terminal, quiet }: { terminal: Terminal; quiet: boolean },
  source: Pick<RowSource, 'totalBytes' | 'bytesRead'>,
  rowsOnTerminal: boolean,
  now: () => number = performance.now.bind(performance),
): Progress {
  const { stderr } = terminal;
  if (quiet || !stderr.isTty || rowsOnTerminal) return { update: () => {}, close: async () => {} };
  const start = now();
  let last = start;
  let shown = false;
  return {
    update: (rows) => {
      if (now() - last < everyMs) return;
      last = now();
      shown = true;
      const line = renderProgress(rows, last - start, source.bytesRead(), source.totalBytes);
      // Progress that cannot be shown is no reason to stop.
      stderr.write(`${clearLine}${line.slice(0, Math.max(0, stderr.columns - 1))}`).catch(() => {});
    },
    close: async () => {
      if (shown) await stderr.write(clearLine).catch(() => {});
    },
  };
}

/** `12,000 rows · 4,000/s · 31 % · 0:27 left`. */
export function renderProgress(rows: number, elapsedMs: number, bytes: number, totalBytes: number | null): string {
  const rate = elapsedMs > 0 ? Math.round((rows * 1000) / elapsedMs) : 0;
  const parts = [amount(rows, 'row'), `${count(rate)}/s`];
  if (totalBytes !== null && totalBytes > 0 && bytes > 0) {
    const share = Math.min(1, bytes / totalBytes);
    parts.push(`${Math.floor(share * 100)} %`, `${clock((elapsedMs * (1 - share)) / share)} left`);
  }
  return parts.join(' · ');
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60) % 60;
  const hours = Math.floor(seconds / 3600);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
