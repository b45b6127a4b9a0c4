import { expect, test } from 'vitest';
import { toJob } from '../../src/jobs/job-view.js';
import type { JobRecord } from '../../src/jobs/store/job-record.js';
import { toAppJob } from '../../src/server/web/job-access.js';

const day = 86_400_000;
const startedAt = Date.parse('2026-11-01T12:00:00Z');

const record: JobRecord = {
  ...{ num: 1, id: 'job', owner: 'local', uploadId: 'upload' },
  ...{
    filename: 'list.csv',
    emailColumn: 'email',
    options: {},
    total: 100,
    uniqueTotal: 100,
    reserved: null,
  },
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
    forgotten: {
      ...{ rows: 0, answered: 0, subCounts: {} },
      counts: { valid: 0, invalid: 0, risky: 0, unknown: 0, duplicate: 0 },
    },
  },
  ...{ createdAt: startedAt, startedAt, finishedAt: null, runStartedAt: startedAt, runBase: 20, error: null },
  ...{ worker: 'worker', leaseUntil: 0, interrupted: false, crashes: 0, waiting: 0, nextRetryAt: null },
};

test.each([
  { name: 'runs', change: {}, want: { status: 'running', rows_per_second: 2, eta_seconds: 30, credits_used: 39 } },
  {
    name: 'has just been resumed',
    change: { runStartedAt: startedAt + 8_500 },
    want: { status: 'running', eta_seconds: null },
  },
  {
    name: 'was resumed six seconds ago',
    change: { runStartedAt: startedAt + 4_000 },
    want: { status: 'running', eta_seconds: 18 },
  },
  {
    name: 'has only rows that wait for a retry',
    change: { waiting: 60 },
    want: { status: 'running', eta_seconds: null, waiting_count: 60 },
  },
  {
    name: 'has rows that wait longer than the others take',
    change: { waiting: 1, nextRetryAt: startedAt + 3_600_000 },
    want: { status: 'running', eta_seconds: null, waiting_count: 1 },
  },
  { name: 'has not started', change: { state: 'queued', runStartedAt: null }, want: { rows_per_second: null } },
  { name: 'has no row done in this run', change: { runBase: 40 }, want: { rows_per_second: null, eta_seconds: null } },
  {
    name: 'has ended',
    change: { state: 'completed', finishedAt: startedAt + 5000, worker: null },
    want: { rows_per_second: 4, eta_seconds: null, finished_at: '2026-11-01T12:00:05.000Z' },
  },
  {
    name: 'has ended, with reused answers and a duplicate',
    change: { state: 'completed', finishedAt: startedAt + 5000, worker: null, runBase: 0, reused: 24 },
    want: { rows_per_second: 3 },
  },
  {
    name: 'was stopped, and canceled later',
    change: { state: 'canceled', finishedAt: startedAt + day, worker: null },
    want: { rows_per_second: null, eta_seconds: null },
  },
  {
    name: 'lost its worker',
    change: { interrupted: true },
    want: { status: 'running', interrupted: true, eta_seconds: null, rows_per_second: null },
  },
  { name: 'ran while the resolver was down', change: { resolverDown: true }, want: { resolver_down: true } },
  { name: 'reused verdicts', change: { reused: 7 }, want: { reused_count: 7, credits_used: 32 } },
  {
    name: 'started tomorrow, by a clock that was set back since',
    change: { runStartedAt: startedAt + day },
    want: { eta_seconds: null },
  },
] satisfies { name: string; change: Partial<JobRecord>; want: object }[])('a job that $name', ({ change, want }) => {
  expect(toJob({ ...record, ...change } as JobRecord, startedAt + 10_000)).toMatchObject(want);
});

test('every job has the same keys', () => {
  const job = toJob(record, startedAt);
  expect(job).toMatchObject({ suppressed_count: 0, last_run_at: null, interrupted: false, resolver_down: false });
  const change = { interrupted: true, resolverDown: true, subCounts: { suppressed: 1 } };
  expect(Object.keys(toJob({ ...record, ...change }, startedAt))).toEqual(Object.keys(job));
});

test('the time of a job that was canceled and resumed is that of its last run', () => {
  // Canceled after 10 s and resumed after 30 s.
  const resumed: JobRecord = {
    ...{ ...record, state: 'completed', processed: 100, worker: null, runBase: 60 },
    ...{ runStartedAt: startedAt + 30_000, finishedAt: startedAt + 34_000 },
  };
  const owner = { kind: 'local', id: 'local', name: '' } as const;
  expect(toAppJob(resumed, owner)).toMatchObject({ last_run_at: '2026-11-01T12:00:30.000Z', rows_per_second: 10 });
  expect(toAppJob({ ...resumed, finishedAt: null }, owner).last_run_at).toBeNull();
  expect(toJob(resumed, 0).last_run_at).toBe('2026-11-01T12:00:30.000Z');
  expect(toJob({ ...resumed, runStartedAt: startedAt, runBase: 0 }, 0).last_run_at).toBeNull();
});
