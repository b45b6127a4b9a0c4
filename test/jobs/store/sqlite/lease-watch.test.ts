import { expect, test } from 'vitest';
import { newIdentity } from '../../../../src/disk/process-identity.js';
import type { JobRecord } from '../../../../src/jobs/store/job-record.js';
import { openLeaseWatch } from '../../../../src/jobs/store/sqlite/backend.js';

const leaseMs = 30_000;
const dead = newIdentity().split('~').with(3, '4194305').join('~');
const elsewhere = 'elsewhere~~~1~~late~1';
const held = (worker: string | null, leaseUntil: number): JobRecord =>
  ({ id: 'job', worker, leaseUntil }) as unknown as JobRecord;

test.each([
  { name: 'a dead worker, at once', worker: dead, checkedAt: [0], want: true },
  { name: 'no worker, at once', worker: null, checkedAt: [0], want: true },
  {
    name: 'a live worker on this machine, however long it is silent',
    worker: newIdentity(),
    checkedAt: [0, 1e9],
    // Without start times of processes, liveness is not proven.
    want: process.platform !== 'linux',
  },
  { name: 'a worker elsewhere, at the first check', worker: elsewhere, checkedAt: [0], want: false },
  { name: 'a worker elsewhere, before its lease ends', worker: elsewhere, checkedAt: [0, leaseMs - 1], want: false },
  {
    name: 'a worker elsewhere that was silent for its lease',
    worker: elsewhere,
    checkedAt: [0, 9, leaseMs],
    want: true,
  },
])('a job may be taken from $name: $want', ({ worker, checkedAt, want }) => {
  let now = 0;
  const isAbandoned = openLeaseWatch(() => now);
  const answers = checkedAt.map((at) => {
    now = at;
    return isAbandoned(held(worker, 1000), leaseMs);
  });
  expect(answers.at(-1)).toBe(want);
});

test('a renewed lease restarts the watch, and the wall clock does not count', () => {
  let now = 0;
  const isAbandoned = openLeaseWatch(() => now);
  const isAbandonedAt = (at: number, leaseUntil: number): boolean => {
    now = at;
    return isAbandoned(held(elsewhere, leaseUntil), leaseMs);
  };
  const day = 86_400_000;
  expect([
    isAbandonedAt(0, 1000),
    isAbandonedAt(leaseMs - 1, day),
    isAbandonedAt(leaseMs, day),
    isAbandonedAt(2 * leaseMs - 2, 5),
  ]).toEqual([false, false, false, false]);
  expect(isAbandonedAt(3 * leaseMs, 5)).toBe(true);
});
