import { describe, expect, test } from 'vitest';
import type { Caller } from '../../src/async/caller.js';
import { createQuerySlots, type SlotUser } from '../../src/async/query-slots.js';

function asker(priority: Caller['priority'], owner: string, entered: string[], name = owner): SlotUser {
  return { ...{ cancel: null, caller: { priority, owner, taskId: '' } }, onSlot: () => entered.push(name) };
}

describe('slots for queries in flight', () => {
  test('a key with a thousand dead domains leaves slots for a single address of another key', () => {
    const entered: string[] = [];
    const places = createQuerySlots(16);
    for (let count = 0; count < 1_000; count++) places.acquire(asker('bulk', 'flooder', entered));
    places.acquire(asker('single', 'good', entered));
    expect(entered).toHaveLength(15);
    expect(entered.at(-1)).toBe('good');
  });

  test('jobs leave slots for bulk requests, and bulk requests for single ones', () => {
    const entered: string[] = [];
    const places = createQuerySlots(16);
    for (const priority of ['job', 'bulk', 'single'] as const)
      for (let count = 0; count < 100; count++) places.acquire(asker(priority, 'a', entered, priority));
    expect(entered.filter((name) => name === 'job')).toHaveLength(12);
    expect(entered.filter((name) => name === 'bulk')).toHaveLength(2);
    expect(entered.filter((name) => name === 'single')).toHaveLength(2);
  });

  test('freed slots go to owners in turn, even if one of them has a long queue', () => {
    const entered: string[] = [];
    const places = createQuerySlots(1);
    const first = asker('single', 'first', entered);
    places.acquire(first);
    const waiting = [...Array(10).fill('flooder'), 'good', 'other'].map((owner) => asker('single', owner, entered));
    for (const one of waiting) places.acquire(one);
    places.release(first);
    for (const one of waiting.slice(0, 2)) places.release(one);
    expect(entered).toEqual(['first', 'flooder', 'good', 'other']);
  });

  test('a query of a list that a single request now waits for moves forward', () => {
    const entered: string[] = [];
    const places = createQuerySlots(1);
    const first = asker('single', 'first', entered);
    places.acquire(first);
    const listed = Array.from({ length: 5 }, (_, index) => asker('job', 'list', entered, `row ${index}`));
    for (const one of listed) places.acquire(one);
    const wanted = listed[4];
    if (wanted) places.raisePriority(wanted, { priority: 'single', owner: 'good', taskId: '' });
    places.release(first);
    expect(entered).toEqual(['first', 'row 4']);
  });

  test('a canceled query leaves the queue and releases its slot', () => {
    const entered: string[] = [];
    const places = createQuerySlots(1);
    const first = asker('single', 'first', entered);
    const second = asker('single', 'second', entered);
    const third = asker('single', 'third', entered);
    for (const one of [first, second, third]) places.acquire(one);
    second.cancel?.();
    places.release(second);
    expect(entered).toEqual(['first', 'second']);
    places.release(first);
    expect(entered).toEqual(['first', 'second', 'third']);
  });
});
