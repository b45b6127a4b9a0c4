import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { copyStore } from '../../src/jobs/store/postgres/copy-store.js';
import { openSqlite } from '../../src/jobs/store/sqlite/open-sqlite.js';
import { openJobFiles } from '../../src/jobs/uploads/job-files.js';
import { bareEnvironment, runBinary } from '../e2e/run-binary.js';
import { makeList as makeMatrixList, toCsv } from './matrix/lists.js';
import { startMailHosts } from './matrix/mail-hosts.js';
import { startWorker } from './matrix/workers.js';
import { startProgram } from './node.js';
import { server } from './servers.js';

const run = async (env: NodeJS.ProcessEnv, ...args: string[]) => {
  const { status, out, err } = await runBinary(args, { env });
  // A list is one document a line in a pipe.
  const isDocument = /^[{[]/.test(out) && out.trim().split('\n').length === 1;
  return { status, out, err, json: isDocument ? JSON.parse(out) : null };
};
const makeList = (env: NodeJS.ProcessEnv, rows: number): string => {
  const path = join(String(env['MAILVET_HOME']), 'list.csv');
  const lines = Array.from({ length: rows }, (_, row) => `${row},person${row % 90}@example${row % 7}.org\n`);
  writeFileSync(path, `id,email\n${lines.join('')}`);
  return path;
};

describe('mailvet store', () => {
  test('migrates once, checks, and says what to do before the migration', async () => {
    await server.run('postgres', 'CREATE DATABASE commands');
    const env = bareEnvironment({ MAILVET_STORE: server.address('commands') });
    expect(await run(env, 'store', 'check')).toMatchObject({
      status: 6,
      err: expect.stringContaining('mailvet store migrate'),
    });
    expect((await run(env, 'store', 'migrate')).json).toMatchObject({ from: 0 });
    const secondMigration = (await run(env, 'store', 'migrate')).json;
    expect(secondMigration.from).toBe(secondMigration.to);
    expect((await run(env, 'store', 'check', '--json')).json).toMatchObject({ jobs: 0, keys: 0, damage: [] });
    expect(await run(bareEnvironment(), 'store', 'migrate')).toMatchObject({ status: 2 });
  });

  test('copies the whole data directory, and only into an empty store', async () => {
    const address = await server.makeStore();
    const env = bareEnvironment();
    const list = makeList(env, 250);
    const shared = { ...env, MAILVET_STORE: address };
    const upload = ['upload', list, '--column', 'email', '--yes', '--level', 'syntax'];
    expect((await run(env, ...upload, '--wait', '--quiet')).status).toBe(0);
    expect((await run(env, 'keys', 'create', '--name', 'ci', '--credits', '5')).json).toMatchObject({ name: 'ci' });
    const copied = await run(shared, 'store', 'copy', '--json');
    expect(copied.json).toMatchObject({ rows: { jobs: 1, keys: 1, uploads: 1 }, files: 2 });
    for (const command of [
      ['jobs', 'results', 'latest', '--format', 'csv'],
      ['keys', 'list', '--json'],
      ['jobs', 'list', '--json'],
    ]) {
      const [there, here] = [await run(shared, ...command), await run(env, ...command)];
      expect(there.status).toBe(0);
      expect(there.out).toBe(here.out);
    }
    expect(await run(shared, 'store', 'copy')).toMatchObject({ err: expect.stringContaining('is not empty') });
    // New jobs come after those that were copied.
    expect((await run(shared, ...upload, '--wait', '--quiet')).status).toBe(0);
    expect((await run(shared, 'jobs', 'list', '--json')).json).toMatchObject({
      total: 2,
      jobs: [{ processed: 250 }, {}],
    });
  });

  test('does not copy into a store that has only usage', async () => {
    const address = await server.makeStore();
    const home = String(bareEnvironment()['MAILVET_HOME']);
    await (await openSqlite(openJobFiles(home).storePath)).close();
    await server.run(
      'store',
      `INSERT INTO mailvet.usage (day, owner, kind, name, count) VALUES ('2026-01-01', 'a', 'b', 'c', 1)`,
    );
    await expect(copyStore(home, address)).rejects.toMatchObject({ message: expect.stringContaining('is not empty') });
  });

  test('reads its address from a file, and hides its password from others', async () => {
    const address = (await server.makeStore()).replace('mailvet@', 'mailvet:s3cret-word@');
    const env = bareEnvironment();
    const file = join(String(env['MAILVET_HOME']), 'address');
    writeFileSync(file, `${address}\n`);
    expect((await run(env, 'keys', 'list', '--json', '--store', `@${file}`)).json).toEqual({ keys: [] });
    const stored = await run(env, 'config', 'set', 'store', address);
    expect(stored.out + stored.err).not.toContain('s3cret-word');
    expect((await run(env, 'config', 'list')).out).not.toContain('s3cret-word');
    const serving = startProgram(['serve', '--port', '0', '--level', 'syntax', '--store', address], env);
    let err = '';
    serving.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    await new Promise((resolve) => serving.stdout.once('data', resolve));
    expect(readFileSync(`/proc/${serving.pid}/cmdline`, 'utf8')).not.toContain('s3cret-word');
    const exited = new Promise((resolve) => serving.once('exit', resolve));
    serving.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(err).toContain('A password on the command line');
    expect(err).not.toContain('s3cret-word');
  });

  test('workers probe the mailboxes of a list that a command line uploads', async () => {
    const address = await server.makeStore();
    const hosts = await startMailHosts({ hosts: 3, latencyMs: 1, greyMs: 0 });
    onTestFinished(hosts.close);
    const worker = startWorker(1, address, hosts.flags);
    const works = () => server.run('store', 'SELECT FROM mailvet.workers WHERE works');
    await vi.waitUntil(async () => (await works()).length === 1, { timeout: 30_000, interval: 200 });
    const env = bareEnvironment();
    const { rows } = makeMatrixList('c', 40, 6);
    const list = join(String(env['MAILVET_HOME']), 'list.csv');
    writeFileSync(list, toCsv(rows.filter(({ email }) => !email.startsWith('grey'))));
    const upload = ['upload', list, '--column', 'email', '--yes', '--wait', '--quiet', '--set', `store=${address}`];
    expect((await run(env, ...upload, ...hosts.flags)).status).toBe(0);
    expect(Object.keys((await hosts.report()).sources)).toEqual([worker.source]);
    await worker.stop();
  });

  test('a job that was started in the background runs to its end', async () => {
    const address = await server.makeStore();
    const env = bareEnvironment();
    const list = makeList(env, 400);
    const upload = await run(
      env,
      'upload',
      list,
      '--column',
      'email',
      '--yes',
      '--level',
      'syntax',
      '--set',
      `store=${address}`,
    );
    expect(upload.json).toMatchObject({ status: expect.stringMatching(/queued|running|completed/) });
    const readJob = () => run(env, 'jobs', 'get', 'latest', '--set', `store=${address}`);
    await vi.waitUntil(async () => (await readJob()).json?.status === 'completed', { timeout: 30_000, interval: 500 });
    const results = await run(env, 'jobs', 'results', 'latest', '--format', 'csv', '--set', `store=${address}`);
    expect(results.out.trim().split('\n')).toHaveLength(401);
    expect((await run(env, 'jobs', 'list', '--json')).json).toMatchObject({ total: 0 });
    expect(
      (await run(env, 'doctor', '--json', '--set', 'level=syntax', '--set', `store=${address}`)).json.checks,
    ).toContainEqual(expect.objectContaining({ name: 'job_store', state: 'ok' }));
  });
});
