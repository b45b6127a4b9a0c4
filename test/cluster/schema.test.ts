import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/jobs/store/postgres/database.js';
import { migratePostgres, openPostgres } from '../../src/jobs/store/postgres/postgres-store.js';
import { migrate, migrations } from '../../src/jobs/store/postgres/schema.js';
import { queueJob } from '../contract/store/store-lab.js';
import { freePort } from './free-port.js';
import { type Postgres, startPostgres } from './postgres.js';

const folder = mkdtempSync(join(tmpdir(), 'mailvet-tls-'));
const authority = join(folder, 'cert.pem');
let server: Postgres;
let port = 0;
beforeAll(async () => {
  port = await freePort();
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', authority];
  execFileSync('openssl', ['req', '-x509', '-days', '1', ...name, ...key, ...files], { stdio: 'ignore' });
  server = await startPostgres(['listen_addresses=127.0.0.1'], port);
  const [data] = await server.run('postgres', 'SHOW data_directory');
  const directory = String(data?.['data_directory']);
  const { uid, gid } = statSync(directory);
  for (const file of ['key.pem', 'cert.pem']) {
    execFileSync('install', ['-m', '600', join(folder, file), join(directory, file)]);
    chownSync(join(directory, file), uid, gid);
  }
  await server.run('postgres', `CREATE ROLE locked LOGIN PASSWORD 's3cret word'`);
}, 120_000);
afterAll(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const overTcp = (rest: string): string => `postgres://mailvet@127.0.0.1:${port}/tls?${rest}`;

describe('the version of a store', () => {
  test('is created once, by any number of concurrent migrations', async () => {
    await server.run('postgres', 'CREATE DATABASE fresh');
    const address = server.address('fresh');
    await expect(openPostgres(address)).rejects.toMatchObject({
      code: 'storage',
      hint: expect.stringMatching(/store migrate/),
    });
    const moved = await Promise.all([1, 2, 3].map(() => migratePostgres(address)));
    expect(moved.every(({ to }) => to >= 1)).toBe(true);
    const { store } = await openPostgres(address);
    expect(await store.check()).toEqual([]);
    await store.close();
  });

  test('is raised for an older store, whose jobs are then found in any letter case', async () => {
    await server.run('postgres', 'CREATE DATABASE older');
    const address = server.address('older');
    await migratePostgres(address);
    const before = await openPostgres(address);
    const id = await queueJob(before.store, 1, 'local', 'Überblick.csv');
    await before.store.close();
    await server.run('older', 'ALTER TABLE mailvet.jobs DROP COLUMN filename_folded, DROP COLUMN crashes');
    await server.run(
      'older',
      'DROP TABLE mailvet.members, mailvet.audit, mailvet.webhooks, mailvet.deliveries, mailvet.settings, mailvet.answers',
    );
    await server.run('older', 'DROP INDEX mailvet.jobs_by_end, mailvet.jobs_by_state');
    await server.run('older', 'ALTER TABLE mailvet.sessions DROP COLUMN address');
    await server.run('older', 'ALTER TABLE mailvet.keys DROP COLUMN member');
    await server.run('older', 'ALTER TABLE mailvet.workers DROP COLUMN stats');
    await server.run('older', 'UPDATE mailvet.version SET version = 5');
    expect(await migratePostgres(address)).toMatchObject({ from: 5, to: migrations.length });
    const { store } = await openPostgres(address);
    expect((await store.listJobs('local', { skip: 0, limit: 5, search: 'überBLICK' })).jobs).toMatchObject([{ id }]);
    await store.close();
  });

  test('is not raised while a long transaction uses the tables, so that nothing waits behind it', async () => {
    await server.run('postgres', 'CREATE DATABASE busy');
    const address = server.address('busy');
    await migratePostgres(address);
    await server.run('busy', 'UPDATE mailvet.version SET version = 11');
    await expect(openPostgres(address)).rejects.toMatchObject({
      message: expect.stringContaining('has version 11'),
      hint: expect.stringContaining('mailvet store migrate. It adds workers.stats, '),
    });
    await server.run('busy', `UPDATE mailvet.version SET version = ${migrations.length}`);
    const database = openDatabase(address);
    const raise = () =>
      migrate(database, async () => {}, [...migrations, ['ALTER TABLE mailvet.workers ADD COLUMN next text']]);
    const dump = server.run('busy', 'BEGIN; SELECT FROM mailvet.workers; SELECT pg_sleep(7); COMMIT');
    const isUsed = `SELECT FROM pg_locks WHERE relation = 'mailvet.workers'::regclass`;
    await vi.waitUntil(async () => (await server.run('busy', isUsed)).length > 0);
    await expect(raise()).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('in use by a long transaction'),
    });
    await dump;
    expect(await raise()).toMatchObject({ to: migrations.length + 1 });
    await database.close();
  }, 60_000);

  test('that is newer than the program is refused and stays unchanged', async () => {
    await server.run('postgres', 'CREATE DATABASE newer');
    const address = server.address('newer');
    await migratePostgres(address);
    await server.run('newer', 'UPDATE mailvet.version SET version = 999');
    const refusal = { code: 'storage', message: expect.stringContaining('written by a newer mailvet') };
    await expect(openPostgres(address)).rejects.toMatchObject(refusal);
    await expect(migratePostgres(address)).rejects.toMatchObject(refusal);
    expect(await server.run('newer', 'SELECT version FROM mailvet.version')).toEqual([{ version: 999 }]);
  });

  test.each([{ name: 'a database that does not exist', database: 'nowhere', want: 'does not exist' }])(
    'of $name is unknown',
    async ({ database, want }) => {
      await expect(openPostgres(server.address(database))).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringContaining(want),
      });
    },
  );
});

describe('TLS to the database', () => {
  test('is required, unless the address says that it is not needed', async () => {
    await server.run('postgres', 'CREATE DATABASE tls');
    await migratePostgres(overTcp('sslmode=disable'));
    await expect(openPostgres(overTcp('sslmode=verify-full'))).rejects.toMatchObject({
      message: expect.stringContaining('does not offer TLS'),
    });
  });

  test('verifies the server', async () => {
    await server.run('postgres', 'ALTER SYSTEM SET ssl = on');
    await server.run('postgres', `ALTER SYSTEM SET ssl_cert_file = 'cert.pem'`);
    await server.run('postgres', `ALTER SYSTEM SET ssl_key_file = 'key.pem'`);
    await server.run('postgres', 'SELECT pg_reload_conf()');
    await expect(openPostgres(overTcp('sslmode=verify-full'))).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('could not be verified'),
    });
    const { store } = await openPostgres(overTcp(`sslmode=verify-full&sslrootcert=${authority}`));
    await store.checkWritable();
    const used = await server.run(
      'postgres',
      `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = 'tls'`,
    );
    expect(used.length).toBeGreaterThan(0);
    expect(used.every(({ ssl }) => ssl === true)).toBe(true);
    await store.close();
    expect(readFileSync(authority, 'utf8')).toContain('CERTIFICATE');
  });
});
