import { expect, test } from 'vitest';
import { renderFittingGrid } from '../../../../src/cli/render/style/grid.js';

test.each([
  { name: 'renders a table if it fits', columns: 20, want: 'id  name\n1   billing\n2   trial\n' },
  {
    name: 'renders a few lines per row if it does not fit',
    columns: 10,
    want: '1\n  name  billing\n2\n  name  trial\n',
  },
  {
    name: 'has a title above these lines',
    columns: 10,
    titled: true,
    want: 'id\n1\n  name  billing\n2\n  name  trial\n',
  },
])('$name', ({ columns, titled, want }) => {
  const rows = [
    ['1', 'billing'],
    ['2', 'trial'],
  ];
  expect(renderFittingGrid(['id', 'name'], rows, { color: false, columns }, { titled })).toBe(want);
});
