import { Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { sanitize } from '../../../src/cli/terminal/sanitize.js';
import {
  ClosedPipe,
  commandTerminal,
  lazyTerminal,
  resolveColor,
  streamSink,
} from '../../../src/cli/terminal/terminal.js';
import { Failure } from '../../../src/model/failure.js';
import { colorPreference } from '../../../src/settings/environment.js';

const options = { isTty: false, columns: 80, color: false, unicode: true };

describe('a sink', () => {
  test('follows the width of its terminal', () => {
    let columns = 80;
    const resized = {
      ...options,
      isTty: true,
      unicode: false,
      get columns() {
        return columns;
      },
    };
    const open = () => streamSink(new Writable(), resized);
    const stdin = { isTty: false, isPiped: false, isNullDevice: true, stream: Readable.from([]) };
    const { stdout, stderr } = commandTerminal(lazyTerminal(stdin, open, open), { noColor: true });
    columns = 45;
    expect([stdout.columns, stderr.columns]).toEqual([45, 45]);
  });

  test('waits for a slow reader', async () => {
    let release = (): void => {};
    const stream = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        release = done;
      },
    });
    let written = false;
    const writing = streamSink(stream, options)
      .write('text')
      .then(() => {
        written = true;
      });
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBe(false);
    release();
    await writing;
    expect(written).toBe(true);
  });

  test.each(['later', 'at once'])('a full disk, reported %s, is a storage Failure', async (when) => {
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const stream = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        if (when === 'at once') throw full;
        done(full);
      },
    });
    const write = streamSink(stream, options).write('a');
    await expect(write).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining('disk is full') });
  });

  test('fails with ClosedPipe on every write after the reader closed it', async () => {
    const stream = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('broken'), { code: 'EPIPE' })),
    });
    const sink = streamSink(stream, options);
    await expect(sink.write('a')).rejects.toBeInstanceOf(ClosedPipe);
    await expect(sink.write('b')).rejects.toBeInstanceOf(ClosedPipe);
  });

  test.each([
    { name: 'of a closed terminal ends the program quietly', isTty: true, want: ClosedPipe },
    { name: 'of a failing disk is a failure', isTty: false, want: Failure },
  ])('EIO $name', async ({ isTty, want }) => {
    const stream = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('broken'), { code: 'EIO' })),
      highWaterMark: 1,
    });
    const sink = streamSink(stream, { isTty, columns: 80, color: false, unicode: true });
    await expect(sink.write('a')).rejects.toBeInstanceOf(want);
  });

  test('passes other errors on', async () => {
    const stream = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('full'), { code: 'ENOSPC' })),
    });
    await expect(streamSink(stream, options).write('a')).rejects.toThrow('full');
  });
});

test.each([
  { name: 'a terminal', environment: {}, tty: true, color: true, unicode: true },
  { name: 'a pipe', environment: {}, tty: false, color: false, unicode: true },
  { name: 'NO_COLOR', environment: { NO_COLOR: '1' }, tty: true, color: false, unicode: true },
  { name: 'an empty NO_COLOR', environment: { NO_COLOR: '' }, tty: true, color: true, unicode: true },
  { name: 'FORCE_COLOR in a pipe', environment: { FORCE_COLOR: '1' }, tty: false, color: true, unicode: true },
  { name: 'FORCE_COLOR=0', environment: { FORCE_COLOR: '0' }, tty: true, color: false, unicode: true },
  { name: 'a dumb terminal', environment: { TERM: 'dumb' }, tty: true, color: false, unicode: true },
])('color: $name', ({ environment, tty, color }) => {
  expect(resolveColor(colorPreference(environment), tty)).toBe(color);
});

test.each([
  { name: 'plain text stays', text: 'a@b.co', want: 'a@b.co' },
  { name: 'letters of any script stay', text: 'ü用户@例え.jp', want: 'ü用户@例え.jp' },
  { name: 'escape', text: 'a\x1b[31mb', want: 'a\ufffd[31mb' },
  { name: 'line ends', text: 'a\r\nb', want: 'a\ufffd\ufffdb' },
  { name: 'C1', text: 'a\x9b31mb', want: 'a\ufffd31mb' },
  { name: 'bidirectional override', text: 'a\u202eb\u2066', want: 'a\ufffdb\ufffd' },
  { name: 'zero-width', text: 'a\u200bb', want: 'a\ufffdb' },
  { name: 'tag characters', text: 'a\u{e0041}b', want: 'a\ufffdb' },
])('sanitize: $name', ({ text, want }) => expect(sanitize(text)).toBe(want));
