import { describe, expect, test } from 'vitest';
import type { Share } from '../../../src/async/fair-line.js';
import { callOff } from '../../../src/net/dns/cancellation.js';
import { type Entrant, slots } from '../../../src/net/dns/in-flight-limit.js';

function asker(urgency: Share['urgency'], owner: string, entered: string[], name = owner): Entrant {
  return {
    ...{ cancelled: false, step: null, share: { urgency, owner, work: '' } },
    enter: () => entered.push(name),
  };
}

describe('places for questions under way', () => {
  test("a key with a thousand dead domains leaves places for another key's single address", () => {
    const entered: string[] = [];
    const places = slots(16);
    for (let count = 0; count < 1_000; count++) places.take(asker('bulk', 'flooder', entered));
    places.take(asker('single', 'good', entered));
    expect(entered).toHaveLength(15);
    expect(entered.at(-1)).toBe('good');
  });

  test('jobs leave places for bulk requests, and those for single ones', () => {
    const entered: string[] = [];
    const places = slots(16);
    for (const urgency of ['job', 'bulk', 'single'] as const)
      for (let count = 0; count < 100; count++) places.take(asker(urgency, 'a', entered, urgency));
    expect(entered.filter((name) => name === 'job')).toHaveLength(12);
    expect(entered.filter((name) => name === 'bulk')).toHaveLength(2);
    expect(entered.filter((name) => name === 'single')).toHaveLength(2);
  });

  test('freed places go to owners in turn, however much one of them asked for first', () => {
    const entered: string[] = [];
    const places = slots(1);
    const first = asker('single', 'first', entered);
    places.take(first);
    const waiting = [...Array(10).fill('flooder'), 'good', 'other'].map((owner) => asker('single', owner, entered));
    for (const one of waiting) places.take(one);
    places.give(first);
    for (const one of waiting.slice(0, 2)) places.give(one);
    expect(entered).toEqual(['first', 'flooder', 'good', 'other']);
  });

  test('a question of a list that somebody now waits for goes ahead', () => {
    const entered: string[] = [];
    const places = slots(1);
    const first = asker('single', 'first', entered);
    places.take(first);
    const listed = Array.from({ length: 5 }, (_, index) => asker('job', 'list', entered, `row ${index}`));
    for (const one of listed) places.take(one);
    const wanted = listed[4];
    if (wanted) places.hurry(wanted, { urgency: 'single', owner: 'good', work: '' });
    places.give(first);
    expect(entered).toEqual(['first', 'row 4']);
  });

  test('who is called off in line leaves it, and gives back what he took', () => {
    const entered: string[] = [];
    const places = slots(1);
    const first = asker('single', 'first', entered);
    const second = asker('single', 'second', entered);
    const third = asker('single', 'third', entered);
    for (const one of [first, second, third]) places.take(one);
    callOff(second);
    places.give(second);
    expect(entered).toEqual(['first', 'second']);
    places.give(first);
    expect(entered).toEqual(['first', 'second', 'third']);
  });
});
