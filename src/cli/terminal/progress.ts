import { Writable } from 'node:stream';
import { sanitize } from './sanitize.js';
import { canShowProgress, type LiveLine, type Sink, type Terminal } from './terminal.js';

interface ProgressContext {
  terminal: Terminal;
  quiet: boolean;
  live: LiveLine;
}

/** Shows progress on stderr: redraws one line on a terminal, and writes a plain line now and then elsewhere. */
interface ProgressLine {
  /** Calls `render` only if the line is due; with a bar on a terminal. */
  show(render: (elapsedMs: number, withBar: boolean) => string): void;
  close(): Promise<void>;
}

const redrawMs = 100;
/** The interval of plain lines; shorter runs write none. */
const plainLineMs = 30_000;
const clearLine = '\r\x1b[K';

/** Opens the line. It shows nothing with --quiet, or if `hidden`. */
export function openProgressLine(
  context: ProgressContext,
  { hidden = false, now = performance.now.bind(performance) }: { hidden?: boolean; now?: () => number } = {},
): ProgressLine {
  const { live } = context;
  const { stderr } = context.terminal;
  if (context.quiet || hidden) return { show: () => {}, close: async () => {} };
  const start = now();
  const isLive = canShowProgress(context);
  let lastShownAt = isLive ? Number.NEGATIVE_INFINITY : start;
  let isShown = false;
  // Work continues if progress cannot be written.
  const write = (text: string): Promise<void> => stderr.write(text).catch(() => {});
  return {
    show: (render) => {
      if (now() - lastShownAt < (isLive ? redrawMs : plainLineMs)) return;
      lastShownAt = now();
      const line = render(lastShownAt - start, isLive);
      if (!isLive) {
        void write(`note: ${line}\n`);
        return;
      }
      isShown = true;
      live.clear = () => void write(clearLine);
      // A colored line is rendered to fit.
      void write(`${clearLine}${line.includes('\x1b') ? line : line.slice(0, Math.max(0, stderr.columns - 1))}`);
    },
    close: async () => {
      if (!isLive) return;
      live.clear = null;
      if (isShown) await write(clearLine);
    },
  };
}

/** No spinner is shown for work that ends sooner. */
const spinnerDelayMs = 300;

/** Shows a spinner on a terminal while `work` runs. `work` can change its text. */
export async function withSpinner<Result>(
  context: ProgressContext,
  text: string,
  work: (show: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  const { stderr } = context.terminal;
  if (!canShowProgress(context)) return work(() => {});
  let currentText = sanitize(text);
  let spinner: { text: string; clear(): unknown; stop(): unknown } | null = null;
  let isOver = false;
  const start = async (): Promise<void> => {
    const { default: ora } = await import('ora');
    if (isOver) return;
    const opened = ora({
      text: currentText,
      stream: streamOf(stderr),
      discardStdin: false,
      isEnabled: true,
      color: 'cyan',
    });
    spinner = opened;
    context.live.clear = () => opened.clear();
    opened.start();
  };
  const timer = setTimeout(start, spinnerDelayMs);
  try {
    return await work((next) => {
      currentText = sanitize(next);
      if (spinner !== null) spinner.text = currentText;
    });
  } finally {
    isOver = true;
    clearTimeout(timer);
    context.live.clear = null;
    (spinner as { stop(): unknown } | null)?.stop();
  }
}

function streamOf(sink: Sink): NodeJS.WriteStream {
  const write = (text: string): boolean => {
    sink.write(text).catch(() => {});
    return true;
  };
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      write(String(chunk));
      done();
    },
  });
  return Object.assign(stream, {
    isTTY: true,
    columns: sink.columns,
    write,
    clearLine: () => write('\x1b[2K'),
    cursorTo: (column: number) => write(`\x1b[${column + 1}G`),
    moveCursor: (_across: number, down: number) => (down < 0 ? write(`\x1b[${-down}A`) : true),
  }) as unknown as NodeJS.WriteStream;
}
