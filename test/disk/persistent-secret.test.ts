import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { persistentSecret } from '../../src/disk/persistent-secret.js';

const home = mkdtempSync(join(tmpdir(), 'mailvet-secret-'));
const mailboxSecret = (folder: string) => persistentSecret(folder, 'random-mailbox.key');
const file = join(home, 'random-mailbox.key');
const victim = join(home, 'victim');
afterEach(() => rmSync(file, { force: true }));

test('a secret is created once and persists, readable by its owner only', () => {
  const first = mailboxSecret(home)();
  expect(first).toHaveLength(32);
  expect(mailboxSecret(home)()).toEqual(first);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a truncated secret is replaced', () => {
  writeFileSync(file, 'cut');
  const fresh = mailboxSecret(home)();
  expect(fresh).toHaveLength(32);
  expect(readFileSync(file)).toEqual(fresh);
});

test.each([
  { name: 'a link', put: () => symlinkSync(victim, file) },
  { name: 'a pipe', put: () => execFileSync('mkfifo', [file]) },
])('$name in its place is replaced, and its target stays unchanged', ({ put }) => {
  writeFileSync(victim, 'mine');
  put();
  const fresh = mailboxSecret(home)();
  expect(lstatSync(file).isFile()).toBe(true);
  expect(mailboxSecret(home)()).toEqual(fresh);
  expect(readFileSync(victim, 'utf8')).toBe('mine');
});

test('without a writable folder, each run has its own secret', () => {
  writeFileSync(file, 'no folder');
  const nowhere = join(file, 'beneath a file');
  expect(mailboxSecret(nowhere)()).not.toEqual(mailboxSecret(nowhere)());
});
