import { expect, test } from 'vitest';
import { createListMailboxes } from '../../../src/jobs/uploads/list-mailboxes.js';
import { canonical } from '../../fakes/job-lab.js';

test.each([
  { name: 'is new once', list: ['a', 'b', 'a', 'b', 'a'], max: 9, want: ['a', 'b', ['a', 0], ['b', 1], ['a', 0]] },
  { name: 'is told apart by its spelling', list: ['a', 'A', 'A', 'a'], max: 9, want: ['a', ['A'], ['A'], ['a', 0]] },
  { name: 'is known beyond the limit', list: ['A', 'b', 'b', 'A'], max: 1, want: ['A', 'b', ['b', 1], ['A', 0]] },
])('a mailbox $name', ({ list, max, want }) => {
  const mailboxes = createListMailboxes(max);
  expect(list.map((email, row) => mailboxes.add(canonical(email), email, row))).toEqual(want);
  expect(mailboxes.isFull).toBe(max === 1);
});

test('the first row of a mailbox is known for a million mailboxes, and that it was there for all', () => {
  const mailboxes = createListMailboxes();
  const add = (number: number, row: number) => mailboxes.add(`user${number}@x.org`, `user${number}@x.org`, row);
  for (let row = 0; row < 999_999; row++) if (typeof add(row, row) !== 'string') throw new Error(`row ${row}`);
  expect([add(0, 999_999), add(999_998, 1_000_000)]).toEqual([
    ['user0@x.org', 0],
    ['user999998@x.org', 999_998],
  ]);
  const more = [999_999, 1_000_000, 7].map((number) => add(number, number));
  expect(more).toEqual(['user999999@x.org', 'user1000000@x.org', ['user7@x.org']]);
});
