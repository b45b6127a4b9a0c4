import { expect, test } from 'vitest';
import { toJob } from '../../src/jobs/job-view.js';
import type { JobRecord } from '../../src/jobs/store/store.js';

const day = 86_400_000;
const startedAt = Date.parse('2026-11-01T12:00:00Z');

const record: JobRecord = {
  ...{ num: 1, id: 'job', groupId: 'group', part: 0, parts: 1, owner: 'local', uploadId: 'upload' },
  ...{ filename: 'list.csv', emailColumn: 'email', options: {}, firstRow: 0, total: 100, uniqueTotal: 100 },
  ...{
    processed: 40,
    valid: 30,
    invalid: 4,
    risky: 3,
    unknown: 2,
    duplicate: 1,
    subCounts: {},
    state: 'running',
    resolverDown: false,
    reused: 0,
  },
  ...{ createdAt: startedAt, startedAt, finishedAt: null, runStartedAt: startedAt, runBase: 20, error: null },
  ...{ worker: 'worker', leaseUntil: 0, interrupted: false, crashes: 0, waiting: 0, nextRetryAt: null },
};

test.each([
  { name: 'runs', change: {}, want: { status: 'running', rows_per_second: 2, eta_seconds: 30, credits_used: 39 } },
  { name: 'has not begun', change: { state: 'queued', runStartedAt: null }, want: { rows_per_second: null } },
  { name: 'has no row done in this run', change: { runBase: 40 }, want: { rows_per_second: null, eta_seconds: null } },
  {
    name: 'has ended',
    change: { state: 'completed', finishedAt: startedAt + 5000, worker: null },
    want: { rows_per_second: 4, eta_seconds: null, finished_at: '2026-11-01T12:00:05.000Z' },
  },
  { name: 'is one of several', change: { parts: 3 }, want: { id: 'job', group_id: 'group' } },
  { name: 'is alone', change: {}, want: { group_id: null } },
  {
    name: 'lost its worker',
    change: { interrupted: true },
    want: { status: 'running', interrupted: true, eta_seconds: null, rows_per_second: null },
  },
  { name: 'met a resolver that was down', change: { resolverDown: true }, want: { resolver_down: true } },
  { name: 'reused verdicts', change: { reused: 7 }, want: { reused_count: 7 } },
  {
    name: 'began tomorrow, by a clock since set back',
    change: { runStartedAt: startedAt + day },
    want: { eta_seconds: null },
  },
] satisfies { name: string; change: Partial<JobRecord>; want: object }[])('a job that $name', ({ change, want }) => {
  expect(toJob({ ...record, ...change } as JobRecord, startedAt + 10_000)).toMatchObject(want);
});

test('a job that is well says nothing of interruption', () => {
  expect('interrupted' in toJob(record, startedAt)).toBe(false);
});
