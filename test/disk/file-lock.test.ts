import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openFileLock } from '../../src/disk/file-lock.js';
import { newIdentity, pidOf } from '../../src/disk/process-identity.js';
import { freshFolder } from '../cli/run-cli.js';

const dead = newIdentity().split('~').with(3, '4194305').join('~');
let home: string;
beforeEach(() => {
  home = freshFolder();
});

test('a lock that a user removed is not released for the process that holds it since', () => {
  const path = join(home, 'lock');
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

describe('a lock', () => {
  const open = () => openFileLock(join(home, 'lock'));

  test('names its holder, or null if it is free', () => {
    const lock = open();
    expect(lock.holder()).toBeNull();
    expect(lock.tryAcquire()).toBe(true);
    expect(lock.tryAcquire()).toBe(true);
    expect(pidOf(lock.holder() ?? '')).toBe(process.pid);
    lock.close();
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([
    { name: 'the name of a dead process', fill: () => writeFileSync(join(home, 'lock', dead), ''), free: true },
    { name: 'a folder of a dead process', fill: () => mkdirSync(join(home, 'lock', dead)), free: true },
    { name: 'nothing', fill: () => {}, free: true },
    {
      name: 'a name of a process whose state is unknown',
      fill: () => writeFileSync(join(home, 'lock', 'x'), ''),
      free: false,
    },
  ])('that holds $name is free: $free', ({ fill, free }) => {
    mkdirSync(join(home, 'lock'));
    fill();
    const lock = open();
    expect(lock.tryAcquire()).toBe(free);
    lock.close();
  });

  test('reports that its directory was removed by hand', () => {
    const lock = open();
    rmSync(home, { recursive: true });
    expect(() => lock.tryAcquire()).toThrowError(expect.objectContaining({ code: 'storage' }));
    lock.close();
  });

  test('reports that it cannot be created', () => {
    writeFileSync(join(home, 'file'), '');
    expect(() => openFileLock(join(home, 'file', 'lock'))).toThrowError(expect.objectContaining({ code: 'storage' }));
  });
});
