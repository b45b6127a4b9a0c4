import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nativeSqlite } from '../../src/jobs/store/sqlite/native.js';
import { freshFolder } from '../cli/run-cli.js';
import { bareEnvironment, runBinary, runShell, startBinary, waitForExit } from './run-binary.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('one address', () => {
  test.each([
    ['a broken address ends with 1', ['validate', 'a..b@python.org', '--level', 'syntax'], 1],
    ['a mistyped flag ends with 2', ['validate', 'a@b.co', '--jsno'], 2],
    ['a missing list ends with 2', ['bulk', '/nowhere/list.csv'], 2],
    ['a missing key ends with 3', ['validate', 'a@b.co', '--remote', '--base-url', 'http://127.0.0.1:9'], 3],
    ['an empty command line shows the help', [], 0],
    ['a group without its command shows its help', ['jobs'], 0],
  ])('%s', async (_name, args, status) => expect((await runBinary(args)).status).toBe(status));
});

test.each([['--version'], ['-V']])('%s prints the version of the package', async (flag) => {
  expect(await runBinary([flag])).toMatchObject({ status: 0, out: `${version}\n`, err: '' });
});

test.each([
  { name: 'plain', flags: [] },
  { name: '--local', flags: ['--local'] },
  { name: '--quiet', flags: ['--quiet'] },
])('validate loads no module that it does not need: $name', async ({ flags }) => {
  const folder = freshFolder();
  const hook = join(folder, 'hook.cjs');
  const list = join(folder, 'modules.json');
  const write = `require('fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList))`;
  writeFileSync(hook, `process.on('exit', () => ${write});`);
  const env = bareEnvironment({ NODE_OPTIONS: `--require "${hook}"` });
  const args = ['validate', 'a@b.co', '--level', 'syntax', '--json', ...flags];
  expect(await runBinary(args, { env })).toMatchObject({ status: 0 });
  const loaded: string[] = JSON.parse(readFileSync(list, 'utf8'));
  // The first module takes a tenth of a bare start.
  const unneeded = ['crypto', 'net', 'tls', 'http', 'dns', 'child_process', 'worker_threads', 'zlib'];
  expect(unneeded.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([]);
});

test('a checkout without a build reports it, without a stack', async () => {
  const folder = freshFolder();
  cpSync('bin', join(folder, 'bin'), { recursive: true });
  const run = await waitForExit(spawn(process.execPath, [join(folder, 'bin', 'mailvet.js'), 'validate', 'a@b.co']));
  expect(run).toMatchObject({ status: 70, out: '', err: `error: mailvet is not built.\n  Run in ${folder}: npm ci\n` });
});

test('a process that ends before its command does not report success', async () => {
  const folder = freshFolder();
  cpSync('bin', join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist', 'program.cjs'), 'exports.main = () => new Promise(() => {});');
  expect(await waitForExit(spawn(process.execPath, [join(folder, 'bin', 'mailvet.js'), 'jobs']))).toMatchObject({
    status: 70,
  });
});

test.skipIf(nativeSqlite() !== null)('upload of a short list does not wait for SQLite to be optimized', async () => {
  const list = join(freshFolder(), 'list.csv');
  writeFileSync(list, 'email\nada@python.org\n');
  const args = ['bin/mailvet.js', 'upload', list, '--yes', '--wait', '--level', 'syntax', '--quiet'];
  const env = bareEnvironment();
  const run = await waitForExit(spawn(process.execPath, ['--trace-wasm-compilation-times', ...args], { env }));
  expect(run).toMatchObject({ status: 0, err: '' });
  expect(run.out).toContain('using Liftoff');
  // With V8's own budget there are twenty and more; SQLite's largest function alone may still be among them.
  expect(run.out.split('using TurboFan').length - 1).toBeLessThanOrEqual(3);
});

describe('pipes', () => {
  const manyAddresses = 'seq 1 200000 | sed "s/.*/user&@python.org/"';

  test.each([
    { name: 'bulk', line: `${manyAddresses} | $MAILVET bulk --level syntax | head -n 1` },
    { name: 'validate', line: `${manyAddresses} | $MAILVET validate --level syntax | head -n 1` },
  ])('$name ends with 0 when its reader closes the pipe', async ({ line }) => {
    const run = await runShell(`${line}; echo "\${PIPESTATUS[@]}" >&2`);
    expect(run.out.split('\n')).toHaveLength(2);
    // Earlier programs of the pipeline may die of the closed pipe, as they should.
    expect(run.err.split('\n').at(-2)).toMatch(/^\d+ \d+ 0 0$/);
    expect(run.err).not.toContain('error');
  });

  test('prints a result as soon as its line is read', async () => {
    const child = startBinary(['validate', '-', '--level', 'syntax', '--format', 'plain']);
    const run = waitForExit(child);
    child.stdin.write('a@python.org\n');
    const [first] = await once(child.stdout, 'data');
    expect(first).toBe('a@python.org\n');
    child.stdin.end('b@python.org\n');
    expect((await run).out).toBe('a@python.org\nb@python.org\n');
  });
});

describe('Ctrl-C', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s during a run leaves no half file and ends with 130',
    async (signal) => {
      const output = join(freshFolder(), 'out.csv');
      const child = startBinary(['bulk', '-', '--level', 'syntax', '--input', 'lines', '-o', output]);
      const run = waitForExit(child);
      child.stdin.on('error', () => {});
      // An endless stream, longer than the format detection reads.
      child.stdin.write('a@python.org\n'.repeat(40_000));
      await rowsWritten(join(output, '..'));
      child.kill(signal);
      expect(await run).toMatchObject({ status: 130, signal: null, out: '' });
      expect(existsSync(output)).toBe(false);
      expect(readdirSync(join(output, '..'))).toEqual([]);
    },
  );

  test('upload --wait ends within seconds, however long its open rows take', async () => {
    const env = bareEnvironment();
    const list = join(freshFolder(), 'list.csv');
    writeFileSync(list, 'email\nvalid@sandbox.mailvet.test\nslow-60s@sandbox.mailvet.test\n');
    const child = startBinary(['upload', list, '--yes', '--wait'], env);
    const run = waitForExit(child);
    const readJobs = async () => JSON.parse((await runBinary(['jobs', 'list', '--json'], { env })).out).jobs;
    while ((await readJobs())[0]?.processed !== 1);
    const stoppedAt = performance.now();
    child.kill('SIGINT');
    expect(await run).toMatchObject({ status: 130 });
    expect(performance.now() - stoppedAt).toBeLessThan(4_000);
    expect(await readJobs()).toMatchObject([{ status: 'interrupted', processed: 1 }]);
  });

  test('an empty variable in a cron job reads and replaces nothing', async () => {
    const line = 'for of in validate "bulk -o kept.csv" "bulk -"; do $MAILVET $of < /dev/null; echo $?; done';
    expect((await runShell(line)).out).toBe('2\n2\n0\n');
  });

  test('validate waiting for stdin ends with 130', async () => {
    const child = startBinary(['validate', '-', '--level', 'syntax', '--format', 'plain']);
    const run = waitForExit(child);
    child.stdin.write('a@python.org\n');
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await run).toMatchObject({ status: 130, out: 'a@python.org\n' });
  });
});

/** Resolves when the temporary file next to the output contains rows. */
async function rowsWritten(folder: string): Promise<void> {
  const sizes = (): number[] => readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  await new Promise<void>((done) => {
    const watcher = watch(folder, () => checkFile());
    const checkFile = (): void => {
      if (!sizes().some((size) => size > 1000)) return;
      watcher.close();
      done();
    };
    checkFile();
  });
}

describe('files', () => {
  test.skipIf(process.getuid?.() === 0)('an unreadable list ends with 2', async () => {
    const path = join(freshFolder(), 'secret.csv');
    writeFileSync(path, 'a@b.co\n');
    chmodSync(path, 0o000);
    expect(await runBinary(['bulk', path])).toMatchObject({ status: 2 });
  });

  test('settings persist between runs, readable by their owner only', async () => {
    const env = bareEnvironment();
    await runBinary(['config', 'set', 'level', 'syntax'], { env });
    const { path } = JSON.parse((await runBinary(['config', 'list', '--json'], { env })).out) as { path: string };
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    const run = await runBinary(['validate', 'ada@python.org'], { env });
    expect(JSON.parse(run.out)).toMatchObject({ sub_status: 'not_probed' });
  });
});
