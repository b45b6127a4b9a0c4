import { expect, test } from 'vitest';
import { renderJobs } from '../../../src/cli/render/jobs.js';

const job = {
  id: '62e723e7-db04-4ae8-a301-1670294f0176',
  status: 'completed',
  filename: 'late\u001b[31m.csv',
  total: 20_000,
  processed: 20_000,
  valid_count: 19_990,
  invalid_count: 10,
  created_at: '2026-11-15T00:00:00.000Z',
};
const now = Date.parse('2026-11-15T00:01:00.000Z');

test('a page of jobs is a table where the terminal is wide enough', () => {
  const [header, row] = renderJobs([job], { colour: false, columns: 160 }, now).split('\n');
  expect(header).toMatch(/^id +status +done +valid/);
  expect(row).toMatch(/^62e723e7.* completed .*19,990/);
});

test.each([40, 80])('in %d columns no line of it is wider, nothing that counts is lost', (columns) => {
  const text = renderJobs([job], { colour: true, columns }, now);
  expect(text.split('\n').filter((line) => line.length > columns)).toEqual([]);
  expect(text).toContain(job.id);
  expect(text).toContain('19,990 valid, 10 invalid');
  expect(text).not.toContain('\u001b');
});
