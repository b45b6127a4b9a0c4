import { describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/async/caller.js';
import { createSessionSlots, type SlotUser } from '../../../src/net/pool/session-limits.js';
import { fakeClock } from '../../fakes/clock.js';

function host(group: string, priority: Caller['priority'], owner: string, opened: string[]) {
  const slots: { acquire?: (user: SlotUser) => (() => void) | null } = {};
  const user: SlotUser = {
    ...{
      isSilent: () => false,
      rateLimitGroup: group,
      groupLimit: 10,
      caller: () => ({ priority, owner, taskId: '' }),
    },
    retry: () => slots.acquire?.(user) && opened.push(group),
  };
  return { user, slots };
}

describe('concurrent sessions', () => {
  test('lists leave slots free for single requests', () => {
    const limits = createSessionSlots(8);
    const listed = Array.from({ length: 20 }, (_, index) => host(`list${index}`, 'bulk', 'flooder', []).user);
    expect(listed.filter((user) => limits.acquire(user))).toHaveLength(7);
    expect(limits.acquire(host('good', 'single', 'good', []).user)).not.toBeNull();
  });

  test('an idle session is closed for a list that has used all slots of lists', async () => {
    const ended: string[] = [];
    const limits = createSessionSlots(8);
    const [first, ...others] = Array.from({ length: 7 }, (_, index) => host(`list${index}`, 'bulk', 'a', []).user);
    for (const user of [first, ...others]) if (user) limits.acquire(user);
    if (first) limits.offerIdle(first, () => ended.push('first'));
    const late = host('late', 'bulk', 'a', []).user;
    expect(limits.acquire(late)).toBeNull();
    expect(ended).toEqual(['first']);
    if (others[0]) limits.offerIdle(others[0], () => ended.push('second'));
    await Promise.resolve();
    expect(ended).toEqual(['first', 'second']);
  });

  test('a freed slot goes to the highest priority, then to the owner with the fewest slots', () => {
    const opened: string[] = [];
    const limits = createSessionSlots(4);
    const held = Array.from({ length: 4 }, (_, index) => host(`held${index}`, 'bulk', 'flooder', opened).user);
    const releases = held.map((user) => limits.acquire(user));
    for (const [group, priority, owner] of [
      ['flooded', 'bulk', 'flooder'],
      ['other list', 'bulk', 'other'],
      ['single', 'single', 'good'],
    ] as const) {
      const { user, slots } = host(group, priority, owner, opened);
      slots.acquire = limits.acquire;
      expect(limits.acquire(user)).toBeNull();
    }
    for (const release of releases.slice(0, 3)) release?.();
    expect(opened).toEqual(['single', 'other list', 'flooded']);
  });

  test.each([
    { name: 'keep their slots while others wait only for their group', waits: { groupLimit: 1 }, held: 4, yielded: 0 },
    { name: 'yield a slot for a host that may answer', waits: { groupLimit: 10 }, held: 7, yielded: 1 },
  ])('silent hosts $name', async ({ waits, held, yielded }) => {
    const clock = fakeClock();
    const limits = createSessionSlots(8, { clock, silentMs: 1_000 });
    let yields = 0;
    for (let index = 0; index < held - 1; index++) {
      limits.acquire(host(`silent${index}`, 'bulk', 'list', []).user);
      if (index < 3) limits.awaitHost(() => yields++);
    }
    const provider = () => ({ ...host('provider', 'bulk', 'list', []).user, ...waits });
    limits.acquire(provider());
    expect(limits.acquire(provider())).toBeNull();
    await clock.advance(1_500);
    expect(yields).toBe(yielded);
  });

  test('freeing a slot does not scan thousands of waiting hosts', () => {
    const limits = createSessionSlots(16);
    let scans = 0;
    const releases: ((() => void) | null)[] = [];
    for (let index = 0; index < 5_000; index++) {
      const { user, slots } = host(`host${index}`, 'job', index % 2 === 0 ? 'one' : 'other', []);
      slots.acquire = limits.acquire;
      const callerOf = user.caller;
      releases.push(
        limits.acquire({
          ...user,
          caller: () => {
            scans++;
            return callerOf();
          },
        }),
      );
    }
    scans = 0;
    for (let times = 0; times < 100; times++) releases[times % 14]?.();
    expect(scans).toBeLessThan(1_000);
  });

  test('a single owner gets every slot, first come, first served', () => {
    const opened: string[] = [];
    const limits = createSessionSlots(2);
    const hosts = ['a', 'b', 'c', 'd'].map((group) => host(group, 'single', '', opened));
    for (const { slots } of hosts) slots.acquire = limits.acquire;
    const releases = hosts.map(({ user }) => limits.acquire(user));
    expect(releases.map((release) => release !== null)).toEqual([true, true, false, false]);
    for (const release of releases) release?.();
    expect(opened).toEqual(['c', 'd']);
  });

  test('the slot of an ended session is free for other hosts at once, and for its own host when the connection is closed', () => {
    const opened: string[] = [];
    const limits = createSessionSlots(100);
    const full = host('full', 'bulk', 'a', opened);
    full.slots.acquire = limits.acquire;
    const releases: (() => void)[] = [];
    for (let release = limits.acquire(full.user); release !== null; release = limits.acquire(full.user))
      releases.push(release);
    releases[0]?.();
    expect(opened).toEqual([]);
    expect(limits.acquire(host('other', 'single', 'b', opened).user)).not.toBeNull();
    releases[1]?.();
    limits.onClosed(full.user);
    expect(opened).toEqual(['full']);
  });

  test('a late owner gets its share, but not the turns that it missed', () => {
    const opened: string[] = [];
    const limits = createSessionSlots(2);
    const releases: ((() => void) | null)[] = [];
    const open = (group: string, owner: string): void => {
      const user: SlotUser = {
        ...{ isSilent: () => false, rateLimitGroup: group, groupLimit: 10 },
        caller: () => ({ priority: 'single', owner, taskId: '' }),
        retry: () => {
          releases.push(limits.acquire(user));
          opened.push(owner);
        },
      };
      const release = limits.acquire(user);
      if (release !== null) releases.push(release);
    };
    for (let index = 0; index < 200; index++) open(`a${index}`, 'a');
    for (let times = 0; times < 100; times++) releases.shift()?.();
    opened.length = 0;
    for (let index = 0; index < 50; index++) open(`b${index}`, 'b');
    for (let times = 0; times < 20; times++) releases.shift()?.();
    expect(opened.filter((owner) => owner === 'b')).toHaveLength(10);
  });
});
