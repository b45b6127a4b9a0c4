import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFileLock } from '../../../../src/disk/file-lock.js';
import { newIdentity, pidOf } from '../../../../src/disk/process-identity.js';
import { registerDriver } from '../../../../src/jobs/store/sqlite/driver-registry.js';
import { makeHome } from '../../../fakes/job-lab.js';

const dead = newIdentity().split('~').with(3, '4194305').join('~');
let home: string;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('users of the store', () => {
  test('any number of processes can use one build of SQLite', async () => {
    const leave = await Promise.all([registerDriver(home, 'wasm'), registerDriver(home, 'wasm')]);
    expect(readdirSync(home)).toHaveLength(2);
    for (const one of leave) one();
    expect(readdirSync(home)).toEqual([]);
  });

  test('the other build is refused until they have closed the store', async () => {
    const leave = await registerDriver(home, 'wasm');
    await expect(registerDriver(home, 'node', 0)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    expect(readdirSync(home)).toHaveLength(1);
    const waiting = registerDriver(home, 'node', 50);
    leave();
    (await waiting)();
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([
    { name: 'a killed process', file: `wasm~~${dead}`, stays: false },
    { name: 'a file of another program', file: '.DS_Store', stays: true },
  ])('$name does not block other processes', async ({ file, stays }) => {
    writeFileSync(join(home, file), '');
    (await registerDriver(home, 'node', 0))();
    expect(readdirSync(home)).toEqual(stays ? [file] : []);
  });

  test('a process whose state is unknown counts as alive', async () => {
    writeFileSync(join(home, 'wasm~~elsewhere~~~77~~x~1'), '');
    await expect(registerDriver(home, 'node', 0)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('process 77'),
    });
  });
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
