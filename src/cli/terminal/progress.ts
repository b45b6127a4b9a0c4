import { Writable } from 'node:stream';
import { type Environment, showsTaskbarProgress } from '../../settings/environment.js';
import { renderNote } from './render-note.js';
import { sanitize } from './sanitize.js';
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

/** The line and the progress: 0..1, null if unknown. */
type RenderProgress = (elapsedMs: number, withBar: boolean) => { line: string; share: number | null };

const redrawMs = 100;
/** The interval of redraws without progress, since a note clears the line and the times change. */
const idleRedrawMs = 500;
/** The interval of plain lines; shorter runs write none. */
const plainLineMs = 30_000;
const clearLine = '\r\x1b[K';
/** Progress in the tab or task bar; null removes it. */
const taskbar = (share: number | null): string =>
  share === null ? '\x1b]9;4;0;\x07' : `\x1b]9;4;1;${Math.floor(share * 100)}\x07`;

/**
 * Opens the line. It shows nothing with --quiet, or if `hidden`. `isPlain`: another program may write to the same
 * terminal, so nothing is redrawn.
 */
export function openProgressLine(
  context: ProgressContext,
  {
    hidden = false,
    isPlain = false,
    now = performance.now.bind(performance),
  }: { hidden?: boolean; isPlain?: boolean; now?: () => number } = {},
): ProgressLine {
  const { live } = context;
  const { stderr } = context.terminal;
  if (context.quiet || hidden) return { show: () => {}, close: async () => {} };
  const start = now();
  const isLive = canShowProgress(context) && !isPlain;
  const hasTaskbar = isLive && showsTaskbarProgress(context.environment ?? {});
  let lastShownAt = isLive ? Number.NEGATIVE_INFINITY : start;
  let isShown = false;
  let isClosed = false;
  // Work continues if progress cannot be written.
  const write = (text: string): Promise<void> => stderr.write(text).catch(() => {});
  let lastRender: RenderProgress | null = null;
  const draw = (render: RenderProgress): void => {
    if (now() - lastShownAt < (isLive ? redrawMs : plainLineMs)) return;
    lastShownAt = now();
    const { line, share } = render(lastShownAt - start, isLive);
    if (!isLive) {
      void write(renderNote('note', line, { json: context.json === true }));
      return;
    }
    isShown = true;
    live.clear = () => void write(clearLine);
    // A colored line is rendered to fit.
    const fitting = line.includes('\x1b') ? line : line.slice(0, Math.max(0, stderr.columns - 1));
    void write(`${clearLine}${fitting}${hasTaskbar && share !== null ? taskbar(share) : ''}`);
  };
  const timer = setInterval(() => lastRender !== null && draw(lastRender), idleRedrawMs);
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
      if (isShown) await write(`${clearLine}${hasTaskbar ? taskbar(null) : ''}`);
      live.clear = null;
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

/** The same items, with a spinner on a terminal until the first one. */
export async function* withSpinnerUntilFirst<Item>(
  context: ProgressContext,
  text: string,
  items: AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    let next = await withSpinner(context, text, () => iterator.next());
    for (; !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
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
