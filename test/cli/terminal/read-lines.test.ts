import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readLines } from '../../../src/cli/terminal/read-lines.js';

async function linesOf(...chunks: string[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const texts of readLines(Readable.from(chunks))) lines.push(...texts);
  return lines;
}

test('lines end with LF, CR LF or CR, also between two chunks', async () => {
  expect(await linesOf('a\r', '\nb\rc\n\n d ', '\ne')).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test.each([
  { name: 'in one chunk', chunks: [`a@b.co\n${'x'.repeat(70_000)}\nc@d.co\n`] },
  { name: 'over several chunks', chunks: ['x'.repeat(40_000), 'x'.repeat(40_000), '\n'] },
  { name: 'at the end', chunks: [`a@b.co\n${'x'.repeat(70_000)}`] },
])('a line over the limit is refused: $name', async ({ chunks }) => {
  await expect(linesOf(...chunks)).rejects.toMatchObject({ code: 'bad_input' });
});
