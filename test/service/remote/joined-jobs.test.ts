import { describe, expect, test } from 'vitest';
import type { Job, JobResults } from '../../../src/model/job.js';
import { requireAllRows } from '../../../src/service/follow-job.js';
import { isFinalState } from '../../../src/service/job-states.js';
import { joinJobs, sumJobs } from '../../../src/service/remote/joined-jobs.js';
import { fakeService } from '../../fakes/service.js';

/** How services say that a job has succeeded. */
const done = ['COMPLETED', 'Done', 'finished', 'succeeded', ' Success ', 'complete', 'job_completed'];

const job = (status: string, more: Partial<Job> = {}): Job => ({ id: status, status, ...more });

describe('jobs of one list shown as one', () => {
  test.each([
    { name: 'all queued', jobs: [job('queued'), job('queued')], want: 'queued' },
    { name: 'one at work', jobs: [job('completed'), job('running')], want: 'running' },
    { name: 'one completed, one not started', jobs: [job('completed'), job('queued')], want: 'running' },
    { name: 'one failed, one not started', jobs: [job('failed'), job('queued')], want: 'queued' },
    { name: 'an unknown state', jobs: [job('completed'), job('archiving')], want: 'archiving' },
    { name: 'all done', jobs: done.map((status) => job(status)), want: 'completed' },
    { name: 'one failed', jobs: [job('completed'), job('failed')], want: 'failed' },
    { name: 'one canceled', jobs: [job('completed'), job('cancelled')], want: 'canceled' },
  ])('$name: $want', ({ jobs, want }) => expect(sumJobs(jobs).status).toBe(want));

  test.each([
    ['completed', true],
    ['Canceled', true],
    ['error', true],
    ['processing', false],
    ['archiving', false],
    ['', false],
  ])('%s is final: %s', (status, want) => expect(isFinalState(status)).toBe(want));

  test('a count is summed only if all jobs have it; a partial sum would look complete', () => {
    const counts = { valid_count: 3, total: 10, processed: 4 };
    const sum = sumJobs([job('running', counts), job('running', { total: 5, valid_count: 0 })]);
    expect(sum).toMatchObject({ id: 'running,running', total: 15, valid_count: 3 });
    expect(sum).not.toHaveProperty('processed');
    expect(sum).not.toHaveProperty('risky_count');
  });

  test('rows without an address are summed, though a job without any does not count them', () => {
    const [first, second] = [job('completed'), job('completed', { empty_count: 2 })];
    expect(sumJobs([first, second, second]).empty_count).toBe(4);
    expect(sumJobs([first, first])).not.toHaveProperty('empty_count');
  });

  test('reasons are summed where all have them', () => {
    const one = job('running', { sub_status_counts: { mailbox_not_found: 2, '': 1 } });
    const other = job('running', { sub_status_counts: { mailbox_not_found: 3, greylisted: 1 } });
    expect(sumJobs([one, other]).sub_status_counts).toEqual({ mailbox_not_found: 5, '': 1, greylisted: 1 });
    expect(sumJobs([one, job('queued')])).not.toHaveProperty('sub_status_counts');
  });

  test('the time left comes from the rates of running jobs, otherwise from the slowest job', () => {
    const rows = { total: 100, processed: 50 };
    const both = [job('running', { ...rows, rows_per_second: 3 }), job('running', { ...rows, rows_per_second: 2 })];
    expect(sumJobs(both)).toMatchObject({ rows_per_second: 5, eta_seconds: 20 });
    expect(sumJobs(both.map((part) => ({ ...part, eta_seconds: null }))).eta_seconds).toBeNull();
    expect(sumJobs([job('running', rows), job('running', rows)])).not.toHaveProperty('eta_seconds');
    expect(sumJobs([job('running', { eta_seconds: 7 }), job('running', { eta_seconds: 9 })]).eta_seconds).toBe(9);
  });

  test('the end is that of the last job, once all have ended', () => {
    const ended = [job('completed', { finished_at: '2026-01-01' }), job('completed', { finished_at: '2026-01-02' })];
    expect(sumJobs(ended).finished_at).toBe('2026-01-02');
    expect(sumJobs(ended.toReversed()).finished_at).toBe('2026-01-02');
    expect(sumJobs([...ended, job('running', { finished_at: null })])).not.toHaveProperty('finished_at');
  });

  test.each([
    { name: 'all running jobs lost their worker', others: [job('completed')], want: true },
    { name: 'a live worker continues with the others', others: [job('running')], want: false },
  ])('interrupted: $name', ({ others, want }) => {
    expect(sumJobs([job('running', { interrupted: true }), ...others]).interrupted).toBe(want);
  });

  test('has all their ids, and no fields of the first one only', () => {
    const sum = sumJobs([
      { id: 'a', status: 'completed', filename: 'list-1.csv' },
      { id: 'b', status: 'completed', filename: 'list-2.csv' },
    ]);
    expect(sum.id).toBe('a,b');
    expect(sum.filename).toBeUndefined();
  });
});

