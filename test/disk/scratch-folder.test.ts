import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeScratchFolder } from '../../src/disk/private-folder.js';
import { newIdentity } from '../../src/disk/process-identity.js';

const created: string[] = [];
const scratch = async (): Promise<string> => {
  const folder = await makeScratchFolder('test');
  created.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of created.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The folder name of a process that has ended. */
function nameOfDeadProcess(): string {
  const { pid } = spawnSync(process.execPath, ['--version']);
  return newIdentity().replace(`~${process.pid}~`, `~${pid}~`);
}

test('a folder is private, and each call has its own', async () => {
  const [one, other] = [await scratch(), await scratch()];
  expect(statSync(one).mode & 0o777).toBe(0o700);
  expect(other).not.toBe(one);
  expect(existsSync(one)).toBe(true);
});

test('only the folders of killed processes are removed', async () => {
  const leftover = join(tmpdir(), `mailvet-test-${nameOfDeadProcess()}`);
  const foreign = join(tmpdir(), `mailvet-testing-${nameOfDeadProcess()}`);
  created.push(leftover, foreign);
  for (const folder of [leftover, foreign]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'part.csv'), 'ada@python.org\n');
  }
  const living = await scratch();
  await scratch();
  expect([leftover, foreign, living].filter(existsSync).map((path) => basename(path))).toEqual([
    basename(foreign),
    basename(living),
  ]);
});

test.each([
  { name: 'without user ids, as on Windows', user: null, isKept: false },
  { name: 'of another user', user: 54_321, isKept: true },
])('the folder of a dead process $name: kept is $isKept', async ({ user, isKept }) => {
  const leftover = join(tmpdir(), `mailvet-test-${nameOfDeadProcess()}`);
  mkdirSync(leftover);
  created.push(leftover, await makeScratchFolder('test', user));
  expect(existsSync(leftover)).toBe(isKept);
});
