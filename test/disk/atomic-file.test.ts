import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAtomicFile } from '../../src/disk/atomic-file.js';

let folder: string;
const pathOf = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailvet-atomic-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the old file stays until the new one is complete', async () => {
  writeFileSync(pathOf('list'), 'old');
  const file = await openAtomicFile(pathOf('list'), pathOf('list.part'));
  await file.handle.writeFile('new');
  expect(readFileSync(pathOf('list'), 'utf8')).toBe('old');
  await file.commit();
  expect(readFileSync(pathOf('list'), 'utf8')).toBe('new');
  expect(statSync(pathOf('list')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['list']);
});

test('a discarded file leaves nothing, even if discarded twice', async () => {
  const file = await openAtomicFile(pathOf('list'), pathOf('list.part'));
  await file.discard();
  await file.discard();
  expect(readdirSync(folder)).toEqual([]);
});

test('a target that cannot be replaced leaves nothing, and the error says why', async () => {
  mkdirSync(pathOf('list'));
  writeFileSync(join(pathOf('list'), 'inside'), '');
  const file = await openAtomicFile(pathOf('list'), pathOf('list.part'));
  await expect(file.commit()).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(['list']);
});

test('a link under the temporary name is not followed', async () => {
  symlinkSync(pathOf('elsewhere'), pathOf('list.part'));
  await expect(openAtomicFile(pathOf('list'), pathOf('list.part'))).rejects.toMatchObject({ code: 'EEXIST' });
});
