import type { Readable, Writable } from 'node:stream';
import { Failure } from '../../model/failure.js';
import { sanitizeScreen } from './sanitize.js';

/** Something that text or bytes are written to. */
export interface Sink {
  readonly isTty: boolean;
  readonly columns: number;
  readonly color: boolean;
  /** Whether its reader can show more than ASCII. */
  readonly unicode: boolean;
  /** The open file behind it, where there is one. */
  readonly descriptor?: number;
  /** Resolves when more may be written; rejects with `ClosedPipe` when nobody reads any more. */
  write(data: string | Uint8Array): Promise<void>;
}

/** The three streams of a command. stdout is data; stderr is notes, progress and errors. */
export interface Terminal {
  readonly stdin: {
    readonly isTty: boolean;
    /** Whether somebody pipes or redirects something in, rather than leaving it closed or empty. */
    readonly isPiped: boolean;
    /** Whether it is the empty device, as for a job of cron: nobody meant anything to be read. */
    readonly isNullDevice: boolean;
    readonly stream: Readable;
    readonly descriptor?: number;
  };
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/** The text of what is written to a screen. */
export function textOf(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
}

/** The reader went away, as `head` does. The program ends quietly. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

interface SinkOptions {
  descriptor?: number;
  isTty: boolean;
  columns: number;
  color: boolean;
  unicode: boolean;
}

/** A stream as a sink: waits for a slow reader, and notices one that went away. */
export function streamSink(stream: Writable, options: SinkOptions): Sink {
  let failed: Error | null = null;
  let waiting: ((error: Error | null) => void)[] = [];
  const wake = (error: Error | null): void => {
    const woken = waiting;
    waiting = [];
    for (const resume of woken) resume(error);
  };
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failed = outputFailure(error, options.isTty);
    wake(failed);
  });
  stream.on('close', () => {
    failed ??= new ClosedPipe('The output was closed.');
    wake(failed);
  });
  stream.on('drain', () => wake(null));
  return {
    ...options,
    write: async (data) => {
      if (failed !== null) throw failed;
      if (data.length === 0) return;
      if (writeTo(stream, data, options.isTty)) return;
      await new Promise<void>((resolve, reject) => {
        waiting.push((error) => (error === null ? resolve() : reject(error)));
      });
    },
  };
}

/** A file as stdout is written at once, and throws at once. */
function writeTo(stream: Writable, data: string | Uint8Array, isTty: boolean): boolean {
  try {
    return stream.write(data);
  } catch (error) {
    throw outputFailure(error as NodeJS.ErrnoException, isTty);
  }
}

const outputErrors: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file may not grow any larger',
  EIO: 'the disk is failing',
};

const readerIsGone = ['EPIPE', 'ERR_STREAM_DESTROYED', 'ECONNRESET'];

/** What an error of writing means: a reader that went away, or a Failure that says what is in the way. */
export function outputFailure(error: NodeJS.ErrnoException, isTty: boolean): Error {
  const { code = error.message } = error;
  // A terminal that was closed fails as a disk does.
  if (readerIsGone.includes(code) || (isTty && code === 'EIO')) {
    return new ClosedPipe('The reader of the output went away.');
  }
  return new Failure('storage', `The output cannot be written: ${outputErrors[code] ?? code}.`, {
    hint: 'Free some space, or write elsewhere.',
    cause: error,
  });
}

/** Whether a stream gets color: what was asked for, else whether it is a terminal. */
export function resolveColor(wish: 'always' | 'never' | 'auto', isTty: boolean): boolean {
  return wish === 'auto' ? isTty : wish === 'always';
}

/** The same terminal, for a user who wants no color. */
export function withoutColor(terminal: Terminal): Terminal {
  const plain = (sink: Sink): Sink => ({ ...sink, color: false });
  return withSinks(terminal, plain, plain);
}

/** The same terminal, where nothing reaches a screen but text and our own colors: data goes to files and pipes as it is. */
export function withSafeScreen(terminal: Terminal): Terminal {
  const safe = (sink: Sink): Sink =>
    sink.isTty ? { ...sink, write: (data) => sink.write(sanitizeScreen(textOf(data))) } : sink;
  return withSinks(terminal, (stdout) => withAsciiSymbols(safe(stdout)), withAsciiSymbols);
}

/** Changes the sinks when they are first needed: opening one that nobody needs would cost every start milliseconds. */
function withSinks(
  terminal: Terminal,
  changeStdout: (sink: Sink) => Sink,
  changeStderr: (sink: Sink) => Sink,
): Terminal {
  let stdout: Sink | null = null;
  let stderr: Sink | null = null;
  return {
    stdin: terminal.stdin,
    get stdout() {
      stdout ??= changeStdout(terminal.stdout);
      return stdout;
    },
    get stderr() {
      stderr ??= changeStderr(terminal.stderr);
      return stderr;
    },
  };
}

/** Marks of ours, each as wide as what stands for it on a screen that shows only ASCII. */
const asciiSymbols: Record<string, string> = { '·': '-', '→': '>', '←': '<', '−': '-', '…': '~', '’': "'", '×': 'x' };

function withAsciiSymbols(sink: Sink): Sink {
  if (sink.unicode || !sink.isTty) return sink;
  return {
    ...sink,
    write: (data) => sink.write(textOf(data).replace(/[·→←−…’×]/g, (mark) => asciiSymbols[mark] ?? mark)),
  };
}

/** The line on stderr that is redrawn while something is waited for; whoever writes there wipes it first. */
export interface LiveLine {
  clear: (() => void) | null;
}

/** Whether somebody looks on who would like to know what is being waited for. */
export function canShowProgress({ quiet, terminal }: { quiet: boolean; terminal: Terminal }): boolean {
  return !quiet && terminal.stderr.isTty;
}
