import { fstatSync, type Stats, write } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { Failure } from '../../model/failure.js';
import type { Environment } from '../../settings/environment.js';
import { sanitizeScreen } from './sanitize.js';

interface SinkOptions {
  readonly isTty: boolean;
  /** The width now: a terminal may be resized. */
  readonly columns: number;
  readonly color: boolean;
  /** Whether it shows more than ASCII. */
  readonly unicode: boolean;
  readonly descriptor?: number;
  /** True if another process reads it and may write to the same terminal. */
  readonly isPipe?: boolean;
}

/** An output for text or bytes. */
export interface Sink extends SinkOptions {
  /** Resolves when more may be written; rejects with `ClosedPipe` if the reader has closed it. */
  write(data: string | Uint8Array): Promise<void>;
}

/** The three streams of a command. stdout is data; stderr is notes, progress and errors. */
export interface Terminal {
  readonly stdin: {
    readonly isTty: boolean;
    /** True for a pipe, a file or a socket. */
    readonly isPiped: boolean;
    /** True for a device such as /dev/null, as in a cron job. */
    readonly isNullDevice: boolean;
    readonly stream: Readable;
    readonly descriptor?: number;
  };
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/** The reader has closed its end, as `head` does. The program ends with status 0. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/** Writes to a stream with backpressure. */
export function streamSink(stream: Writable, options: SinkOptions): Sink {
  let failure: Error | null = null;
  let waiters: ((error: Error | null) => void)[] = [];
  const wake = (error: Error | null): void => {
    const resumed = waiters;
    waiters = [];
    for (const resume of resumed) resume(error);
  };
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure = outputFailure(error, options.isTty);
    wake(failure);
  });
  stream.on('close', () => {
    failure ??= new ClosedPipe('The output was closed.');
    wake(failure);
  });
  stream.on('drain', () => wake(null));
  const write: Sink['write'] = async (data) => {
    if (failure !== null) throw failure;
    if (data.length === 0) return;
    try {
      if (stream.write(data)) return;
    } catch (error) {
      // A stream of a file writes synchronously, and throws its errors.
      throw outputFailure(error as NodeJS.ErrnoException, options.isTty);
    }
    await new Promise<void>((resolve, reject) => {
      waiters.push((error) => (error === null ? resolve() : reject(error)));
    });
  };
  return adaptSink(options, { write });
}

/** A sink with some changes. Its width follows the terminal; in a copy it would stay as it was. */
export function adaptSink<Options extends SinkOptions, Change>(options: Options, change: Change): Options & Change {
  return {
    ...options,
    ...change,
    get columns() {
      return options.columns;
    },
  };
}

/** Writes to a descriptor without a Node stream, which takes longer to create than vetting an address. */
export function descriptorSink(descriptor: number, color: boolean, unicode: boolean): Sink {
  return {
    descriptor,
    isTty: false,
    isPipe: statDescriptor(descriptor)?.isFile() === false,
    columns: 80,
    color,
    unicode,
    write: async (data) => {
      let remaining: Uint8Array = typeof data === 'string' ? Buffer.from(data) : data;
      while (remaining.length > 0) remaining = remaining.subarray(await writeSome(descriptor, remaining));
    },
  };
}

/** The wait after EAGAIN, for a non-blocking descriptor. */
const retryMs = 5;

function writeSome(descriptor: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, 0, bytes.length, null, (error, written) => {
      if (error === null) resolve(written);
      else if (error.code === 'EAGAIN') setTimeout(() => resolve(0), retryMs);
      else reject(outputFailure(error, false));
    });
  });
}

/** True for a file, a pipe or a socket. */
export function isPipedDescriptor(descriptor: number): boolean {
  const stats = statDescriptor(descriptor);
  return stats !== null && (stats.isFile() || stats.isFIFO() || stats.isSocket());
}

