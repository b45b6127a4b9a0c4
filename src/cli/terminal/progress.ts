import { canShowWaiting, type LiveLine, type Terminal } from './terminal.js';

/** A line on stderr that says how far something is, redrawn in place. */
export interface ProgressLine {
  /** Draws it anew, unless that was done a moment ago. The text is made only where it is shown. */
  show(render: (elapsedMs: number) => string): void;
  close(): Promise<void>;
}

const everyMs = 100;
const clearLine = '\r\x1b[K';

/** Opens the line where somebody looks on; elsewhere, and where `hidden`, nothing is shown. */
export function openProgressLine(
  context: { terminal: Terminal; quiet: boolean; live: LiveLine },
  { hidden = false, now = performance.now.bind(performance) }: { hidden?: boolean; now?: () => number } = {},
): ProgressLine {
  const { live } = context;
  const { stderr } = context.terminal;
  if (!canShowWaiting(context) || hidden) return { show: () => {}, close: async () => {} };
  const start = now();
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  // Progress that cannot be shown is no reason to stop.
  const write = (text: string): Promise<void> => stderr.write(text).catch(() => {});
  return {
    show: (render) => {
      if (now() - last < everyMs) return;
      last = now();
      shown = true;
      live.clear = () => void write(clearLine);
      const line = render(last - start);
      // What is painted was made to fit.
      void write(`${clearLine}${line.includes('\x1b') ? line : line.slice(0, Math.max(0, stderr.columns - 1))}`);
    },
    close: async () => {
      live.clear = null;
      if (shown) await write(clearLine);
    },
  };
}
