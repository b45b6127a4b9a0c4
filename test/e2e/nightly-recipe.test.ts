import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { bareEnvironment } from './run-binary.js';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'mailvet-recipe-'));
const pathOf = (name: string): string => join(folder, name);
let recipe = '';

beforeAll(() => {
  const page = readFileSync(join(root, 'docs/jobs.md'), 'utf8');
  const [, script] = /Save this as `\/srv\/lists\/nightly\.sh`:\n\n```\n(.*?)```/s.exec(page) ?? [];
  recipe = (script ?? '').replace('/srv/lists', folder);
  writeFileSync(pathOf('mailvet'), `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'bin/mailvet.js')}" "$@"\n`);
  chmodSync(pathOf('mailvet'), 0o755);
});

function runNight(people: readonly string[], script = recipe): { status: number; out: string } {
  writeFileSync(pathOf('list.csv'), `email\n${people.map((email) => `${email}\n`).join('')}`);
  const env = {
    ...bareEnvironment(),
    MAILVET_HOME: pathOf('home'),
    MAILVET_LEVEL: 'syntax',
    PATH: `${folder}:${process.env['PATH']}`,
  };
  try {
    return { status: 0, out: execFileSync('sh', ['-c', script], { env, encoding: 'utf8', stdio: 'pipe' }) };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { status, out: stdout };
  }
}

const people = Array.from({ length: 300 }, (_, at) => `p${at}@python.org`);

test('the nightly recipe of docs/jobs.md reports changes, applies guards, and loses no report', {
  timeout: 60_000,
}, () => {
  const first = runNight(people);
  expect(first.status).toBe(0);
  expect(first.out.split('\n')).toHaveLength(202);
  expect(first.out).toContain('300 lines changed; all are in changes.csv');
  expect(runNight(people)).toEqual({ status: 0, out: '' });
  // Killed after the list was vetted and before the changes were mailed.
  const killed = recipe.slice(0, recipe.indexOf('mailvet diff'));
  expect(runNight([...people, 'new1@python.org'], `${killed} exit 137`).status).toBe(137);
  const next = runNight([...people, 'new1@python.org', 'new2@python.org']);
  expect([next.status, next.out.match(/new\d@python\.org/g)]).toEqual([0, ['new1@python.org', 'new2@python.org']]);
  const oldOutput = readFileSync(pathOf('vetted.csv'), 'utf8');
  expect(runNight(people.slice(0, 100))).toEqual({ status: 1, out: '' });
  expect(readFileSync(pathOf('vetted.csv'), 'utf8')).toBe(oldOutput);
  expect(existsSync(pathOf('new.csv'))).toBe(true);
});
