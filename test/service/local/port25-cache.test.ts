import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openPort25Cache } from '../../../src/service/local/port25-cache.js';

const home = mkdtempSync(join(tmpdir(), 'mailvet-port-'));
const file = join(home, 'port-25-blocked.json');
afterEach(() => rmSync(file, { force: true }));

const hour = 3_600_000;

test.each([
  { name: 'keeps the finding for an hour', later: hour - 1, network: 'office', want: true },
  { name: 'drops the finding after an hour', later: hour, network: 'office', want: false },
  { name: 'does not apply the finding to another network', later: 0, network: 'home', want: false },
  { name: 'drops the finding if the clock was set back', later: -1, network: 'office', want: false },
])('$name', ({ later, network, want }) => {
  openPort25Cache(
    home,
    () => hour,
    () => 'office',
  ).set();
  const after = openPort25Cache(
    home,
    () => hour + later,
    () => network,
  );
  expect(after.get()).toBe(want);
});

test('a file that is not JSON counts as empty', () => {
  writeFileSync(file, '{');
  expect(openPort25Cache(home).get()).toBe(false);
});

test('without a writable data directory, nothing is cached', () => {
  writeFileSync(file, '');
  const nowhere = openPort25Cache(join(file, 'beneath a file'));
  nowhere.set();
  expect(nowhere.get()).toBe(false);
});

test('a link in its place is replaced, and its target stays unchanged', () => {
  const victim = join(home, 'victim');
  writeFileSync(victim, 'mine');
  symlinkSync(victim, file);
  openPort25Cache(home).set();
  expect(openPort25Cache(home).get()).toBe(true);
  expect(readFileSync(victim, 'utf8')).toBe('mine');
});

test('only the user may read it', () => {
  openPort25Cache(home).set();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('the entry can be cleared', () => {
  const memory = openPort25Cache(home);
  memory.set();
  memory.clear();
  expect(memory.get()).toBe(false);
  memory.clear();
});
