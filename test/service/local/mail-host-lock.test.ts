import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMailHostLock } from '../../../src/service/local/mail-host-lock.js';
import { fakeClock } from '../../fakes/clock.js';

test('the first process asks alone, until it has wanted no second session for a while', async () => {
  const home = mkdtempSync(join(tmpdir(), 'host-lock-'));
  const clock = fakeClock();
  const notes: string[] = [];
  const first = openMailHostLock(home, undefined, clock);
  const second = openMailHostLock(home, (text) => notes.push(text), clock);
  expect([first.isAlone(), second.isAlone()]).toEqual([true, false]);
  expect(notes).toEqual([`mailvet process ${process.pid} asks mail hosts, too: each gets one session of this run.`]);
  await clock.advance(9_000);
  expect([first.isAlone(), second.isAlone()]).toEqual([true, false]);
  await clock.advance(20_000);
  expect([second.isAlone(), first.isAlone()]).toEqual([true, false]);
  second.close();
  await clock.advance(1_000);
  expect(first.isAlone()).toBe(true);
  first.close();
  expect(clock.pending).toBe(0);
});

test('with a data directory that cannot be written, a process asks alone', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'host-lock-')), 'file');
  writeFileSync(file, '');
  const lock = openMailHostLock(join(file, 'home'));
  expect(lock.isAlone()).toBe(true);
  lock.close();
});
