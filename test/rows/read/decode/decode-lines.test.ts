import { expect, test } from 'vitest';
import { LineDecoder } from '../../../../src/rows/read/decode/decode-lines.js';

test('a line of a megabyte in small pieces is read completely, in linear time', () => {
  const text = `${'é,'.repeat(340_000)}\nada@python.org`;
  const bytes = Buffer.from(text);
  const decoder = new LineDecoder();
  const from = process.cpuUsage();
  let read = '';
  for (let offset = 0; offset < bytes.length; offset += 512)
    read += decoder.decode(bytes.subarray(offset, offset + 512));
  read += decoder.end();
  const { user, system } = process.cpuUsage(from);
  expect(read === text).toBe(true);
  // Takes about ten milliseconds. Copying with each piece would take more than a second.
  expect((user + system) / 1000).toBeLessThan(400);
});
