import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openTable } from '../../src/rows/open-rows.js';
import type { Row } from '../../src/rows/rows.js';

const dir = mkdtempSync(join(tmpdir(), 'mailvet-table-'));
afterAll(() => rmSync(dir, { recursive: true }));

describe('plain lines', () => {
  const text = '# friends\nada@python.org\n\n#N/A\n# more, later\nbob@python.org\n';
  const rowsOf = async (table: { chunks: AsyncIterable<Row[]> }) => {
    const cells: (readonly string[])[] = [];
    for await (const rows of table.chunks) cells.push(...rows.map((row) => row.cells));
    return cells;
  };

  test.each([
    { name: 'are a table of one column, read as bulk reads them', file: 'list.txt', options: {} },
    { name: 'are recognized by their file name, whatever the path', file: 'kept', options: { filename: 'list.txt' } },
    { name: 'have a column for the addresses', file: 'list.txt', options: { column: 'email' } },
  ])('$name', async ({ file, options }) => {
    const path = join(dir, file);
    writeFileSync(path, text);
    const table = await openTable({ path }, options);
    expect(table).toMatchObject({ format: 'lines', columns: ['email'], emailColumn: 0, hasHeader: false });
    expect(await rowsOf(table)).toEqual([['ada@python.org'], ['bob@python.org']]);
  });

  test.each([
    { name: 'the extension is CSV', options: { filename: 'list.csv' }, first: ['ada@python.org'] },
    { name: 'another column is named', options: { column: '1' }, first: ['ada@python.org'] },
  ])('are read as CSV, in which every row counts, if $name', async ({ options, first }) => {
    const path = join(dir, 'kept');
    writeFileSync(path, text);
    const table = await openTable({ path }, options);
    expect(table).toMatchObject({ format: 'csv', columns: ['# friends'] });
    expect((await rowsOf(table))[0]).toEqual(first);
  });
});
