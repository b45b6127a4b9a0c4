import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migratePostgres } from '../../src/jobs/store/postgres/postgres-store.js';
import { findPostgres } from './packages.js';

/** A PostgreSQL server that follows another one, and can be written once it is promoted. */
export interface Standby extends Pick<Postgres, 'address' | 'run' | 'socketPath' | 'close'> {
  promote(): void;
}

/** A PostgreSQL server for one test file, reached by a socket in its folder. */
export interface Postgres {
  socketPath: string;
  /** The user that may reach the socket if the tests run as root. */
  owner: { uid?: number; gid?: number };
  /** The address of a database, in the form that --store takes. */
  address(database: string): string;
  /** Empties the store, which the first call creates, and returns its address. */
  makeStore(): Promise<string>;
  run(database: string, statement: string): Promise<Record<string, unknown>[]>;
  start(): void;
  /** `immediate` is a crash, `fast` closes every connection. */
  stop(how: 'fast' | 'immediate'): void;
  /** Requires a password for this role from now on. */
  requirePassword(role: string): void;
  startStandby(): Standby;
  /** The process id of the postmaster. */
  pid(): number;
  close(): void;
}

/** The answered rows of all jobs: those of ended slices, and of open ones. */
export const countProcessed = `SELECT ((SELECT coalesce(sum(processed), 0) FROM mailvet.jobs)
  + (SELECT coalesce(sum((counts::json ->> 'processed')::int), 0) FROM mailvet.slices))::int AS processed`;

/** The tables that keep their rows when a store is emptied. */
const keptTables = ['version', 'secrets'];

/** Starts a server with `settings` added to its own. As root it runs as another user, since PostgreSQL refuses root. */
export async function startPostgres(settings: readonly string[] = [], port = 5432): Promise<Postgres> {
  const bin = findPostgres();
  // The system limits the length of a socket's path, so it is directly in the folder for temporary files.
  const folder = mkdtempSync(join(process.env['MAILVET_TEST_TMP'] ?? '/tmp', 'mailvet-pg-'));
  const user = findUser();
  const owned = user === null ? {} : { uid: user.uid, gid: user.gid };
  const [data, socket] = [join(folder, 'data'), join(folder, 'sock')];
  mkdirSync(socket);
  for (const each of [folder, socket]) if (user !== null) chownSync(each, user.uid, user.gid);
  const call = (program: string, ...args: string[]): void => {
    execFileSync(join(bin, program), args, {
      ...owned,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: plainEnv,
    });
  };
  const options = ['listen_addresses=', 'fsync=off', 'max_connections=200', `port=${port}`, ...settings];
  const start = (): void =>
    call(
      'pg_ctl',
      ...['-D', data, '-w', '-l', join(folder, 'log'), '-o'],
      `-k ${socket} ${options.map((each) => `-c ${each}`).join(' ')}`,
      'start',
    );
  const stop = (how: 'fast' | 'immediate'): void => call('pg_ctl', '-D', data, '-w', '-m', how, 'stop');
  const addressAt = (database: string, atPort: number): string =>
    `postgres://mailvet@localhost/${database}?host=${encodeURIComponent(socket)}&port=${atPort}`;
  const address = (database: string): string => addressAt(database, port);
  const run: Postgres['run'] = (database, statement) => runAt(port, database, statement);
  const runAt = async (atPort: number, database: string, statement: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ host: socket, port: atPort, user: 'mailvet', database });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  };
  call('initdb', '-D', data, '-U', 'mailvet', '--auth=trust', '--no-sync');
  start();
  return {
    ...{ address, run, start, stop },
    makeStore: async () => {
      const found = await run('postgres', `SELECT FROM pg_database WHERE datname = 'store'`);
      if (found.length === 0) {
        await run('postgres', 'CREATE DATABASE store');
        await migratePostgres(address('store'));
        return address('store');
      }
      const tables = await run('store', `SELECT tablename FROM pg_tables WHERE schemaname = 'mailvet'`);
      const names = tables.map(({ tablename }) => String(tablename)).filter((name) => !keptTables.includes(name));
      await run('store', `TRUNCATE ${names.map((name) => `mailvet.${name}`).join(', ')} RESTART IDENTITY CASCADE`);
      return address('store');
    },
    owner: owned,
    socketPath: join(socket, `.s.PGSQL.${port}`),
    requirePassword: (role) => {
      const rules = join(data, 'pg_hba.conf');
      writeFileSync(rules, `local all ${role} scram-sha-256\n${readFileSync(rules, 'utf8')}`);
      call('pg_ctl', '-D', data, 'reload');
    },
    startStandby: () => {
      const [copy, standbyPort] = [join(folder, 'standby'), port + 1];
      call(
        'pg_basebackup',
        '-D',
        copy,
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
        '-h',
        socket,
        '-p',
        `${port}`,
        '-U',
        'mailvet',
      );
      call(
        'pg_ctl',
        '-D',
        copy,
        '-w',
        '-l',
        join(folder, 'log-standby'),
        '-o',
        `-k ${socket} -c listen_addresses= -c max_connections=200 -c port=${standbyPort}`,
        'start',
      );
      return {
        address: (database) => addressAt(database, standbyPort),
        run: (database, statement) => runAt(standbyPort, database, statement),
        socketPath: join(socket, `.s.PGSQL.${standbyPort}`),
        promote: () => call('pg_ctl', '-D', copy, '-w', 'promote'),
        close: () => call('pg_ctl', '-D', copy, '-w', '-m', 'immediate', 'stop'),
      };
    },
    pid: () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
    close: () => {
      try {
        stop('immediate');
      } catch {
        // It is already down.
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const plainEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TMPDIR: tmpdir() };

/** The user of the server if the tests run as root: that of Debian's package, otherwise `nobody`. */
function findUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line =
    ['postgres', 'nobody'].flatMap((name) => lines.find((each) => each.startsWith(`${name}:`)) ?? [])[0] ?? '';
  const [, , uid = '65534', gid = '65534'] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}
