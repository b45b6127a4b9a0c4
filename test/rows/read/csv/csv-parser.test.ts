import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { CsvParser } from '../../../../src/rows/read/csv/csv-parser.js';
import { encodeRawRow } from '../../../../src/rows/write/encode-row.js';

function scan(text: string, delimiter: string, size: number): string[][] {
  const parser = new CsvParser(delimiter);
  const rows: string[][] = [];
  for (let offset = 0; offset < text.length; offset += size)
    rows.push(...parser.push(text.slice(offset, offset + size)).map(cellsOf));
  rows.push(...parser.end().map(cellsOf));
  return rows;
}

const cellsOf = ({ cells }: { cells: string[] }): string[] => cells;
const delimiter = fc.constantFrom(',', ';', '\t', '|');
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const pieceSize = fc.constantFrom(1, 2, 3, 7, 1 << 16);
const cell = fc.string({
  unit: fc.constantFrom('a', 'é', '😀', ' ', '"', ',', ';', '\t', '|', '\n', '\r', '@'),
  maxLength: 8,
});
const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
const plainCell = fc
  .string({ unit: fc.constantFrom('a', 'b', '@', ' ', '"', 'é'), maxLength: 6 })
  .filter((text) => !text.startsWith('"'));

describe('random tables', () => {
  test('what is written is read back, under any delimiter, mix of line ends and cut', () => {
    fc.assert(
      fc.property(
        table,
        delimiter,
        fc.array(lineEnd, { minLength: 6, maxLength: 6 }),
        pieceSize,
        (rows, by, ends, size) => {
          const text = rows.map((cells, index) => encodeRawRow(cells, by) + ends[index]).join('');
          expect(scan(text, by, size)).toEqual(rows);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('papaparse returns the same if all line ends are of one kind', () => {
    fc.assert(
      fc.property(table, delimiter, fc.constantFrom('\n', '\r\n'), pieceSize, (rows, by, end, size) => {
        const text = Papa.unparse(rows, { delimiter: by, newline: end });
        const theirs = Papa.parse<string[]>(text, { delimiter: by, newline: end }).data;
        const filled = (cells: string[]) => cells.length > 1 || cells[0] !== '';
        expect(scan(text, by, size).filter(filled)).toEqual(theirs.filter(filled));
      }),
      { numRuns: 500 },
    );
  });

  test('papaparse returns the same if quotes are inside bare cells', () => {
    const careless = fc.array(fc.array(plainCell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(careless, pieceSize, (rows, size) => {
        const text = rows.map((cells) => cells.join(',')).join('\n');
        expect(scan(text, ',', size)).toEqual(Papa.parse<string[]>(text, { delimiter: ',', newline: '\n' }).data);
      }),
      { numRuns: 500 },
    );
  });

  test('no text makes it throw, and chunk sizes make no difference', () => {
    const soup = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' '), maxLength: 40 });
    fc.assert(
      fc.property(soup, pieceSize, (text, size) => {
        expect(scan(text, ',', size)).toEqual(scan(text, ',', 1 << 16));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a quote that is never closed', () => {
  const start = 'name,email\nA,a@x.org\n"B,b@x.org\n';
  const rest = 'C,c@x.org\n';

  test('is text once its cell exceeds the limit, and later rows are read', () => {
    const parser = new CsvParser(',', { maxChars: 1000 });
    const rows = parser.push(start);
    for (let line = 0; line < 200; line++) rows.push(...parser.push(rest));
    rows.push(...parser.end());
    expect(rows).toHaveLength(203);
    expect(rows[2]?.cells).toEqual(['"B', 'b@x.org']);
    expect(parser.unclosedQuoteRow()).toBe(3);
  });

  test('is text at the end of a short file, too', () => {
    expect(scan(start + rest, ',', 7).map(([name]) => name)).toEqual(['name', 'A', '"B', 'C']);
  });

  test('is never written back unchanged if it would hide what follows', () => {
    const parser = new CsvParser(',');
    expect([...parser.push(start), ...parser.end()].map(({ text }) => text)).toEqual([
      'name,email\n',
      'A,a@x.org\n',
      undefined,
    ]);
  });
});

test('a line longer than the limit, without any quote, is a Failure that names its row', () => {
  const parser = new CsvParser(',', { maxChars: 1000 });
  parser.push('name,email\n');
  expect(() => parser.push('x'.repeat(2000))).toThrow(
    expect.objectContaining({ code: 'bad_input', message: 'Row 2 is longer than 1,000 characters.' }),
  );
});

test.each([
  { name: 'a million quoted cells in a row', text: `${'"",'.repeat(300_000)}x\n`, cells: 300_001 },
  { name: 'a cell of doubled quotes', text: `"${'""'.repeat(400_000)}"\n`, cells: 1 },
  { name: 'a cell of quotes that are not doubled', text: `"${'" a'.repeat(300_000)}"\n`, cells: 1 },
  { name: 'quotes far from every delimiter', text: `"${'"x'.repeat(400_000)}"\n`, cells: 1 },
])('$name is read in one pass', ({ text, cells }) => {
  expect(scan(text, ',', 65536).map((row) => row.length)).toEqual([cells]);
});

test('quotes within a cell that ends in many blanks take linear time', () => {
  const line = `"${'"x'.repeat(3_000)}${' '.repeat(6_000)},y\n`;
  expect(scan(line.repeat(1_500), ',', 65_536).filter((row) => row.length === 2)).toHaveLength(1_500);
});

describe('a very long record in small pieces, and the rows after it, take linear time', () => {
  const long = 900_000;
  test.each([
    { name: 'of one cell', record: 'x'.repeat(long), want: ['x'.repeat(long)] },
    { name: 'of empty cells', record: ','.repeat(long), want: Array.from({ length: long + 1 }, () => '') },
    { name: 'of quotes in quotes', record: `"${'""'.repeat(long / 2)}"`, want: ['"'.repeat(long / 2)] },
    { name: 'of lines in quotes', record: `"${'\n'.repeat(long)}"`, want: ['\n'.repeat(long)] },
  ])('$name', ({ record, want }) => {
    const rows = scan(`a,b\n${record}\nc,d\n`, ',', 4_096);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toEqual(['a', 'b']);
    // toEqual is too slow for a million cells.
    expect(rows[1]?.join(',') === want.join(',')).toBe(true);
    expect(rows[2]).toEqual(['c', 'd']);
  });
});
