import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { openBytes } from '../../../../src/rows/read/decode/byte-source.js';

test('bytesRead counts only the bytes that were returned', async () => {
  const stream = Readable.from([Buffer.alloc(100), Buffer.alloc(8_192)]);
  const caller = { priority: 'job', owner: 'a key', taskId: '' } as const;
  const source = await openBytes({ stream }, { caller });
  const counts: number[] = [];
  while ((await source.read()) !== null) counts.push(source.bytesRead());
  expect(counts).toEqual([100, 100 + 4_096, 100 + 8_192]);
});
