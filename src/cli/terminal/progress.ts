import { canShowProgress, type LiveLine, type Sink, type Terminal } from './terminal.js';

/** Says on stderr how far something is: in a line that is redrawn in place or, without a terminal, in a plain line now and then. */
interface ProgressLine {
  /** Draws it anew, unless that was done a moment ago. The text is made only where it is shown; with a bar where it is redrawn. */
  show(render: (elapsedMs: number, withBar: boolean) => string): void;
  close(): Promise<void>;
}

const everyMs = 100;
/** Often enough for who follows a log, and seldom enough for who reads all of it. */
const plainEveryMs = 30_000;
const clearLine = '\r\x1b[K';

/** Opens the line; with --quiet, and where `hidden`, nothing is shown. */
export function openProgressLine(
  context: { terminal: Terminal; quiet: boolean; live: LiveLine },
  { hidden = false, now = performance.now.bind(performance) }: { hidden?: boolean; now?: () => number } = {},
): ProgressLine {
  const { live } = context;
  const { stderr } = context.terminal;
  if (context.quiet || hidden) return { show: () => {}, close: async () => {} };
  const start = now();
  if (!canShowProgress(context)) return plainLines(stderr, start, now);
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
      const line = render(last - start, true);
      // What is painted was made to fit.
      void write(`${clearLine}${line.includes('\x1b') ? line : line.slice(0, Math.max(0, stderr.columns - 1))}`);
    },
    close: async () => {
      live.clear = null;
      if (shown) await write(clearLine);
    },
  };
}

/** A short run says nothing: the first line comes when half a minute is over. */
function plainLines({ write }: Sink, start: number, now: () => number): ProgressLine {
  let last = start;
  return {
    show: (render) => {
      if (now() - last < plainEveryMs) return;
      last = now();
      void write(`note: ${render(last - start, false)}\n`).catch(() => {});
    },
    close: async () => {},
  };
}
