import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileLock } from '../../src/disk/file-lock.js';
import { freshFolder } from '../cli/run-cli.js';

test('a lock that a user removed is not released for the process that holds it since', () => {
  const path = join(freshFolder(), 'lock');
  const first = openFileLock(path);
  const second = openFileLock(path);
  expect(first.tryAcquire()).toBe(true);
  rmSync(path, { recursive: true });
  expect(second.tryAcquire()).toBe(true);
  const holder = second.holder();
  first.close();
  expect(second.holder()).toBe(holder);
  second.close();
  expect(second.holder()).toBeNull();
});
