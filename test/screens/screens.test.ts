import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { screens } from './screens.mjs';

const folder = resolve(import.meta.dirname, '../../docs/screens');
const files = readdirSync(folder).map((file) => {
  const [, name = '', width = ''] = /^(.*)-(\d+)\.txt$/.exec(file) ?? [];
  return { file, name, width: Number(width), lines: linesOf(file) };
});

/** Removes the command line, which the user typed. */
function linesOf(file: string): string[] {
  return readFileSync(join(folder, file), 'utf8').trimEnd().split('\n').slice(1);
}

/** Removes the ids of jobs, which differ. */
const wordsOf = (lines: readonly string[]): Set<string> =>
  new Set(
    lines
      .join(' ')
      .replace(/\b[0-9a-f]{8}\b/g, '')
      .match(/\p{L}{4,}/gu) ?? [],
  );

describe('recorded screens', () => {
  test('are those of the list, and at most forty', () => {
    expect(files.length).toBeLessThanOrEqual(40);
    const wanted = screens.flatMap(({ name, widths = [80] }) => widths.map((width) => `${name}-${width}.txt`));
    expect(files.map(({ file }) => file).sort()).toEqual(wanted.sort());
  });

  test.each(files)('$file: no line is wider than the screen', ({ width, lines }) => {
    expect(lines.filter((line) => [...line].length > width)).toEqual([]);
  });

  const expected = /^(validate-risky|bulk-output)$/;
  test.each(files.filter(({ name, width }) => expected.test(name) && width < 120))(
    '$file: no word is broken',
    (file) => {
      const wide = files.find(({ name, width }) => name === file.name && width === 120);
      const whole = wordsOf(wide?.lines ?? []);
      expect([...wordsOf(file.lines)].filter((word) => !whole.has(word))).toEqual([]);
    },
  );

  test.each(files.filter(({ name }) => name === 'upload-column'))('$file: each choice is one line', ({ lines }) => {
    const choices = lines.filter((line) => /[○●]/.test(line));
    expect(choices.filter((line) => / (filled|no addresses)$/.test(line))).toHaveLength(3);
  });

  test.each([
    { file: 'bulk-table-80.txt', column: 'EMAIL', cell: /\S+@\S+/ },
    { file: 'jobs-list-80.txt', column: 'FILE', cell: /\S+\.csv/ },
    { file: 'jobs-list-120.txt', column: 'FILE', cell: /\S+\.csv/ },
  ])('$file: cells of $column are aligned with its title', ({ file, column, cell }) => {
    const [head = '', ...rows] = linesOf(file);
    const cells = rows
      .slice(0, rows.indexOf('') === -1 ? rows.length : rows.indexOf(''))
      .filter((row) => cell.test(row));
    expect(cells.length).toBeGreaterThan(0);
    for (const row of cells) expect(row.search(cell)).toBe(head.indexOf(column));
  });
});
