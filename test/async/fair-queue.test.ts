import { describe, expect, test } from 'vitest';
import { type Caller, createFairQueue } from '../../src/async/fair-queue.js';

function lineOf(waiting: [item: string, priority: Caller['priority'], owner: string, work?: string][]) {
  const line = createFairQueue<string>();
  for (const [item, priority, owner, work = ''] of waiting) line.add(item, { priority, owner, work });
  return line;
}

function drain(line: ReturnType<typeof lineOf>, mayGo?: (priority: Caller['priority']) => boolean): string {
  const order: string[] = [];
  for (let item = line.next(mayGo); item !== undefined; item = line.next(mayGo)) order.push(item);
  return order.join(' ');
}

describe('a fair line', () => {
  test.each<{ name: string; waiting: Parameters<typeof lineOf>[0]; want: string }>([
    {
      name: 'what one asked for comes in the order of asking',
      waiting: [
        ['1', 'single', 'a'],
        ['2', 'single', 'a'],
        ['3', 'single', 'a'],
      ],
      want: '1 2 3',
    },
    {
      name: 'owners take turns, however much one of them asked for before the others came',
      waiting: [
        ['a1', 'bulk', 'a'],
        ['a2', 'bulk', 'a'],
        ['a3', 'bulk', 'a'],
        ['b1', 'bulk', 'b'],
        ['b2', 'bulk', 'b'],
      ],
      want: 'a1 b1 a2 b2 a3',
    },
    {
      name: "an owner's pieces of work caller what the owner gets",
      waiting: [
        ['a1', 'job', 'a', 'x'],
        ['a2', 'job', 'a', 'x'],
        ['a3', 'job', 'a', 'y'],
        ['b1', 'job', 'b'],
        ['b2', 'job', 'b'],
        ['b3', 'job', 'b'],
      ],
      want: 'a1 b1 a3 b2 a2 b3',
    },
    {
      name: 'a single request goes before bulk requests, and those before jobs',
      waiting: [
        ['job', 'job', 'a'],
        ['bulk', 'bulk', 'b'],
        ['single', 'single', 'c'],
      ],
      want: 'single bulk job',
    },
  ])('$name', ({ waiting, want }) => {
    expect(drain(lineOf(waiting))).toBe(want);
  });

  test('jobs get their turn, too, where single requests never end', () => {
    const line = lineOf([['job', 'job', 'a']]);
    const order: (string | undefined)[] = [];
    for (let turn = 0; turn < 20; turn++) {
      line.add('single', { priority: 'single', owner: 'b', work: '' });
      order.push(line.next());
    }
    expect(order).toContain('job');
  });

  test('holds back what may not go, and keeps it', () => {
    const line = lineOf([
      ['job', 'job', 'a'],
      ['single', 'single', 'b'],
    ]);
    expect(drain(line, (priority) => priority === 'single')).toBe('single');
    expect(line.size()).toBe(1);
    expect(line.next()).toBe('job');
  });

  test('a hundred thousand of one owner pass in linear time', () => {
    const line = createFairQueue<number>();
    const caller: Caller = { priority: 'bulk', owner: 'a', work: '' };
    for (let item = 0; item < 100_000; item++) line.add(item, caller);
    let sum = 0;
    for (let item = line.next(); item !== undefined; item = line.next()) sum += item;
    expect(sum).toBe(4_999_950_000);
  }, 5_000);
});
