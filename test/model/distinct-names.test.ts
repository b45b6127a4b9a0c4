import { expect, test } from 'vitest';
import { distinctNames } from '../../src/model/distinct-names.js';

test.each([
  { names: [], want: [] },
  { names: ['email', 'note'], want: ['email', 'note'] },
  { names: ['note', 'note', 'note'], want: ['note', 'note_2', 'note_3'] },
  { names: ['note', 'note', 'note_2', 'note_2'], want: ['note', 'note_3', 'note_2', 'note_2_2'] },
  { names: ['', ''], want: ['', '_2'] },
  { names: ['__proto__', '__proto__', 'constructor'], want: ['__proto__', '__proto___2', 'constructor'] },
])('$names become $want', ({ names, want }) => {
  expect(distinctNames(names)).toEqual(want);
  expect(distinctNames(want)).toEqual(want);
});

test('100,000 columns of one name take little time', () => {
  expect(new Set(distinctNames(new Array(100_000).fill('a'))).size).toBe(100_000);
});
