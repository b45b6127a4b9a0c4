import { describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/async/fair-queue.js';
import { createSessionSlots, type SlotUser } from '../../../src/net/pool/session-limits.js';

function host(party: string, priority: Caller['priority'], owner: string, opened: string[]) {
  const slots: { take?: (seeker: SlotUser) => boolean } = {};
  const seeker: SlotUser = {
    ...{ rateLimitGroup: party, groupLimit: 10, caller: () => ({ priority, owner, work: '' }) },
    retry: () => slots.take?.(seeker) && opened.push(party),
  };
  return { seeker, slots };
}

describe('sessions at a time', () => {
  test('lists leave slots free for whoever asks for one address', () => {
    const limits = createSessionSlots(8);
    const listed = Array.from({ length: 20 }, (_, index) => host(`list${index}`, 'bulk', 'flooder', []).seeker);
    expect(listed.filter((seeker) => limits.acquire(seeker))).toHaveLength(7);
    expect(limits.acquire(host('good', 'single', 'good', []).seeker)).toBe(true);
  });

  test('an idle session makes room for a list that has taken all that lists may have', async () => {
    const ended: string[] = [];
    const limits = createSessionSlots(8);
    const [first, ...others] = Array.from({ length: 7 }, (_, index) => host(`list${index}`, 'bulk', 'a', []).seeker);
    for (const seeker of [first, ...others]) if (seeker) limits.acquire(seeker);
    if (first) limits.offerIdle(first, () => ended.push('first'));
    const late = host('late', 'bulk', 'a', []).seeker;
    expect(limits.acquire(late)).toBe(false);
    expect(ended).toEqual(['first']);
    if (others[0]) limits.offerIdle(others[0], () => ended.push('second'));
    await Promise.resolve();
    expect(ended).toEqual(['first', 'second']);
  });

  test('a freed slot goes to what is most urgent, then to the owner who got least', () => {
    const opened: string[] = [];
    const limits = createSessionSlots(4);
    const held = Array.from({ length: 4 }, (_, index) => host(`held${index}`, 'bulk', 'flooder', opened).seeker);
    for (const seeker of held) limits.acquire(seeker);
    for (const [party, priority, owner] of [
      ['flooded', 'bulk', 'flooder'],
      ['other list', 'bulk', 'other'],
      ['single', 'single', 'good'],
    ] as const) {
      const { seeker, slots } = host(party, priority, owner, opened);
      slots.take = limits.acquire;
      expect(limits.acquire(seeker)).toBe(false);
    }
    for (const _ of held.slice(0, 3)) limits.release();
    expect(opened).toEqual(['single', 'other list', 'flooded']);
  });

  test('thousands of hosts that wait are not all looked at for each slot', () => {
    const limits = createSessionSlots(16);
    let looks = 0;
    for (let index = 0; index < 5_000; index++) {
      const { seeker, slots } = host(`host${index}`, 'job', index % 2 === 0 ? 'one' : 'other', []);
      slots.take = limits.acquire;
      const share = seeker.caller;
      limits.acquire({
        ...seeker,
        caller: () => {
          looks++;
          return share();
        },
      });
    }
    looks = 0;
    for (let times = 0; times < 100; times++) limits.release();
    expect(looks).toBeLessThan(1_000);
  });

  test('work of one owner alone has every slot, first come, first served', () => {
    const opened: string[] = [];
    const limits = createSessionSlots(2);
    const hosts = ['a', 'b', 'c', 'd'].map((party) => host(party, 'single', '', opened));
    for (const { slots } of hosts) slots.take = limits.acquire;
    expect(hosts.map(({ seeker }) => limits.acquire(seeker))).toEqual([true, true, false, false]);
    for (const _ of hosts.slice(0, 2)) limits.release();
    expect(opened).toEqual(['c', 'd']);
  });

  test("a session that was left is another host's to open at once, and its own host's only when the connection is closed", () => {
    const opened: string[] = [];
    const limits = createSessionSlots(100);
    const full = host('full', 'bulk', 'a', opened);
    full.slots.take = limits.acquire;
    while (limits.acquire(full.seeker));
    limits.release();
    expect(opened).toEqual([]);
    expect(limits.acquire(host('other', 'single', 'b', opened).seeker)).toBe(true);
    limits.release();
    limits.onClosed(full.seeker);
    expect(opened).toEqual(['full']);
  });
});
