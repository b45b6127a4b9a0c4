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
const at = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailvet-atomic-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('what was there stays until the new file is whole', async () => {
  writeFileSync(at('list'), 'old');
  const file = await openAtomicFile(at('list'), at('list.part'));
  await file.handle.writeFile('new');
  expect(readFileSync(at('list'), 'utf8')).toBe('old');
  await file.commit();
  expect(readFileSync(at('list'), 'utf8')).toBe('new');
  expect(statSync(at('list')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['list']);
});

test('a discarded file leaves nothing, even if discarded twice', async () => {
  const file = await openAtomicFile(at('list'), at('list.part'));
  await file.discard();
  await file.discard();
  expect(readdirSync(folder)).toEqual([]);
});

test('a target that cannot be replaced leaves nothing, and the error says why', async () => {
  mkdirSync(at('list'));
  writeFileSync(join(at('list'), 'inside'), '');
  const file = await openAtomicFile(at('list'), at('list.part'));
  await expect(file.commit()).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(['list']);
});

test('a link under the temporary name is not followed', async () => {
  symlinkSync(at('elsewhere'), at('list.part'));
  await expect(openAtomicFile(at('list'), at('list.part'))).rejects.toMatchObject({ code: 'EEXIST' });
});
