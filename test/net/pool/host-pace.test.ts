import { expect, test } from 'vitest';
import { HostPace } from '../../../src/net/pool/host-pace.js';
import { fakeClock } from '../../fakes/clock.js';

const defaults = { maxSessions: 8, minIntervalMs: 0, backoffMs: 1000 };
const times = (count: number, act: () => void): void => {
  for (let nth = 0; nth < count; nth++) act();
};

test.each([
  { name: 'nothing', requests: 0, limit: 8, waitMs: 0 },
  { name: 'once', requests: 1, limit: 4, waitMs: 1000 },
  { name: 'twice', requests: 2, limit: 2, waitMs: 2000 },
  { name: 'forever', requests: 20, limit: 1, waitMs: 30_000 },
])(
  'a host that asks $name to slow down gets $limit sessions, the next in $waitMs ms',
  ({ requests, limit, waitMs }) => {
    const pace = new HostPace(fakeClock(0), defaults);
    times(requests, () => pace.slowDown());
    expect({ limit: pace.limit, waitMs: pace.waitMs() }).toEqual({ limit, waitMs });
  },
);

test('fifty good answers allow one more session, and end the slowdown', () => {
  const pace = new HostPace(fakeClock(0), defaults);
  pace.slowDown();
  pace.isCautious = true;
  times(49, () => pace.recordSuccess());
  expect([pace.limit, pace.isCautious]).toEqual([4, true]);
  pace.recordSuccess();
  expect([pace.limit, pace.isCautious]).toEqual([5, false]);
  times(1000, () => pace.recordSuccess());
  expect(pace.limit).toBe(8);
});

test('sessions are opened no faster than the host allows', async () => {
  const clock = fakeClock(0);
  const pace = new HostPace(clock, { ...defaults, minIntervalMs: 200 });
  pace.recordOpening();
  expect(pace.waitMs()).toBe(200);
  await clock.advance(200);
  expect(pace.waitMs()).toBe(0);
});

test('a host that answered before is retried three times; one that never did is not', () => {
  const pace = new HostPace(fakeClock(0), defaults);
  expect(pace.backOff()).toBe(false);
  pace.recordSuccess();
  expect([1, 2, 3].map(() => (pace.backOff() ? pace.waitMs() : null))).toEqual([1000, 2000, 4000]);
  expect(pace.backOff()).toBe(false);
  pace.recordSuccess();
  expect(pace.backOff()).toBe(true);
});

test('a host that refuses further sessions keeps the open ones', () => {
  const pace = new HostPace(fakeClock(0), defaults);
  pace.limitTo(2);
  expect([pace.limit, pace.waitMs()]).toEqual([2, 1000]);
  pace.limitTo(0);
  expect(pace.limit).toBe(1);
});

test('only consecutive losses are counted', () => {
  const pace = new HostPace(fakeClock(0), defaults);
  expect([pace.recordDisconnect(), pace.recordDisconnect()]).toEqual([1, 2]);
  pace.recordSuccess();
  expect(pace.recordDisconnect()).toBe(1);
});
