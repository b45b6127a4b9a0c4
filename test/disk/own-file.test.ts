import { chownSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isOwnFile } from '../../src/disk/own-file.js';
import { freshFolder } from '../cli/run-cli.js';

test('only a regular file of this user is its own', async () => {
  const folder = freshFolder();
  const path = join(folder, 'list.csv.partial');
  expect(await isOwnFile(path)).toBe(false);
  writeFileSync(path, 'email\n');
  expect(await isOwnFile(path)).toBe(true);
  symlinkSync(path, join(folder, 'link'));
  expect(await isOwnFile(join(folder, 'link'))).toBe(false);
  expect(await isOwnFile(folder)).toBe(false);
});

test.runIf(process.geteuid?.() === 0)('a file of another user is not', async () => {
  const path = join(freshFolder(), 'planted');
  writeFileSync(path, '');
  chownSync(path, 65_534, 65_534);
  expect(await isOwnFile(path)).toBe(false);
});
