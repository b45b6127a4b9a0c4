import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migratePostgres, openPostgres } from '../../src/jobs/store/postgres/postgres-store.js';
import { schemaVersion } from '../../src/jobs/store/schema.js';
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
    expect(moved.map(({ from }) => from).sort((one, other) => one - other)).toEqual([0, schemaVersion, schemaVersion]);
    const { store } = await openPostgres(address);
    expect(await store.check()).toEqual([]);
    await store.close();
  });

  test.each([
    { by: 'a newer mailvet', version: 999, says: 'a newer mailvet', hint: 'Update mailvet, or use another database.' },
    {
      by: 'a build before the first release',
      version: 5,
      says: 'an older build of mailvet',
      hint: 'DROP SCHEMA mailvet',
    },
  ])('of $by is refused, and the store stays unchanged', async ({ version, says, hint }) => {
    await server.run('postgres', `CREATE DATABASE other${version}`);
    const address = server.address(`other${version}`);
    await migratePostgres(address);
    expect(await migratePostgres(address)).toMatchObject({ from: schemaVersion, to: schemaVersion });
    await server.run(`other${version}`, `UPDATE mailvet.version SET version = ${version}`);
    const refusal = {
      code: 'storage',
      message: expect.stringContaining(`was written by ${says} (its version is ${version}, `),
      hint: expect.stringContaining(hint),
    };
    await expect(openPostgres(address)).rejects.toMatchObject(refusal);
    await expect(migratePostgres(address)).rejects.toMatchObject(refusal);
    expect(await server.run(`other${version}`, 'SELECT version FROM mailvet.version')).toEqual([{ version }]);
  });

  test('of a database that does not exist is unknown', async () => {
    const refusal = { code: 'storage', message: expect.stringContaining('does not exist') };
    await expect(openPostgres(server.address('nowhere'))).rejects.toMatchObject(refusal);
  });
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
