import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openFileSink } from '../../../src/cli/terminal/file-sink.js';
import { descriptorSink, isPipedDescriptor, isPlainDescriptor } from '../../../src/cli/terminal/terminal.js';
import { shellWord } from '../../../src/model/text/shell-word.js';

const dir = mkdtempSync(join(tmpdir(), 'mailvet-sink-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('writes texts of any length completely and in order', async () => {
  const file = join(dir, 'out.txt');
  const descriptor = openSync(file, 'w');
  const sink = descriptorSink(descriptor, false, true);
  const texts = ['a\n', '', 'ü'.repeat(300_000), '\nend\n'];
  for (const text of texts) await sink.write(text);
  closeSync(descriptor);
  expect(readFileSync(file, 'utf8')).toBe(texts.join(''));
});

test('writes bytes to a descriptor and a file unchanged', async () => {
  const bytes = Uint8Array.of(0x50, 0x4b, 0x00, 0xff, 0x80, 0x0d, 0x0a);
  const descriptor = openSync(join(dir, 'bytes.bin'), 'w');
  await descriptorSink(descriptor, false, true).write(bytes);
  closeSync(descriptor);
  const file = await openFileSink(join(dir, 'file.bin'));
  await file.sink.write(bytes);
  await file.finish();
  expect([...readFileSync(join(dir, 'bytes.bin'))]).toEqual([...bytes]);
  expect([...readFileSync(join(dir, 'file.bin'))]).toEqual([...bytes]);
});

test.each([
  ['plain', 'plain'],
  ['C:\\lists\\a.csv', 'C:\\lists\\a.csv'],
  ['my list.csv', '"my list.csv"'],
  ['a "b".csv', '"a ""b"".csv"'],
])('on Windows, %s is the word %s of a command line', (text, word) => expect(shellWord(text, 'win32')).toBe(word));

test('fails for a descriptor that is not open', async () => {
  const descriptor = openSync(join(dir, 'closed.txt'), 'w');
  closeSync(descriptor);
  await expect(descriptorSink(descriptor, false, true).write('x')).rejects.toThrow('The output cannot be written');
});

test.each([
  { name: 'a file is a regular file', open: () => openSync(join(dir, 'plain.txt'), 'w'), want: true },
  { name: 'a device is not a regular file', open: () => openSync('/dev/null', 'w'), want: false },
])('$name', ({ open, want }) => {
  const descriptor = open();
  expect(isPlainDescriptor(descriptor)).toBe(want);
  closeSync(descriptor);
});

test('a descriptor that does not exist is not a regular file', () => expect(isPlainDescriptor(987_654)).toBe(false));

test('on Windows, a file or pipe is recognized as input, and is written as a stream', () => {
  const descriptor = openSync(import.meta.filename, 'r');
  expect(isPipedDescriptor(descriptor)).toBe(true);
  expect(isPlainDescriptor(descriptor, 'win32')).toBe(false);
  closeSync(descriptor);
});
