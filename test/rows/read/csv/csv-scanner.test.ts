import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { createCellParser, rowOf } from '../../../../src/rows/read/csv/csv-rows.js';
import { CsvScanner } from '../../../../src/rows/read/csv/csv-scanner.js';
import { openCharset } from '../../../../src/rows/read/decode/charset.js';
import { encodeRawRow } from '../../../../src/rows/write/encode-row.js';

/** Text is held as it is shown. */
const charset = openCharset('utf-16le', 'en');

/** A scanner, and a function that returns the rows of the text so far. */
function openScanner(by: string, options?: { maxChars: number }) {
  const scanner = new CsvScanner(by, options);
  const parse = createCellParser(by, charset);
  const push = (piece: string, isLast = false) => {
    const rows = [];
    scanner.add(piece, isLast);
    while (scanner.next()) rows.push(rowOf(scanner, parse, charset, ''));
    return rows;
  };
  return { scanner, push };
}

function scan(text: string, by: string, size: number): (readonly string[])[] {
  const { push } = openScanner(by);
  const rows: (readonly string[])[] = [];
  for (let offset = 0; offset < text.length; offset += size)
    rows.push(...push(text.slice(offset, offset + size)).map(({ cells }) => cells));
  rows.push(...push('', true).map(({ cells }) => cells));
  return rows;
}

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
        const filled = (cells: readonly string[]) => cells.length > 1 || cells[0] !== '';
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
    const { scanner, push } = openScanner(',', { maxChars: 1000 });
    const rows = push(start);
    for (let line = 0; line < 200; line++) rows.push(...push(rest));
    rows.push(...push('', true));
    expect(rows).toHaveLength(203);
    expect(rows[2]?.cells).toEqual(['"B', 'b@x.org']);
    expect(scanner.unclosedQuoteLine).toBe(3);
  });

  test('is text at the end of a short file, too', () => {
    expect(scan(start + rest, ',', 7).map(([name]) => name)).toEqual(['name', 'A', '"B', 'C']);
  });

  test('is never written back unchanged if it would hide what follows', () => {
    const { push } = openScanner(',');
    expect([...push(start), ...push('', true)].map(({ text }) => text)).toEqual([
      'name,email\n',
      'A,a@x.org\n',
      undefined,
    ]);
  });
});

test('a line longer than the limit, without any quote, is a Failure that names its row', () => {
  const { push } = openScanner(',', { maxChars: 1000 });
  push('name,email\n');
  expect(() => push('x'.repeat(2000))).toThrow(
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
