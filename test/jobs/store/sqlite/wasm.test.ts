import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openFileLock } from '../../../../src/disk/file-lock.js';
import { openWasm } from '../../../../src/jobs/store/sqlite/wasm.js';
import { makeHome } from '../../../fakes/job-lab.js';

let home: string;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(home, { recursive: true, force: true });
});

test('a process that yields the store to another one does not take it back at once', async () => {
  const path = join(home, 'store.db');
  const store = await openWasm(path, {});
  const other = openFileLock(`${path}.mutex`);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const asked = store.write(() => {
    expect(other.tryAcquire()).toBe(false);
    // Another process requests the store, and the turn of this one ends.
    writeFileSync(`${path}.wanted`, '');
    vi.advanceTimersByTime(60);
  });
  const next = store.write((sql) => sql.run('CREATE TABLE t (x)'));
  await asked;
  // Runs everything that can continue without time passing.
  for (let step = 0; step < 20; step++) await new Promise(setImmediate);
  expect(other.tryAcquire()).toBe(true);
  rmSync(`${path}.wanted`);
  other.release();
  await vi.advanceTimersByTimeAsync(1_000);
  await next;
  other.close();
  await store.close();
});
