import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sanitizeScreen } from '../../src/cli/terminal/sanitize.js';
import { freshFolder, runCli } from '../cli/run-cli.js';
import { fakeService, resultOf } from '../fakes/service.js';

/** Clears the screen, sets the title, reverses and hides text, also with eight-bit controls. */
const evil = '\x1b[2J\x1b]0;owned\x07\u202eabc\u200b\x9b31m\x7f\x00\u2028';
const unsafe = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e]/;

const hostile = fakeService(
  {
    previewUpload: async () => ({
      upload_id: `id${evil}`,
      filename: `list${evil}.csv`,
      columns: [`name${evil}`, `email${evil}`],
      suggested_email_column: `email${evil}`,
      sample_rows: [[`x${evil}`, `a@b.co${evil}`]],
      row_count: 1,
      row_count_exact: true,
    }),
    listJobs: async ({ skip, limit }) => ({ jobs: [hostileJob], skip, limit, total: 1 }),
    getJob: async () => hostileJob,
  },
  (email) => resultOf(email, resultFields),
);
const resultFields = { status: `odd${evil}`, sub_status: `why${evil}`, did_you_mean: `b@c.co${evil}`, reasons: [evil] };
const hostileJob = { id: `id${evil}`, status: `running${evil}`, filename: `f${evil}`, error: evil, email_column: evil };

const list = join(freshFolder(), 'list.csv');
writeFileSync(list, `name${evil.replaceAll('\x00', '')},email\nx${evil.replaceAll('\x00', '')},a@b.co\n`);

describe('no control characters reach a screen', () => {
  test.each([
    ...['table', 'csv', 'json', 'ndjson', 'plain'].map((format) => ['bulk', list, '--format', format]),
    ...['table', 'json', 'ndjson', 'csv', 'plain'].map((format) => ['validate', `a${evil}@b.co`, '--format', format]),
    ['validate', `a${evil}@b.co`, '--explain'],
    ['upload', list, '--dry-run'],
    ['jobs', 'list'],
    ['jobs', 'list', '--json'],
    ['jobs', 'get', 'x'],
    ['jobs', 'get', 'x', '--json'],
    ['config', 'get', evil],
    ['upload', list, '--column', evil],
    [`un${evil}known`],
  ])('mailvet %s %s %s %s', async (...args) => {
    const { out, err } = await runCli(args.filter((arg) => arg !== undefined) as string[], { service: hostile });
    expect(out + err).not.toBe('');
    // Our own progress line, on a slow machine.
    expect(unsafe.exec((out + err).replaceAll('\r\x1b[K', ''))).toBeNull();
  });

  test('keeps our own colors', () => {
    expect(sanitizeScreen('\x1b[32mok\x1b[39m\n\x1b[1;31mbad\x1b]0;x\x07\x1b[0m')).toBe(
      '\x1b[32mok\x1b[39m\n\x1b[1;31mbad\ufffd]0;x\ufffd\x1b[0m',
    );
  });

  test('writes data unchanged to a file and a pipe', async () => {
    const { out } = await runCli(['bulk', list, '--format', 'csv'], { service: hostile, tty: false });
    expect(out).toContain('\x1b]0;owned\x07');
  });
});