describe('a list that is several jobs at a service', () => {
  const list = () => {
    const states: Record<string, string> = { a: 'completed', b: 'running' };
    const calls: string[] = [];
    const call = (name: string, status?: string) => async (id: string) => {
      calls.push(`${name} ${id}`);
      if (status !== undefined) states[id] = status;
      return { id, status: states[id] ?? '' };
    };
    async function* rows(id: string): JobResults['rows'] {
      yield [{ cells: [id], email: id, verdict: null }];
    }
    const service = fakeService({
      getJob: call('get'),
      cancelJob: call('cancel', 'canceled'),
      resumeJob: call('resume', 'queued'),
      deleteJob: call('delete'),
      jobResults: async (id) => ({ columns: ['email'], rows: rows(id) }),
    });
    return { states, calls, joined: joinJobs(service) };
  };

  test('is polled until each has ended', async () => {
    const { states, calls, joined } = list();
    expect((await joined.getJob('a,b')).status).toBe('running');
    states['b'] = 'completed';
    expect(await joined.getJob('a,b')).toMatchObject({
      id: 'a,b',
      status: 'completed',
      jobs: [{ id: 'a' }, { id: 'b' }],
    });
    expect(calls).toEqual(['get a', 'get b', 'get b']);
  });

  test.each([
    { name: 'canceled where it runs', act: 'cancelJob', want: ['cancel b'], status: 'canceled' },
    { name: 'resumed where it is not complete', act: 'resumeJob', want: ['resume b'], status: 'running' },
    { name: 'deleted as a whole', act: 'deleteJob', want: ['delete a', 'delete b'], status: 'running' },
  ] as const)('is $name', async ({ act, want, status }) => {
    const { calls, joined } = list();
    expect((await joined[act]('a,b')).status).toBe(status);
    expect(calls.slice(2)).toEqual(want);
  });

  test('has the rows of all, in order', async () => {
    const emails: string[] = [];
    for await (const rows of (await list().joined.jobResults('a,b')).rows)
      emails.push(...rows.map(({ email }) => email));
    expect(emails).toEqual(['a', 'b']);
  });
});

test.each([
  { name: 'all rows', forgotten_count: 0, rows: 3, isComplete: true },
  { name: 'one row less', forgotten_count: 0, rows: 2, isComplete: false },
  // The counts of a job leave out rows that were forgotten.
  { name: 'one row less than the rows that are left', forgotten_count: 1, rows: 2, isComplete: false },
])('$name of a service: complete $isComplete', async ({ forgotten_count, rows, isComplete }) => {
  async function* batches(): JobResults['rows'] {
    yield Array.from({ length: rows }, () => ({ cells: [], email: '', verdict: null }));
  }
  const job = { id: 'a', status: 'completed', processed: 3, forgotten_count };
  const read = async (): Promise<number> => {
    let received = 0;
    const all = requireAllRows({ columns: [], rows: batches() }, job, (...words) => words.join(' '));
    for await (const batch of all.rows) received += batch.length;
    return received;
  };
  await (isComplete ? expect(read()).resolves.toBe(rows) : expect(read()).rejects.toThrow('2 of 3 rows'));
});
