import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { createCsvScanner } from '../../../src/rows/read/scan-csv.js';
import { encodeRowAsIs } from '../../../src/rows/write/encode-row.js';

function scan(text: string, delimiter: string, size: number): string[][] {
  const scanner = createCsvScanner(delimiter);
  const rows: string[][] = [];
  for (let at = 0; at < text.length; at += size) rows.push(...scanner.push(text.slice(at, at + size)));
  rows.push(...scanner.end());
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
          const text = rows.map((cells, index) => encodeRowAsIs(cells, by) + ends[index]).join('');
          expect(scan(text, by, size)).toEqual(rows);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('papaparse reads the same where the line ends are of one kind', () => {
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

  test('papaparse reads the same where quotes stand inside bare cells', () => {
    const careless = fc.array(fc.array(plainCell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(careless, pieceSize, (rows, size) => {
        const text = rows.map((cells) => cells.join(',')).join('\n');
        expect(scan(text, ',', size)).toEqual(Papa.parse<string[]>(text, { delimiter: ',', newline: '\n' }).data);
      }),
      { numRuns: 500 },
    );
  });

  test('no text makes it throw anything but a Failure about a quote', () => {
    const soup = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' '), maxLength: 40 });
    fc.assert(
      fc.property(soup, pieceSize, (text, size) => {
        let outcome: unknown;
        try {
          outcome = scan(text, ',', size);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'bad_input', message: expect.stringContaining('quote') });
          return;
        }
        expect(outcome).toEqual(scan(text, ',', 1 << 16));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a quote that is never closed', () => {
  const start = 'name,email\nA,a@x.org\n"B,b@x.org\n';
  const rest = 'C,c@x.org\n';

  test('is named by its row as soon as the record outgrows the limit, not at the end of the file', () => {
    const scanner = createCsvScanner(',', 1000);
    expect(scanner.push(start)).toHaveLength(2);
    expect(() => {
      for (let line = 0; line < 200; line++) scanner.push(rest);
    }).toThrow(expect.objectContaining({ code: 'bad_input', message: 'Row 3 is longer than 1000 characters.' }));
  });

  test('is named by its row at the end of a short file', () => {
    const scanner = createCsvScanner(',');
    scanner.push(start + rest);
    expect(() => scanner.end()).toThrow(
      expect.objectContaining({ code: 'bad_input', message: 'Row 3 opens a quote (") that is never closed.' }),
    );
  });
});

test.each([
  { name: 'a million quoted cells in a row', text: `${'"",'.repeat(300_000)}x\n`, cells: 300_001 },
  { name: 'a cell of doubled quotes', text: `"${'""'.repeat(400_000)}"\n`, cells: 1 },
  { name: 'a cell of quotes that nobody doubled', text: `"${'" a'.repeat(300_000)}"\n`, cells: 1 },
  { name: 'quotes far from every delimiter', text: `"${'"x'.repeat(400_000)}"\n`, cells: 1 },
])('$name is read in one go', ({ text, cells }) => {
  expect(scan(text, ',', 65536).map((row) => row.length)).toEqual([cells]);
});
