import { describe, expect, test } from 'vitest';
import { renderFittingGrid } from '../../../../src/cli/render/style/grid.js';

test.each([
  ['renders a table if it fits', 20, 'id  name\n1   billing\n2   trial\n'],
  ['renders a few lines per row if it does not fit', 10, '1\n  name  billing\n2\n  name  trial\n'],
  ['has a title above these lines', 10, 'id\n1\n  name  billing\n2\n  name  trial\n', true],
])('%s', (_name, columns, want, titled?: boolean) => {
  const rows = [
    ['1', 'billing'],
    ['2', 'trial'],
  ];
  expect(renderFittingGrid(['id', 'name'], rows, { color: false, columns }, { titled })).toBe(want);
});

describe('with wrapped cells', () => {
  const rows = [
    ['level', 'dns', `/a/very/long/path${'/to'.repeat(10)}/config.json`],
    ['tls', 'offered', 'default'],
  ];
  const render = (columns: number) =>
    renderFittingGrid(['KEY', 'VALUE', 'FROM'], rows, { color: false, columns }, { wraps: true });

  test.each([40, 50])('one long cell keeps the table in %i columns', (columns) => {
    const lines = render(columns).split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines[0]).toBe('KEY    VALUE    FROM');
    expect(lines.at(-2)).toBe('tls    offered  default');
    // Broken between the folders of the path.
    expect(lines[1]).toMatch(/^level {2}dns {6}\/a\/very\/long\/.*\/$/);
    expect(lines.slice(2, -2).every((line) => /^ {16}\S*(?:\/|config\.json)$/.test(line))).toBe(true);
  });

  test('nothing is wrapped if all fits, or if a column would be too narrow', () => {
    expect(render(100)).toContain(`level  dns      ${rows[0]?.[2]}\n`);
    expect(render(28)).toMatch(/^level\n {2}VALUE {2}dns\n/);
  });
});
