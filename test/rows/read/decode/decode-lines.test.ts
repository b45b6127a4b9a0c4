import { expect, test } from 'vitest';
import { LineDecoder } from '../../../../src/rows/read/decode/decode-lines.js';

test('a line of a megabyte in small pieces is read in time that grows with its length, and whole', () => {
  const text = `${'é,'.repeat(340_000)}\nada@python.org`;
  const bytes = Buffer.from(text);
  const decoder = new LineDecoder();
  const from = process.cpuUsage();
  let read = '';
  for (let at = 0; at < bytes.length; at += 512) read += decoder.decode(bytes.subarray(at, at + 512));
  read += decoder.end();
  const { user, system } = process.cpuUsage(from);
  expect(read === text).toBe(true);
  // Some ten milliseconds; copied with each piece, it takes more than a second.
  expect((user + system) / 1000).toBeLessThan(400);
});
