import { readFileSync } from 'node:fs';
import { dirname, join as joinPath } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runBinary } from '../e2e/run-binary.js';
import { ask, makeKey, startNode, submit, untilCompleted } from './node.js';
import { type Postgres, startPostgres } from './postgres.js';
import { type Redis, startRedis } from './redis.js';

let server: Postgres;
let redis: Redis;
beforeAll(async () => {
  server = await startPostgres([
    ...[
      'session_preload_libraries=auto_explain',
      'auto_explain.log_min_duration=0',
      'auto_explain.log_nested_statements=off',
    ],
    ...['autovacuum=off', 'shared_buffers=256MB', 'max_wal_size=4GB'],
  ]);
  redis = await startRedis();
}, 120_000);
afterAll(() => {
  server?.close();
  redis?.close();
});

/** Stored verdicts; more take minutes to write. */
const verdicts = process.env['MAILVET_MATRIX'] === 'large' ? 5_000_000 : 300_000;

/** 50,000 jobs of 100 rows with a small chunk of results each, the stored verdicts, and 50,000 open slices. */
const fill = `
  INSERT INTO mailvet.jobs (id, owner, upload_id, filename, email_column, options, total, unique_total, state, processed, created_at, started_at, finished_at)
    SELECT 'job' || n, 'owner' || n % 500, 'upload' || n, 'list.csv', 'email', '{}', 100, 100,
      CASE WHEN n % 100 = 0 THEN 'queued' ELSE 'completed' END, 100, n, n, n FROM generate_series(1, 50000) AS n;
  INSERT INTO mailvet.uploads (id, owner, filename, columns, reading, row_count, row_count_exact, created_at, job_id)
    SELECT 'upload' || n, 'owner' || n % 500, 'list.csv', '[]', '{}', 100, 1, n, 'job' || n FROM generate_series(1, 50000) AS n;
  INSERT INTO mailvet.chunks (job, data) SELECT n, repeat('v', 100) FROM generate_series(1, 50000) AS n;
  INSERT INTO mailvet.files (id, whole, pieces) SELECT 'job' || n, true, 1 FROM generate_series(1, 50000) AS n;
  INSERT INTO mailvet.pieces SELECT num, 0, 'x' FROM mailvet.files;
  INSERT INTO mailvet.answers SELECT md5(n::text), '{}', (extract(epoch FROM now()) * 1000)::bigint - n FROM generate_series(1, ${verdicts}) AS n;
  INSERT INTO mailvet.slices (job, place, due) SELECT num, n, 9e15 FROM mailvet.jobs, generate_series(0, 99) AS n
    WHERE state = 'queued';
  INSERT INTO mailvet.keys (id, name, prefix, hash, plan, created_at)
    SELECT 'key' || n, 'k', 'p', md5(n::text), 'p', n FROM generate_series(1, 5000) AS n;
  INSERT INTO mailvet.usage SELECT '9999-01-' || n % 28, 'owner' || n, 'verdict', 'valid', 1 FROM generate_series(1, 50000) AS n;
  VACUUM (ANALYZE)`;

/** Tables with one row for each process, key, setting or open request. */
const smallTables = [
  'keys',
  'workers',
  'blocks',
  'reservations',
  'sessions',
  'admin',
  'version',
  'secrets',
  'settings',
  'webhooks',
  'deliveries',
  'commits',
];

test('statements read large tables by their indexes', async () => {
  const store = await server.makeStore();
  for (const statement of fill.split(';')) await server.run('store', statement);
  const log = joinPath(dirname(dirname(server.socketPath)), 'log');
  const logStart = readFileSync(log, 'utf8').length;
  const node = await startNode(store, '--set', `queue=${redis.address}`);
  const { key } = await makeKey(node);
  const id = await submit([node, node], key, 'email\na@example.org\nb@example.org\n');
  // The other jobs have no addresses and are claimed first.
  await server.run(
    'store',
    `UPDATE mailvet.jobs SET state = 'completed' WHERE state = 'queued' AND owner LIKE 'owner%'`,
  );
  await untilCompleted(node, key, id);
  for (const path of ['/bulk/jobs', `/bulk/jobs/${id}/results`, '/credits']) {
    expect((await ask(node, key, path)).status).toBe(200);
  }
  expect((await fetch(`${node.root}/metrics`, { headers: { 'x-api-key': key } })).status).toBe(200);
  await runBinary(['keys', 'list'], { env: node.env });
  await node.stop();
  const plans = readFileSync(log, 'utf8')
    .slice(logStart)
    .split(/(?=^\S+ \S+ \S+ \[\d+\] LOG: {2}duration)/m);
  expect(plans.length).toBeGreaterThan(200);
  const ourTables = (await server.run('store', `SELECT tablename FROM pg_tables WHERE schemaname = 'mailvet'`)).map(
    ({ tablename }) => String(tablename),
  );
  const scans = plans.filter((plan) => {
    // A start looks for leftover files.
    if (plan.includes('DELETE FROM mailvet.files')) return false;
    const tables = [...plan.matchAll(/Seq Scan on (\w+)/g)].map(([, table = '']) => table);
    return tables.some((table) => ourTables.includes(table) && !smallTables.includes(table));
  });
  const texts = scans.map((plan) => plan.replace(/\s+/g, ' ').slice(0, 600));
  expect([...new Set(texts.map((text) => text.replace(/[\d.]+/g, '#')))]).toEqual([]);
}, 300_000);
