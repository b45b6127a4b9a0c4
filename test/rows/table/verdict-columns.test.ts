import { expect, test } from 'vitest';
import { placeVerdict, verdictColumns } from '../../../src/rows/table/verdict-columns.js';

const fresh = ['valid', 'sub', '0.9', 'true', 'meant'];
const [status = '', sub = '', confidence = '', safe = '', meant = ''] = verdictColumns;

test.each([
  {
    name: 'follows the columns of the input',
    columns: ['id', 'email'],
    cells: ['1', 'a@b.co'],
    want: ['id', 'email', ...verdictColumns],
    row: ['1', 'a@b.co', ...fresh],
  },
  {
    name: 'uses the columns of an earlier run in their places',
    columns: ['email', ...verdictColumns, 'note'],
    cells: ['a@b.co', 'old', 'old', 'old', 'old', 'old', 'mine'],
    want: ['email', ...verdictColumns, 'note'],
    row: ['a@b.co', ...fresh, 'mine'],
  },
  {
    name: 'uses them in any order, and appends deleted ones',
    columns: [safe, 'email', status],
    cells: ['old', 'a@b.co', 'old'],
    want: [safe, 'email', status, sub, confidence, meant],
    row: ['true', 'a@b.co', 'valid', 'sub', '0.9', 'meant'],
  },
  {
    name: 'does not change columns of other names',
    columns: ['email', 'mailvet_note', 'Mailvet_Status', 'status'],
    cells: ['a@b.co', 'mine', 'mine', 'mine'],
    want: ['email', 'mailvet_note', 'Mailvet_Status', 'status', ...verdictColumns],
    row: ['a@b.co', 'mine', 'mine', 'mine', ...fresh],
  },
  {
    name: 'fills both of two columns with one name',
    columns: ['email', ...verdictColumns, status],
    cells: ['a@b.co', 'old', 'old', 'old', 'old', 'old', 'old'],
    want: ['email', ...verdictColumns, status],
    row: ['a@b.co', ...fresh, 'valid'],
  },
  {
    name: 'pads a short row, and puts the surplus of a long one last',
    columns: [status, 'email'],
    cells: ['old', 'a@b.co', 'extra'],
    want: [status, 'email', sub, confidence, safe, meant],
    row: ['valid', 'a@b.co', 'sub', '0.9', 'true', 'meant', 'extra'],
  },
])('placeVerdict: $name', ({ columns, cells, want, row }) => {
  const places = placeVerdict(columns, verdictColumns);
  expect(places.columns).toEqual(want);
  expect(places.merge(cells, fresh)).toEqual(row);
});
