import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isOwnFile, readProblem, readSmallFile } from '../../src/disk/own-file.js';
import { freshFolder } from '../cli/run-cli.js';

test('isOwnFile accepts only a regular file of this user', () => {
  const folder = freshFolder();
  const path = join(folder, 'list.csv.partial');
  expect(isOwnFile(path)).toBe(false);
  writeFileSync(path, 'email\n');
  expect(isOwnFile(path)).toBe(true);
  symlinkSync(path, join(folder, 'link'));
  expect(isOwnFile(join(folder, 'link'))).toBe(false);
  expect(isOwnFile(folder)).toBe(false);
});

test.runIf(process.geteuid?.() === 0)('isOwnFile rejects a file of another user', () => {
  const path = join(freshFolder(), 'planted');
  writeFileSync(path, '');
  chownSync(path, 65_534, 65_534);
  expect(isOwnFile(path)).toBe(false);
});

describe('a file that the user named', () => {
  const folder = freshFolder();
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  test('is read to its end', () => {
    writeFileSync(join(folder, 'list.txt'), 'b.co\n');
    expect(readSmallFile(join(folder, 'list.txt')).toString()).toBe('b.co\n');
  });

  test('may be a pipe that is written slowly', async () => {
    const reader = openSync(pipe, 'r+');
    const script = `exec 3>'${pipe}'; echo open; for n in 1 2 3; do sleep 0.05; echo $n >&3; done`;
    const writer = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(writer.stdout, 'data');
    closeSync(reader);
    expect(readSmallFile(pipe, 6).toString()).toBe('1\n2\n3\n');
  });

  test.each([
    { name: 'a pipe without a writer', path: pipe, problem: 'nothing is written to the pipe' },
    { name: 'an endless device', path: '/dev/zero', problem: 'it is not a regular file' },
    { name: 'a directory', path: folder, problem: 'it is a directory' },
    { name: 'one above the size', path: import.meta.filename, problem: 'it has more than 100 bytes' },
    { name: 'no file', path: join(folder, 'nosuch'), problem: 'there is no such file' },
  ])('is refused at once: $name', ({ path, problem }) => {
    const problemOf = () => {
      try {
        return readSmallFile(path, 100).length;
      } catch (cause) {
        return readProblem(cause);
      }
    };
    expect(problemOf()).toBe(problem);
  });
});
