import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshFolder } from '../cli/run-cli.js';
import { bareEnvironment, runBinary, runShell } from './run-binary.js';

const syntax = { MAILVET_LEVEL: 'syntax' };
const rows = (count: number): string => Array.from({ length: count }, (_, n) => `user${n}@python.org\n`).join('');
const table = (count: number): string =>
  `id,email\n${Array.from({ length: count }, (_, n) => `${n},user${n}@python.org\n`).join('')}`;

function folderWith(name: string, text: string): string {
  const folder = freshFolder();
  writeFileSync(join(folder, name), text);
  return folder;
}

describe('a full disk', () => {
  test
    .skipIf(!existsSync('/dev/full'))
    .each(['--version', '--help', 'help exit-codes', 'config list', 'validate ada@python.org', 'bulk $LIST'])(
    'as stdout of %s causes status 6 and a message',
    async (args) => {
      const list = join(folderWith('list.txt', rows(10)), 'list.txt');
      const run = await runShell(`$MAILVET ${args.replace('$LIST', list)} > /dev/full`, bareEnvironment(syntax));
      expect(run.status).toBe(6);
      expect(run.err).toContain('error: The output cannot be written: the disk is full.');
      expect(run.err).not.toContain('at ');
    },
  );

  test('as stderr does not change the exit status', async () => {
    expect((await runShell('$MAILVET frobnicate 2> /dev/full')).status).toBe(2);
  });

  test('leaves no partial output if nothing could be written', async () => {
    const folder = folderWith('list.txt', rows(10));
    const line = `cd ${folder} && ulimit -f 0 && $MAILVET bulk list.txt -o out.csv 2>&1 | cat`;
    const { out } = await runShell(line, bareEnvironment(syntax));
    expect(out).toContain('out.csv cannot be written');
    expect(out).not.toContain('What was finished');
    expect(readdirSync(folder)).toEqual(['list.txt']);
  });
});

describe('a home directory', () => {
  const place = (HOME: string) => bareEnvironment({ HOME, MAILVET_HOME: '', MAILVET_CONFIG_DIR: '', ...syntax });

  test.each([
    { name: 'that is a file', home: '/dev/null' },
    { name: 'that does not exist', home: '/dev/null/nobody' },
  ])('$name is enough for an address; a job ends with 6', async ({ home }) => {
    expect((await runBinary(['validate', 'ada@python.org'], { env: place(home) })).status).toBe(0);
    expect(await runBinary(['jobs', 'list'], { env: place(home) })).toMatchObject({ status: 6, out: '' });
    expect((await runBinary(['config', 'set', 'level', 'dns'], { env: place(home) })).status).toBe(6);
  });

  test('that is empty or relative causes no read of settings from the current folder', async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, '.config', 'mailvet'), { recursive: true });
    const bait = { profiles: { default: { base_url: 'https://bait.example' } } };
    writeFileSync(join(folder, '.config', 'mailvet', 'config.json'), JSON.stringify(bait));
    for (const home of ['', '.']) {
      expect((await runShell(`cd ${folder} && $MAILVET config list`, place(home))).out).not.toContain('bait');
    }
  });
});

describe('outputs that are not regular files', () => {
  test.each([
    ['a process substitution', '$MAILVET bulk list.txt --format csv -o >(cat > out.csv); wait $!'],
    ['/dev/stdout on a pipe', '$MAILVET bulk list.txt --format csv -o /dev/stdout | cat > out.csv'],
    ['a link to a file that does not exist yet', 'ln -s out.csv link.csv; $MAILVET bulk list.txt -o link.csv'],
  ])('%s gets the rows', async (_name, line) => {
    const folder = folderWith('list.txt', rows(100));
    const run = await runShell(`cd ${folder} && ${line}`, bareEnvironment(syntax));
    expect(run).toMatchObject({ status: 0, err: expect.stringMatching(/^note: list\.txt: 100 valid, .*\n$/) });
    expect(readFileSync(join(folder, 'out.csv'), 'utf8').split('\n')).toHaveLength(102);
  });

  test('a reader that closes the pipe causes status 0', async () => {
    const folder = folderWith('list.txt', rows(20_000));
    const run = await runShell(
      `cd ${folder} && $MAILVET bulk list.txt --format plain -o >(head -n 1)`,
      bareEnvironment(syntax),
    );
    expect(run).toMatchObject({ status: 0, err: '' });
  });

  test.skipIf(process.getuid?.() !== 0)('a link that another user planted in a shared folder is refused', async () => {
    const folder = folderWith('list.txt', rows(3));
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    symlinkSync(join(folder, 'victim.csv'), join(shared, 'out.csv'));
    lchownSync(join(shared, 'out.csv'), 65_534, 65_534);
    const run = await runBinary(['bulk', join(folder, 'list.txt'), '-o', join(shared, 'out.csv')], {
      env: bareEnvironment(syntax),
    });
    expect(run.status).toBe(2);
    expect(existsSync(join(folder, 'victim.csv'))).toBe(false);
  });
});

