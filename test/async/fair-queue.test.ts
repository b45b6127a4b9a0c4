import { describe, expect, test } from 'vitest';
import type { Caller } from '../../src/async/caller.js';
import { FairQueue } from '../../src/async/fair-queue.js';

function queueOf(waiting: [item: string, priority: Caller['priority'], owner: string, work?: string][]) {
  const queue = new FairQueue<string>();
  for (const [item, priority, owner, work = ''] of waiting) queue.add(item, { priority, owner, taskId: work });
  return queue;
}

function drain(queue: ReturnType<typeof queueOf>, canRun?: (item: string, caller: Caller) => boolean): string {
  const order: string[] = [];
  for (let item = queue.next(canRun); item !== undefined; item = queue.next(canRun)) order.push(item);
  return order.join(' ');
}

describe('a fair queue', () => {
  test.each<{ name: string; waiting: Parameters<typeof queueOf>[0]; want: string }>([
    {
      name: 'the items of one caller keep their order',
      waiting: [
        ['1', 'single', 'a'],
        ['2', 'single', 'a'],
        ['3', 'single', 'a'],
      ],
      want: '1 2 3',
    },
    {
      name: 'owners take turns, however many items one of them queued before the others',
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
      name: 'the tasks of an owner share what the owner gets',
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
      name: 'a single request goes before bulk requests, and bulk requests before jobs',
      waiting: [
        ['job', 'job', 'a'],
        ['bulk', 'bulk', 'b'],
        ['single', 'single', 'c'],
      ],
      want: 'single bulk job',
    },
  ])('$name', ({ waiting, want }) => expect(drain(queueOf(waiting))).toBe(want));

  test('jobs get turns even if single requests never end', () => {
    const queue = queueOf([['job', 'job', 'a']]);
    const order: (string | undefined)[] = [];
    for (let turn = 0; turn < 20; turn++) {
      queue.add('single', { priority: 'single', owner: 'b', taskId: '' });
      order.push(queue.next());
    }
    expect(order).toContain('job');
  });

  test('keeps items that may not start yet', () => {
    const queue = queueOf([
      ['job', 'job', 'a'],
      ['single', 'single', 'b'],
    ]);
    expect(drain(queue, (_, { priority }) => priority === 'single')).toBe('single');
    expect(queue.size).toBe(1);
    expect(queue.next()).toBe('job');
  });

  test('a hundred thousand items of one owner take linear time', () => {
    const queue = new FairQueue<number>();
    const caller: Caller = { priority: 'bulk', owner: 'a', taskId: '' };
    for (let item = 0; item < 100_000; item++) queue.add(item, caller);
    let sum = 0;
    for (let item = queue.next(); item !== undefined; item = queue.next()) sum += item;
    expect(sum).toBe(4_999_950_000);
  }, 5_000);

  test('a late owner does not get the turns that it missed', () => {
    const queue = queueOf(Array.from({ length: 10 }, (_, index) => [`a${index}`, 'bulk', 'a']));
    for (let turn = 0; turn < 8; turn++) queue.next();
    for (const item of ['b0', 'b1', 'b2']) queue.add(item, { priority: 'bulk', owner: 'b', taskId: '' });
    expect(drain(queue)).toBe('a8 b0 a9 b1 b2');
  });

  test('an item can be removed, moved to another caller, or taken in place of the next one', () => {
    const queue = queueOf([
      ['a1', 'job', 'a'],
      ['a2', 'job', 'a'],
      ['a3', 'job', 'a'],
      ['b1', 'job', 'b'],
      ['b2', 'job', 'b'],
    ]);
    expect([queue.remove('a1'), queue.remove('a1')]).toEqual([true, false]);
    expect(queue.peek()).toBe('a2');
    queue.take('a3');
    expect(queue.peek()).toBe('b1');
    queue.add('b2', { priority: 'single', owner: 'c', taskId: '' });
    expect(queue.waitingPriorities()).toEqual(['single', 'job']);
    expect([...queue].sort()).toEqual(['a2', 'b1', 'b2']);
    expect(drain(queue)).toBe('b2 b1 a2');
    expect(queue.size).toBe(0);
  });

  test('two owners with ten thousand items each take little time, even if items are removed', () => {
    const queue = new FairQueue<number>();
    for (let item = 0; item < 20_000; item++) {
      queue.add(item, { priority: 'bulk', owner: item < 10_000 ? 'a' : 'b', taskId: '' });
    }
    expect([0, 1, 2, 3].map(() => queue.next())).toEqual([0, 10_000, 1, 10_001]);
    for (let item = 0; item < 20_000; item += 2) queue.remove(item);
    let left = 0;
    while (queue.next() !== undefined) left++;
    expect(left).toBe(9_998);
  }, 5_000);
});
