import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makePrivateFolder } from '../../src/disk/private-folder.js';

const root = mkdtempSync(join(tmpdir(), 'mailvet-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

test('all folders that it creates are private', () => {
  makePrivateFolder(join(root, 'a', 'b', 'c'));
  for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(root, path)).mode & 0o777).toBe(0o700);
});

test('existing folders stay unchanged', () => {
  const mine = join(root, 'mine');
  mkdirSync(mine, { mode: 0o755 });
  makePrivateFolder(mine);
  expect(statSync(mine).mode & 0o777).toBe(0o755);
});

test('a file in its place is an error', () => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  expect(() => makePrivateFolder(file)).toThrow('EEXIST');
  expect(() => makePrivateFolder(join(file, 'below'))).toThrow(/EEXIST|ENOTDIR/);
});

test.runIf(process.platform === 'linux')('a file system that takes no folders is an error, and no endless loop', () => {
  expect(() => makePrivateFolder('/proc/no/such/folder')).toThrow('ENOENT');
});
