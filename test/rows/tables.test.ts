import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRows } from '../../src/rows/open-rows.js';
import { freshFolder, runCli } from '../cli/run-cli.js';
import { inPieces } from './pieces.js';

/** Output of `make-tables.py`: a table as bytes, and the rows that Python's csv module reads from it. */
interface Vector {
  name: string;
  /** Null: the encoding is not named. */
  encoding: string | null;
  delimiter: string;
  bytes: string;
  rows: string[][];
}

const fixtures = join(import.meta.dirname, '../fixtures/tables-read-by-python/tables.json');
const vectors = JSON.parse(readFileSync(fixtures, 'utf8')) as Vector[];
const folder = freshFolder();

/** The bytes as text in which every byte, or code unit of UTF-16, is one character. */
function held(data: Buffer): string {
  const wide = data[0] === 0xff ? 'utf-16le' : data[0] === 0xfe ? 'utf-16be' : null;
  return wide === null ? data.toString('latin1') : new TextDecoder(wide, { ignoreBOM: true }).decode(data);
}

const ours = ['status', 'sub_status', 'confidence', 'safe_to_send', 'did_you_mean'].map((name) => `mailvet_${name}`);

describe('random tables in random encodings, delimiters and quoting', () => {
  test.each(vectors)('$name: the rows are those that Python reads', async ({ bytes, encoding, delimiter, rows }) => {
    for (const size of [5, 65536]) {
      const stream = inPieces(Buffer.from(bytes, 'base64'), size);
      const source = await openRows({ stream, name: 'x.csv' }, encoding === null ? {} : { encoding });
      const cells: (readonly string[])[] = [];
      for await (const chunk of source.chunks) cells.push(...chunk.map((row) => row.cells));
      expect([source.columns, ...cells]).toEqual(rows);
      expect(source.delimiter).toBe(delimiter);
    }
  });

  test.each(vectors)('$name: the output without our columns is the input, byte for byte', async (vector) => {
    const { bytes, encoding, delimiter } = vector;
    const input = Buffer.from(bytes, 'base64');
    const path = join(folder, 'in.csv');
    // A .csv would have commas instead of tabs.
    const out = join(folder, delimiter === '\t' ? 'out.tsv' : 'out.csv');
    writeFileSync(path, input);
    const encodingFlags = encoding === null ? [] : ['--encoding', encoding];
    expect((await runCli(['bulk', path, '-o', out, ...encodingFlags], { tty: false })).status).toBe(0);
    const header = [...new Set(['', ...ours])].join(delimiter);
    const verdict = ['', 'valid', '', '0.95', 'true', ''].join(delimiter);
    const written = held(readFileSync(out));
    expect(written.split(header)).toHaveLength(2);
    expect(written.replace(header, '').replaceAll(verdict, '')).toBe(held(input));
  });
});