describe('pipes as input', () => {
  test('a pipe without a writer does not delay the end', async () => {
    const folder = freshFolder();
    const line = `cd ${folder} && mkfifo in && timeout -k 20 1 $MAILVET bulk in; echo "status $?"`;
    // 124: the first signal ended it. 137 would be the SIGKILL that follows.
    expect((await runShell(line)).out).toBe('status 124\n');
  });

  test.each(['$MAILVET upload <(cat list.csv)', 'cat list.csv | $MAILVET upload -'])(
    '%s is refused: a job reads its list more than once',
    async (upload) => {
      const folder = folderWith('list.csv', table(20));
      const run = await runShell(`cd ${folder} && ${upload} --yes`, bareEnvironment(syntax));
      expect(run).toMatchObject({ status: 2, out: '', err: expect.stringContaining('mailvet bulk -') });
    },
  );
});

test('a temporary folder that cannot be written is named, with the variable to set', async () => {
  // The path cannot be created: Node 24 creates a missing folder.
  const env = bareEnvironment({
    TMPDIR: '/dev/null/x',
    MAILVET_API_KEY: 'key',
    MAILVET_BASE_URL: 'http://127.0.0.1:9',
  });
  const folder = folderWith('list.csv', table(2));
  const run = await runShell(`$MAILVET upload ${folder}/list.csv --remote --yes`, env);
  expect(run).toMatchObject({ status: 6, err: expect.stringContaining('Set TMPDIR') });
});

test('upload prints the id of a background job, even with --quiet', async () => {
  const env = bareEnvironment();
  const folder = freshFolder();
  writeFileSync(join(folder, 'list.csv'), 'email\nada@python.org\n');
  const upload = `$MAILVET upload ${folder}/list.csv --yes --level syntax --quiet`;
  const { out, err, status } = await runShell(
    `id=$(${upload}) && $MAILVET jobs get "$(echo $id | cut -d'"' -f4)" --watch -q`,
    env,
  );
  expect({ err, status }).toEqual({ err: '', status: 0 });
  expect(JSON.parse(out)).toMatchObject({ status: 'completed', valid_count: 1 });
});

test('bulk needs no more than 64 open files, and no locale', async () => {
  const folder = folderWith('list.txt', rows(2000));
  const run = await runShell(
    `cd ${folder} && ulimit -n 64 && LANG=C LC_ALL=C $MAILVET bulk list.txt -o out.csv <&- >&- && wc -l < out.csv`,
    bareEnvironment(syntax),
  );
  expect(run).toMatchObject({
    status: 0,
    out: '2001\n',
    err: expect.stringMatching(/^note: list\.txt: 2,000 valid, .*\n$/),
  });
});

describe('every night, from cron', () => {
  const nightly = 'upload list.csv --column email --yes --wait -o clean.csv --quiet';

  test('bulk prints nothing, and its data is readable by the owner only, with any umask', async () => {
    const folder = folderWith('list.csv', table(50));
    const home = join(folder, 'home');
    const env = bareEnvironment({ ...syntax, MAILVET_HOME: home });
    for (let night = 0; night < 2; night++) {
      const run = await runShell(`cd ${folder} && umask 000 && $MAILVET ${nightly}`, env);
      expect(run).toMatchObject({ status: 0, out: '', err: '' });
    }
    expect(readFileSync(join(folder, 'clean.csv'), 'utf8').split('\n')).toHaveLength(52);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
      expect({ name, open: statSync(join(home, name)).mode & 0o077 }).toEqual({ name, open: 0 });
    }
  });
});