/** True if `descriptorSink` can write to it; Windows does not allow that for pipes. */
export function isPlainDescriptor(descriptor: number, platform: string = process.platform): boolean {
  return platform !== 'win32' && isPipedDescriptor(descriptor);
}

/** True for a terminal or a device such as /dev/null. */
export function isDevice(descriptor: number): boolean {
  return statDescriptor(descriptor)?.isCharacterDevice() === true;
}

function statDescriptor(descriptor: number): Stats | null {
  try {
    return fstatSync(descriptor);
  } catch {
    return null;
  }
}

/** The causes of write errors, by their codes. */
export const writeErrors: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file may not grow any larger',
  EIO: 'the disk is failing',
};

function outputFailure(error: NodeJS.ErrnoException, isTty: boolean): Error {
  const { code = error.message } = error;
  // Writing to a closed terminal fails with EIO.
  if (['EPIPE', 'ERR_STREAM_DESTROYED', 'ECONNRESET'].includes(code) || (isTty && code === 'EIO')) {
    return new ClosedPipe('The reader of the output went away.');
  }
  return new Failure('storage', `The output cannot be written: ${writeErrors[code] ?? code}.`, {
    hint: 'Free some space, or write elsewhere.',
    cause: error,
  });
}

/** Whether to use color: by the preference, otherwise on a terminal only. */
export function resolveColor(preference: 'always' | 'never' | 'auto', isTty: boolean): boolean {
  return preference === 'auto' ? isTty : preference === 'always';
}

/** The terminal of a command. Only text and colors reach a screen; files and pipes get the data unchanged. */
export function commandTerminal(terminal: Terminal, { noColor }: { noColor: boolean }): Terminal {
  const shown = (sink: Sink): Sink => withAsciiSymbols(noColor ? adaptSink(sink, { color: false }) : sink);
  return lazyTerminal(
    terminal.stdin,
    () => shown(terminal.stdout.isTty ? screenSink(terminal.stdout) : terminal.stdout),
    () => shown(terminal.stderr),
  );
}

/** Removes control characters from what is written. */
export function screenSink(sink: Sink): Sink {
  const write: Sink['write'] = (data) => sink.write(sanitizeScreen(textOf(data)));
  return adaptSink(sink, { write });
}

/** Decodes bytes as UTF-8. */
export function textOf(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
}

/** Opens each sink on first use, since that takes milliseconds. */
export function lazyTerminal(stdin: Terminal['stdin'], openStdout: () => Sink, openStderr: () => Sink): Terminal {
  let stdout: Sink | null = null;
  let stderr: Sink | null = null;
  return {
    stdin,
    get stdout() {
      stdout ??= openStdout();
      return stdout;
    },
    get stderr() {
      stderr ??= openStderr();
      return stderr;
    },
  };
}

/** Replacements of the same width for screens that show only ASCII. */
const asciiSymbols: Record<string, string> = { '·': '-', '→': '>', '←': '<', '−': '-', '…': '~', '’': "'", '×': 'x' };

function withAsciiSymbols(sink: Sink): Sink {
  if (sink.unicode || !sink.isTty) return sink;
  const write: Sink['write'] = (data) =>
    sink.write(textOf(data).replace(/[·→←−…’×]/g, (mark) => asciiSymbols[mark] ?? mark));
  return adaptSink(sink, { write });
}

/** The redrawn line on stderr, if there is one. Other writers clear it first. */
export interface LiveLine {
  clear: (() => void) | null;
  /** Prints rows above the line with its next redraw. Rejects if earlier ones could not be written. */
  print?: ((screen: Sink, text: string) => Promise<void>) | null;
}

/** True if progress is redrawn on a terminal. A dumb one cannot clear a line. */
export function canShowProgress({
  quiet,
  terminal,
  environment,
}: {
  quiet: boolean;
  terminal: Terminal;
  environment?: Environment;
}): boolean {
  return !quiet && terminal.stderr.isTty && environment?.['TERM'] !== 'dumb';
}
