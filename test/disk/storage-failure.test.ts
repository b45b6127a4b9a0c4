import { expect, test } from 'vitest';
import { storageFailure } from '../../src/disk/storage-failure.js';

test.each([
  { text: 'attempt to write a readonly database', says: 'read-only' },
  { text: 'EROFS: read-only file system, mkdir', says: 'read-only' },
  { text: 'EACCES: permission denied, open', says: 'read-only' },
  { text: 'database or disk is full', says: 'full' },
  { text: 'ENOSPC: no space left on device, write', says: 'full' },
  { text: 'disk I/O error', says: 'full or failing' },
  { text: 'database disk image is malformed', says: 'damaged' },
  { text: 'file is not a database', says: 'damaged' },
  { text: 'unable to open database file', says: 'cannot be opened' },
])('$text: $says', ({ text, says }) => {
  const failure = storageFailure(Object.assign(new Error(text), { name: 'SQLite3Error' }), '/data/store.db');
  expect(failure.code).toBe('storage');
  expect(failure.message).toContain(says);
  expect(failure.hint).not.toBeNull();
});

test.each([new TypeError('x is undefined'), 'a text', null])(
  '%s is a bug, and not reported as a storage failure',
  (bug) => {
    let thrown: unknown = 'nothing';
    try {
      storageFailure(bug, '/data/store.db');
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBe(bug);
  },
);
