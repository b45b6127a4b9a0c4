import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshFolder } from '../cli/run-cli.js';
import { bareEnvironment, runShell } from './run-binary.js';

const list = 'id,email\n1,ada@python.org\n2,nobody\n3,bob@python.org\n';
const vetted =
  'id,email,mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean\n';

let folder: string;
beforeEach(() => {
  folder = freshFolder();
  writeFileSync(join(folder, 'list.csv'), list);
  writeFileSync(join(folder, 'other.csv'), 'old\n');
  mkdirSync(join(folder, 'sub'));
  linkSync(join(folder, 'list.csv'), join(folder, 'hard.csv'));
  symlinkSync('list.csv', join(folder, 'soft.csv'));
  symlinkSync('soft.csv', join(folder, 'twice.csv'));
});
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const shell = (line: string) => runShell(`cd ${folder} && ${line}`, bareEnvironment({ MAILVET_LEVEL: 'syntax' }));

test.each([
  { name: 'by its name', line: '$MAILVET bulk list.csv -o list.csv' },
  { name: 'with --only, which would lose rows', line: '$MAILVET bulk list.csv --only valid -o list.csv' },
  { name: 'by another spelling', line: '$MAILVET bulk list.csv -o ./sub/../list.csv' },
  { name: 'by its whole path', line: '$MAILVET bulk list.csv -o "$PWD/list.csv"' },
  { name: 'by a symbolic link', line: '$MAILVET bulk list.csv -o soft.csv' },
  { name: 'by a link to a link', line: '$MAILVET bulk list.csv -o twice.csv' },
  { name: 'by a hard link', line: '$MAILVET bulk list.csv -o hard.csv' },
  { name: 'read through a link', line: '$MAILVET bulk soft.csv -o list.csv' },
  { name: 'as standard input', line: '$MAILVET bulk - -o list.csv < list.csv' },
  { name: 'as /dev/stdin', line: '$MAILVET bulk /dev/stdin -o list.csv < list.csv' },
  { name: 'appended to by the shell', line: '$MAILVET bulk list.csv >> list.csv' },
  { name: 'as /dev/stdout', line: '$MAILVET bulk list.csv -o /dev/stdout >> list.csv' },
  { name: 'of an upload', line: '$MAILVET upload list.csv --column email --yes --wait -o hard.csv' },
])('refuses an output that is the list itself, and leaves the list unchanged: $name', async ({ line }) => {
  const run = await shell(line);
  expect(run).toMatchObject({ status: 2, out: '' });
  expect(run.err).toMatch(/^error: The output \(.*\) is the list itself, which would be lost\.\n/);
  expect(read('list.csv')).toBe(list);
});

test('a file that another process writes is refused', async () => {
  const first =
    'echo slow-30s@sandbox.mailvet.test > slow.txt; $MAILVET bulk slow.txt --level smtp -q -o out.csv & p=$!';
  const opened = 'until ls .out.csv.*.tmp > ls.txt 2>&1; do sleep 0.1; done';
  const { status, err } = await shell(
    `true; ${first}; ${opened}; $MAILVET bulk list.csv -o out.csv; s=$?; kill $p; wait; exit $s`,
  );
  expect([status, err]).toEqual([6, expect.stringMatching(/Another mailvet \(process \d+\) is writing out\.csv\./)]);
});

test.each(['missing.csv', 'sub'])('upload of %s, which is no file, is a usage error', async (path) => {
  expect(await shell(`$MAILVET upload ${path} --yes`)).toMatchObject({ status: 2, err: expect.stringMatching(/file/) });
});

test('a reader that goes away while answers wait ends a list without a word', async () => {
  const slow = Array.from({ length: 20 }, (_, index) => `slow-${100 * (index + 1)}ms+${index}@sandbox.mailvet.test`);
  const line = `printf '%s\\n' ${slow.join(' ')} | $MAILVET bulk --local --level smtp --format csv | head -2 | wc -l`;
  expect(await shell(line)).toMatchObject({ status: 0, out: expect.stringMatching(/^\s*2\n$/), err: '' });
});

describe('an output that is an open descriptor is written directly', () => {
  const bulk = '$MAILVET bulk list.csv --format csv --only valid';
  const rows = `${vetted}1,ada@python.org,valid,not_probed`;
  test.each([
    ['/dev/stdout >> appends', `${bulk} -o /dev/stdout >> other.csv`, 'other.csv', 'old\n'],
    ['/dev/fd/1 >> appends', `${bulk} -o /dev/fd/1 >> other.csv`, 'other.csv', 'old\n'],
    ['/dev/stderr 2>> appends', `${bulk} -q -o /dev/stderr 2>> other.csv`, 'other.csv', 'old\n'],
    ['/dev/fd/3', `${bulk} -o /dev/fd/3 3>> other.csv`, 'other.csv', 'old\n'],
    ['/proc/self/fd/3', `${bulk} -o /proc/self/fd/3 3> new.csv`, 'new.csv', ''],
    ['a link to it', `ln -s /dev/stdout out; ${bulk} -o out >> other.csv`, 'other.csv', 'old\n'],
    ['a pipe', `${bulk} -o /dev/stdout | cat > new.csv`, 'new.csv', ''],
    [
      'earlier output stays first, and later output follows',
      `{ echo first; ${bulk} -o /dev/stdout; } > new.csv`,
      'new.csv',
      'first\n',
    ],
  ])('%s', async (_name, line, file, before) => {
    expect((await shell(line)).status).toBe(0);
    expect(read(file).startsWith(before + rows)).toBe(true);
  });

  test('a descriptor that is not open is refused as an output', async () => {
    const run = await shell(`${bulk} -o /dev/fd/9`);
    expect(run).toMatchObject({ status: 2, out: '' });
    expect(run.err).toContain('/dev/fd/9 is not open for writing.');
  });
});

test.each([
  { name: 'bulk, even before it reads the list', line: '$MAILVET bulk nowhere.csv -o missing/out.csv' },
  { name: 'upload', line: '$MAILVET upload list.csv --yes --wait -o missing/out.csv' },
])('$name: an output in a missing folder fails before any work', async ({ line }) => {
  const run = await shell(line);
  expect(run.status).toBe(2);
  expect(run.err).toContain('missing/out.csv cannot be written: its folder does not exist.');
  expect(run.err).toContain('Create it with: mkdir -p missing\n');
  expect((await shell('$MAILVET jobs list --json')).out).toContain('"jobs":[]');
});
