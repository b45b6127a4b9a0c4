import { expect, test } from 'vitest';
import { renderJob, renderJobs } from '../../../src/cli/render/jobs.js';
import { shortId } from '../../../src/model/text/short-id.js';

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

const command = (...words: readonly string[]): string => ['mailvet', ...words.map(shortId)].join(' ');

const style = { color: false, columns: 100, unicode: true };

test('shows jobs as a table on a wide terminal', () => {
  const [header, row] = renderJobs([job], style, now, command).split('\n');
  expect(header).toMatch(/^ID +STATE +DONE +✔ +▲ +✖ +\? +AGE +FILE$/);
  expect(row).toMatch(/^62e723e7 +completed +█{10} 100% +19,990 +10 +1 min +late.*\.csv$/);
});

test('leaves out the bar if it would cut the name of a file', () => {
  const long = { ...job, filename: 'customers-of-november.csv' };
  const [header, row, other] = renderJobs([long, job], { ...style, columns: 80 }, now, command).split('\n');
  expect(header).toMatch(/STATE +DONE +✔/);
  expect(row).toMatch(/completed {2}100% +19,990 .* customers-of-november\.csv$/);
  expect(other).toContain('completed  100%  19,990');
  expect(renderJobs([long], { ...style, columns: 90 }, now, command)).toContain('█ 100%');
});

test('uses ASCII signs and bars on a screen that shows only ASCII', () => {
  const text = renderJobs([{ ...job, processed: 15_000 }], { ...style, unicode: false }, now, command);
  expect(text).toMatch(/ID +STATE +DONE +\+ +! +x +\?/);
  expect(text).toContain('#######...  75%');
});

test('shows a job without a worker as interrupted', () => {
  expect(renderJobs([{ ...job, status: 'running', interrupted: true }], style, now, command)).toContain('interrupted');
});

test.each([40, 60, 80, 100, 200])('fits %d columns without losing counts', (columns) => {
  const long = { ...job, filename: `${'newsletter-'.repeat(12)}.csv` };
  const text = renderJobs([job, long], { ...style, columns }, now, command);
  expect(text.split('\n').filter((line) => line.length > columns)).toEqual([]);
  expect(text).toContain('62e723e7');
  expect(text).toMatch(/19,990/);
  // Without a title above it, a time says what it is.
  expect(text).toContain(columns < 60 ? '1 min ago' : '1 min');
  expect(text).not.toContain('\u001b');
});

test.each([
  { email_column: 'email', unit: 'rows' },
  { email_column: 'work,private', unit: 'cells' },
])('says what it counts in $email_column', ({ email_column, unit }) => {
  const text = renderJob({ ...job, email_column, empty_count: 4 }, style, command);
  expect(text).toContain(`100% · 20,000 of 20,000 ${unit}`);
  expect(text).toContain(`4 ${unit} without an address`);
});

test('shows the reasons and the local times of one job', () => {
  const text = renderJob(
    { ...job, created_at: '2023-11-15T12:00:00.000Z', sub_status_counts: { '': 19_990, no_dns_entries: 10 } },
    style,
    command,
  );
  expect(text).toMatch(/^Job +62e723e7-db04-4ae8-a301-1670294f0176\nState +completed\n/);
  expect(text).toContain('✔ 19,990 valid   ▲ 0 risky   ✖ 10 invalid');
  expect(text).toMatch(/✖ {2}10 {2}no such domain/);
  expect(text).toMatch(/Next +mailvet jobs results 62e723e7 -o/);
  expect(text).toMatch(/Created +2023-11-1[456] \d\d:\d\d/);
});
