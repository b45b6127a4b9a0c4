import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newIdentity } from '../../../../src/disk/process-identity.js';
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
