import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findEmailColumn } from '../../../src/rows/read/email-column.js';

const file = join(import.meta.dirname, '../../fixtures/header-sets/header-sets.tsv');
const sets = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [program = '', language = '', columns = ''] = line.split('\t');
    const marked = columns.split('|');
    return {
      program,
      language,
      header: marked.map((name) => name.replace(/^[*@]/, '')),
      want: marked.findIndex((name) => name.startsWith('*')),
      others: marked.flatMap((name, at) => (name.startsWith('@') ? [at] : [])),
    };
  });

/** Six rows. The column to vet has `filled` addresses; other columns with addresses are full. */
function rowsOf({ header, want, others }: (typeof sets)[number], filled: number): string[][] {
  return Array.from({ length: 6 }, (_, row) =>
    header.map((_, column) => {
      if (column === want) return row < filled ? `person${row}@site.example` : '';
      return others.includes(column) ? `owner${column}@corp.example` : `text ${row}`;
    }),
  );
}

describe('the email column of exports', () => {
  test('there are 200 in ten languages', () => {
    expect(sets.length).toBeGreaterThanOrEqual(200);
    expect(new Set(sets.map(({ language }) => language)).size).toBe(10);
    expect(sets.filter(({ want }) => want === -1)).toEqual([]);
  });

  test.each(sets)('$program ($language)', (set) => {
    for (const filled of [6, 2]) {
      const found = findEmailColumn(set.header, rowsOf(set, filled));
      expect(`${filled}: ${set.header[found?.column ?? -1]}`).toBe(`${filled}: ${set.header[set.want]}`);
    }
  });
});
