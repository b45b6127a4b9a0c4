import { Readable } from 'node:stream';
import { type Sink, type Terminal, textOf } from '../../src/cli/terminal/terminal.js';

/** A terminal that remembers what was written. */
export interface FakeTerminal extends Terminal {
  out(): string;
  err(): string;
}

/** A terminal in memory; every stream is a TTY by default. */
export function fakeTerminal({
  tty = true,
  stdin = null as string | Buffer | null,
  color = false,
  columns = 80,
  unicode = true,
} = {}): FakeTerminal {
  const written = { out: '', err: '' };
  const sink = (name: 'out' | 'err'): Sink => ({
    isTty: tty,
    columns,
    color,
    unicode,
    write: async (data) => {
      written[name] += textOf(data);
    },
  });
  return {
    stdin: {
      isTty: tty && stdin === null,
      isPiped: stdin !== null,
      isNullDevice: false,
      stream: Readable.from(stdin === null ? [] : [Buffer.from(stdin)]),
    },
    stdout: sink('out'),
    stderr: sink('err'),
    out: () => written.out,
    err: () => written.err,
  };
}
