import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { guessEncoding } from '../../../../src/rows/read/decode/guess-encoding.js';
import { openText } from '../../../../src/rows/read/decode/open-text.js';

interface Vector {
  /** As Python calls it. */
  encoding: string;
  language: string;
  bytes: string;
  text: string;
}

const path = new URL('../../../fixtures/names-in-legacy-encodings/lists-by-encoding.json', import.meta.url);
const vectors = JSON.parse(readFileSync(path, 'utf8')) as Vector[];

async function read(bytes: Buffer, encoding?: string): Promise<string> {
  const source = await openText({ stream: Readable.from([bytes]) }, encoding === undefined ? {} : { encoding });
  let text = '';
  for (let piece = await source.read(); piece !== null; piece = await source.read()) text += piece;
  return text;
}

describe('lists of eight rows in 31 encodings', () => {
  test('there are six for each', () => {
    expect([new Set(vectors.map(({ encoding }) => encoding)).size, vectors.length]).toEqual([31, 186]);
  });

  test.each(vectors.map((vector, number) => ({ ...vector, number })))(
    '$encoding, $language ($number): the text is decoded correctly',
    async ({ bytes, text }) => {
      expect(await read(Buffer.from(bytes, 'base64'))).toBe(text);
    },
  );

  test('long lines in a Latin encoding are detected in bounded time', () => {
    const line = Buffer.from('a\xe8'.repeat(32 * 1024), 'latin1');
    const startedAt = performance.now();
    for (let times = 0; times < 15; times++) guessEncoding(Array.from({ length: 20 }, () => line));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test.each(['cp850', 'cp852', 'cp866', 'ibm850', 'mac-roman'])('%s can be requested by name', async (name) => {
    const encoding = name === 'ibm850' ? 'cp850' : name === 'mac-roman' ? 'mac_roman' : name;
    const vector = vectors.find((each) => each.encoding === encoding);
    expect(await read(Buffer.from(vector?.bytes ?? '', 'base64'), name)).toBe(vector?.text);
  });
});
