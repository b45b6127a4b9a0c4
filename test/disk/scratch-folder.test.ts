import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeScratchFolder } from '../../src/disk/private-folder.js';
import { newIdentity } from '../../src/disk/process-identity.js';

const made: string[] = [];
const scratch = async (): Promise<string> => {
  const folder = await makeScratchFolder('test');
  made.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A name as a process has it that has ended. */
function nameOfTheDead(): string {
  const { pid } = spawnSync(process.execPath, ['--version']);
  return newIdentity().replace(`~${process.pid}~`, `~${pid}~`);
}

test('a folder is private, and each call has its own', async () => {
  const [one, other] = [await scratch(), await scratch()];
  expect(statSync(one).mode & 0o777).toBe(0o700);
  expect(other).not.toBe(one);
  expect(existsSync(one)).toBe(true);
});

test('what a killed process left is removed, and nothing else', async () => {
  const left = join(tmpdir(), `mailvet-test-${nameOfTheDead()}`);
  const foreign = join(tmpdir(), `mailvet-testing-${nameOfTheDead()}`);
  made.push(left, foreign);
  for (const folder of [left, foreign]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'part.csv'), 'ada@python.org\n');
  }
  const living = await scratch();
  await scratch();
  expect([left, foreign, living].filter(existsSync).map((path) => basename(path))).toEqual([
    basename(foreign),
    basename(living),
  ]);
});

test.each([
  { name: 'without user ids, as on Windows', user: null, isKept: false },
  { name: 'of another user', user: 54_321, isKept: true },
])('the folder of a dead process $name: kept is $isKept', async ({ user, isKept }) => {
  const left = join(tmpdir(), `mailvet-test-${nameOfTheDead()}`);
  mkdirSync(left);
  made.push(left, await makeScratchFolder('test', user));
  expect(existsSync(left)).toBe(isKept);
});
