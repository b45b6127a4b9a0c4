import { expect, test } from 'vitest';
import { findJobId } from '../../../../src/cli/commands/jobs/find-job.js';
import { fakeService } from '../../../fakes/service.js';

const jobs = [
  { id: 'b7710e4d-0000-4000-8000-000000000001', status: 'running', filename: 'new.csv' },
  { id: '3f2a91c0-0000-4000-8000-000000000002', status: 'completed' },
  { id: '3f2a0000-0000-4000-8000-000000000003', status: 'completed' },
  { id: 'job-7', status: 'odd' },
  { id: 'List-8', status: 'odd' },
];
const service = fakeService({
  listJobs: async ({ skip, limit }) => ({ jobs: jobs.slice(skip, skip + limit), skip, limit }),
});
const { signal } = new AbortController();

test.each([
  { name: 'the newest', text: 'latest', want: jobs[0]?.id },
  { name: 'a beginning', text: 'b77', want: jobs[0]?.id },
  { name: 'in capitals', text: 'B77', want: jobs[0]?.id },
  { name: 'an id of another shape', text: 'job-7', want: 'job-7' },
  { name: 'the beginning of an id with capitals', text: 'list', want: 'List-8' },
  { name: 'an id that is not in the list', text: 'job-8', want: 'job-8' },
])('$name', async ({ text, want }) => expect(await findJobId(service, text, signal)).toBe(want));

test('the latest job of a service is the newest by time, wherever it is listed', async () => {
  const times = ['2026-01-02T00:00:00Z', '2026-03-01T00:00:00Z', '2026-02-01T00:00:00Z'];
  const listed = times.map((created_at, at) => ({ id: `job-${at}`, status: 'done', created_at }));
  const foreign = fakeService({ listJobs: async (page) => ({ jobs: listed, ...page }) });
  expect(await findJobId(foreign, 'latest', signal)).toBe('job-1');
});

test('reads all pages of a service whose pages are smaller than requested', async () => {
  const listed = Array.from({ length: 60 }, (_, at) => ({ id: `job-${at}x`, status: 'done' }));
  const smallPages = fakeService({
    listJobs: async ({ skip }) => ({ jobs: listed.slice(skip, skip + 25), total: 60, skip, limit: 25 }),
  });
  expect(await findJobId(smallPages, 'job-59', signal)).toBe('job-59x');
});

test('lists the jobs that share a beginning', async () => {
  await expect(findJobId(service, '3f2a', signal)).rejects.toMatchObject({
    code: 'usage',
    message: '2 jobs begin with 3f2a.',
  });
});

test('refuses an empty id', async () => {
  await expect(findJobId(service, '', signal)).rejects.toMatchObject({ code: 'usage', message: /empty/ });
});

test('does not search for a complete id', async () => {
  const id = 'aaaaaaaa-0000-4000-8000-000000000009';
  expect(await findJobId(fakeService(), id, signal)).toBe(id);
});

test('finds no latest job if there are none', async () => {
  const emptyService = fakeService({ listJobs: async (page) => ({ jobs: [], ...page }) });
  await expect(findJobId(emptyService, 'latest', signal)).rejects.toMatchObject({ code: 'not_found' });
});
