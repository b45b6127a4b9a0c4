import { Writable } from 'node:stream';
import type { Environment } from '../../settings/environment.js';
import { sanitize } from './sanitize.js';
import { renderNote } from './stderr-lines.js';
import { canShowProgress, type LiveLine, type Sink, type Terminal } from './terminal.js';

interface ProgressContext {
  terminal: Terminal;
  environment?: Environment;
  quiet: boolean;
  json?: boolean;
  live: LiveLine;
}

/** Shows progress on stderr: redraws one line on a terminal, and writes a plain line now and then elsewhere. */
interface ProgressLine {
  /** Calls `render` only if the line is due, and again from time to time; with a bar on a terminal. */
  show(render: RenderProgress): void;
  close(): Promise<void>;
}

type RenderProgress = (elapsedMs: number, withBar: boolean) => string;

const redrawMs = 100;
/** The interval of redraws without progress, since the times change. */
const idleRedrawMs = 500;
/** Below rows, the line is first shown after this time, so that short runs do not flicker. */
const belowRowsDelayMs = 300;
/** The interval of plain lines; shorter runs write none. */
const plainLineMs = 30_000;
const clearLine = '\r\x1b[K';

/**
 * Opens the line. It shows nothing with --quiet, or if `hidden`. `isPlain`: another program may write to the same
 * terminal, so nothing is redrawn. `belowRows`: rows are printed above the line, which is on terminals only.
 */
export function openProgressLine(
  context: ProgressContext,
  {
    hidden = false,
    isPlain = false,
    belowRows = false,
    now = performance.now.bind(performance),
  }: { hidden?: boolean; isPlain?: boolean; belowRows?: boolean; now?: () => number } = {},
): ProgressLine {
  const { live } = context;
  const { stderr } = context.terminal;
  if (context.quiet || hidden || (belowRows && !stderr.isTty)) return { show: () => {}, close: async () => {} };
  const start = now();
  const isLive = canShowProgress(context) && !isPlain;
  const delayMs = belowRows ? belowRowsDelayMs : 0;
  let lastShownAt = isLive ? start + delayMs - redrawMs : start;
  let isShown = false;
  let isClosed = false;
  /** True if the line was cleared, or rows wait to be printed above it. */
  let isStale = false;
  let rows = '';
  let screen: Sink | null = null;
  let printed: Promise<void> = Promise.resolve();
  // Work continues if progress cannot be written.
  const write = (text: string): Promise<void> => stderr.write(text).catch(() => {});
  const clear = (): void => {
    isStale = true;
    void write(clearLine);
    if (rows === '' || screen === null) return;
    printed = screen.write(rows);
    // Reported with the next rows, or at the end.
    printed.catch(() => {});
    rows = '';
  };
  /** Rows are written together with the next redraw: one by one, each would make the line flicker. */
  const print: LiveLine['print'] = (target, text) => {
    screen = target;
    rows += text;
    isStale = true;
    return printed;
  };
  let lastRender: RenderProgress | null = null;
  const draw = (render: RenderProgress): void => {
    if (now() - lastShownAt < (isLive ? redrawMs : plainLineMs)) return;
    lastShownAt = now();
    const line = render(lastShownAt - start, isLive);
    if (!isLive) {
      void write(renderNote('note', line, { json: context.json === true }));
      return;
    }
    if (rows !== '') clear();
    isShown = true;
    isStale = false;
    live.clear = clear;
    live.print = print;
    // A colored line is rendered to fit.
    const fitting = line.includes('\x1b') ? line : line.slice(0, Math.max(0, stderr.columns - 1));
    void write(`${clearLine}${fitting}`);
  };
  const timer = setInterval(() => {
    const isDue = !isShown || isStale || now() - lastShownAt >= idleRedrawMs;
    if (lastRender !== null && isDue) draw(lastRender);
  }, redrawMs);
  timer.unref();
  return {
    show: (render) => {
      // Work that was stopped may report once more.
      if (isClosed) return;
      lastRender = render;
      draw(render);
    },
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      if (!isLive) return;
      live.print = null;
      if (rows !== '') clear();
      if (isShown) await write(clearLine);
      live.clear = null;
      await printed;
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
    (spinner as { stop(): unknown } | null)?.stop();
    context.live.clear = null;
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
  Object.defineProperty(stream, 'columns', { get: () => sink.columns });
  return Object.assign(stream, {
    isTTY: true,
    write,
    clearLine: () => write('\x1b[2K'),
    cursorTo: (column: number) => write(`\x1b[${column + 1}G`),
    moveCursor: (_across: number, down: number) => (down < 0 ? write(`\x1b[${-down}A`) : true),
  }) as unknown as NodeJS.WriteStream;
}
