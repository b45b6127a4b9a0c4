import { Writable } from 'node:stream';
import { sanitize } from './sanitize.js';
import { canShowProgress, type LiveLine, type Sink, type Terminal } from './terminal.js';

/** Changes what the waiting line says. */
type Say = (text: string) => void;

/** Nobody wonders about a pause that short. */
const quietMs = 300;

/** Does the work, and says on a terminal what is being waited for once that takes longer than a moment. */
export async function withSpinner<Result>(
  context: { terminal: Terminal; quiet: boolean; live: LiveLine },
  text: string,
  work: (say: Say) => Promise<Result>,
): Promise<Result> {
  const { stderr } = context.terminal;
  if (!canShowProgress(context)) return work(() => {});
  let shown = sanitize(text);
  let spinner: { text: string; clear(): unknown; stop(): unknown } | null = null;
  let over = false;
  const start = async (): Promise<void> => {
    const { default: ora } = await import('ora');
    if (over) return;
    const opened = ora({ text: shown, stream: streamOf(stderr), discardStdin: false, isEnabled: true, color: 'cyan' });
    spinner = opened;
    context.live.clear = () => opened.clear();
    opened.start();
  };
  const timer = setTimeout(start, quietMs);
  try {
    return await work((next) => {
      shown = sanitize(next);
      if (spinner !== null) spinner.text = shown;
    });
  } finally {
    over = true;
    clearTimeout(timer);
    context.live.clear = null;
    (spinner as { stop(): unknown } | null)?.stop();
  }
}

/** A sink as the stream that ora draws on. */
function streamOf(sink: Sink): NodeJS.WriteStream {
  const write = (text: string): boolean => {
    // A waiting line that cannot be shown is no reason to stop.
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
