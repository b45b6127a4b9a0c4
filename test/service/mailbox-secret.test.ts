import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { mailboxSecret } from '../../src/service/mailbox-secret.js';

const home = mkdtempSync(join(tmpdir(), 'mailvet-secret-'));
const file = join(home, 'random-mailbox.key');
afterEach(() => rmSync(file, { force: true }));

test('it is made once and lasts, readable by nobody else', () => {
  const first = mailboxSecret(home)();
  expect(first).toHaveLength(32);
  expect(mailboxSecret(home)()).toEqual(first);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('one that a full disk cut short is made anew', () => {
  writeFileSync(file, 'cut');
  const fresh = mailboxSecret(home)();
  expect(fresh).toHaveLength(32);
  expect(readFileSync(file)).toEqual(fresh);
});

test('where nothing can be kept, each run has its own', () => {
  writeFileSync(file, 'no folder');
  const nowhere = join(file, 'beneath a file');
  expect(mailboxSecret(nowhere)()).not.toEqual(mailboxSecret(nowhere)());
});
