import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makePrivateFolder } from '../../src/disk/private-folder.js';

const root = mkdtempSync(join(tmpdir(), 'mailvet-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

test('all created folders are private', () => {
  makePrivateFolder(join(root, 'a', 'b', 'c'));
  for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(root, path)).mode & 0o777).toBe(0o700);
});

test('existing folders stay unchanged', () => {
  const existing = join(root, 'mine');
  mkdirSync(existing, { mode: 0o755 });
  makePrivateFolder(existing);
  expect(statSync(existing).mode & 0o777).toBe(0o755);
});

test('a file in place of the folder is an error', () => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  expect(() => makePrivateFolder(file)).toThrow('EEXIST');
  expect(() => makePrivateFolder(join(file, 'below'))).toThrow(/EEXIST|ENOTDIR/);
});

test.runIf(process.platform === 'linux')(
  'a file system that accepts no folders is an error, not an endless loop',
  () => {
    expect(() => makePrivateFolder('/proc/no/such/folder')).toThrow('ENOENT');
  },
);
