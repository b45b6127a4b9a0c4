import type { Readable, Writable } from 'node:stream';
import { sanitiseScreen } from './sanitise.js';

/** Somewhere that text is written to. */
export interface Sink {
  readonly isTty: boolean;
  readonly columns: number;
  readonly colour: boolean;
  /** Resolves when more may be written; rejects with `ClosedPipe` when nobody reads any more. */
  write(text: string): Promise<void>;
}

/** The three streams of a command. stdout is data; stderr is notes, progress and errors. */
export interface Terminal {
  readonly stdin: { readonly isTty: boolean; readonly stream: Readable };
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/** The reader went away, as `head` does. The program ends quietly. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

export interface SinkOptions {
  isTty: boolean;
  columns: number;
  colour: boolean;
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
    const gone = error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || error.code === 'EIO';
    failed = gone ? new ClosedPipe('The reader of the output went away.') : error;
    wake(failed);
  });
  stream.on('close', () => {
    failed ??= new ClosedPipe('The output was closed.');
    wake(failed);
  });
  stream.on('drain', () => wake(null));
  return {
    ...options,
    write: async (text) => {
      if (failed !== null) throw failed;
      if (text === '') return;
      if (stream.write(text)) return;
      await new Promise<void>((resolve, reject) => {
        waiting.push((error) => (error === null ? resolve() : reject(error)));
      });
    },
  };
}

/** Whether a stream gets colour: what was asked for, else whether it is a terminal. */
export function decideColour(wish: 'always' | 'never' | 'auto', isTty: boolean): boolean {
  return wish === 'auto' ? isTty : wish === 'always';
}

/** The same terminal, for a user who wants no colour. */
export function withoutColour(terminal: Terminal): Terminal {
  const { stdin, stdout, stderr } = terminal;
  return { stdin, stdout: { ...stdout, colour: false }, stderr: { ...stderr, colour: false } };
}

/** The same terminal, where nothing reaches a screen but text and our own colours: data goes to files and pipes as it is. */
export function withSafeScreen(terminal: Terminal): Terminal {
  const { stdout } = terminal;
  if (!stdout.isTty) return terminal;
  return { ...terminal, stdout: { ...stdout, write: (text) => stdout.write(sanitiseScreen(text)) } };
}
