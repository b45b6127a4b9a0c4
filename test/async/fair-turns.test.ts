import { expect, test } from 'vitest';
import type { Caller } from '../../src/async/fair-queue.js';
import { fairTurns } from '../../src/async/fair-turns.js';

interface Item {
  name: string;
  caller: Caller;
}

function inserted(items: readonly string[]): string {
  const turns = fairTurns<Item>(({ caller }) => caller);
  const waiting: Item[] = [];
  for (const name of items) {
    const priority = name.startsWith('S') ? 'single' : name.startsWith('J') ? 'job' : 'bulk';
    turns.insert(waiting, { name, caller: { priority, owner: name.charAt(1), work: '' } });
  }
  return waiting.map(({ name }) => name).join(' ');
}

test.each([
  { name: 'one owner keeps his order', items: ['Ba1', 'Ba2', 'Ba3'], want: 'Ba1 Ba2 Ba3' },
  {
    name: 'a second owner gets every other turn',
    items: ['Ba1', 'Ba2', 'Ba3', 'Bb1', 'Bb2'],
    want: 'Ba1 Bb1 Ba2 Bb2 Ba3',
  },
  {
    name: 'single goes before bulk before job',
    items: ['Jc1', 'Ba1', 'Sb1', 'Ba2', 'Jc2'],
    want: 'Sb1 Ba1 Ba2 Jc1 Jc2',
  },
])('a list with turns: $name', ({ items, want }) => {
  expect(inserted(items)).toBe(want);
});

test('who comes late does not get the turns that he left out', () => {
  const turns = fairTurns<Item>(({ caller }) => caller);
  const item = (name: string): Item => ({ name, caller: { priority: 'bulk', owner: name.charAt(0), work: '' } });
  const waiting: Item[] = [];
  for (let count = 0; count < 10; count++) turns.insert(waiting, item(`a${count}`));
  waiting.splice(0, 8);
  for (const name of ['b0', 'b1', 'b2']) turns.insert(waiting, item(name));
  expect(waiting.map(({ name }) => name).join(' ')).toBe('a8 b0 a9 b1 b2');
});

test('two owners with ten thousand each take little time', () => {
  const turns = fairTurns<Item>(({ caller }) => caller);
  const waiting: Item[] = [];
  for (const owner of ['a', 'b'])
    for (let count = 0; count < 10_000; count++)
      turns.insert(waiting, { name: owner, caller: { priority: 'bulk', owner, work: '' } });
  expect(waiting.slice(0, 6).map(({ name }) => name)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
}, 5_000);
