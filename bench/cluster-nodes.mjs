// Many processes on one PostgreSQL: node bench/cluster.mjs --nodes 100. Half of them are workers whose mail hosts answer after 20 ms; half
// are nodes that each run a job and send a single request every second. Prints the claims per second, compared with one client that writes
// the same rows without leases, and the latency of single requests, the connections and the transactions.
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import pg from 'pg';

const root = join(import.meta.dirname, '..');
const instancesPerProcess = 10;
const loadMs = 15_000;
const idleMs = 15_000;
/** The limit on open probes, over all nodes. */
const openProbes = 10_000;
const hosts = 500;

export async function benchNodes({ nodes, server }) {
  const script = await compileInstances();
  try {
    const sizes = [...new Set([Math.min(10, nodes), nodes])];
    const results = [];
    for (const size of sizes) results.push(await benchSize({ size, server, script }));
    const peerRate = await rawRate(server);
    for (const { size, claims, single, load, idle } of results) {
      console.log(
        `${size} processes: ${claims.toFixed(0)} claims/s, ${(claims / peerRate).toFixed(2)} × one client without leases; single requests ` +
          `${single.p50.toFixed(0)} ms, 95% below ${single.p95.toFixed(0)} ms; ${load.connections} connections, ${load.transactions.toFixed(0)} transactions/s`,
      );
      console.log(
        `${size} processes, idle: ${idle.connections} connections, ${idle.transactions.toFixed(1)} transactions/s`,
      );
    }
    const [smallest, largest] = [results[0], results.at(-1)];
    console.log(
      `${largest.size} processes compared with ${smallest.size}: claims ${(largest.claims / smallest.claims).toFixed(2)} ×`,
    );
  } finally {
    rmSync(script, { force: true });
  }
}

async function compileInstances() {
  const outfile = join(root, 'node_modules/.cache/mailvet-bench', `instances-${process.pid}.mjs`);
  await build({
    entryPoints: [join(root, 'bench/cluster-instances.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    define: { __VERSION__: JSON.stringify('bench') },
    logLevel: 'error',
  });
  return outfile;
}

async function benchSize({ size, server, script }) {
  const address = await server.makeStore();
  // Probes without a job are deleted.
  await server.run(
    'store',
    `INSERT INTO mailvet.jobs (id, group_id, part, parts, owner, upload_id, filename, email_column, options, first_row, total,
       unique_total, state, created_at, lease_until)
     SELECT 'job-' || n, 'g' || n, 0, 1, 'local', 'u' || n, 'list.csv', 'email', '{}', 0, 1, 1, 'running', 0, 9e15
     FROM generate_series(0, ${size}) AS n`,
  );
  const children = [];
  for (let first = 0; first < size; first += instancesPerProcess) {
    const count = Math.min(instancesPerProcess, size - first);
    const options = { address, first, count, hosts, open: Math.ceil((2 * openProbes) / size) };
    children.push(fork(script, [JSON.stringify(options)], { stdio: 'inherit' }));
  }
  process.once('exit', () => {
    for (const child of children) child.kill('SIGKILL');
  });
  const sendAll = (command) => Promise.all(children.map((child) => send(child, command)));
  await sendAll('open');
  await sendAll('load');
  // The shards are distributed in the first seconds.
  await sleep(15_000);
  const before = await readCounters(server);
  await sendAll('reset');
  await sleep(loadMs);
  const answers = await sendAll('report');
  const load = ratesBetween(before, await readCounters(server));
  await sendAll('idle');
  await sleep(20_000);
  const idleBefore = await readCounters(server);
  await sleep(idleMs);
  const idle = ratesBetween(idleBefore, await readCounters(server));
  await sendAll('close');
  const latencies = answers.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
  const quantile = (share) => latencies[Math.floor(share * (latencies.length - 1))] ?? Number.NaN;
  const claimed = answers.reduce((sum, { answered }) => sum + answered, 0);
  return { size, claims: claimed / (loadMs / 1000), single: { p50: quantile(0.5), p95: quantile(0.95) }, load, idle };
}

/** Sends a command to a child process and waits for its reply. */
function send(child, command) {
  return new Promise((resolve, reject) => {
    const onExit = (status) => reject(new Error(`A process of the benchmark ended with ${status}.`));
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
    child.once('exit', onExit);
    child.send(command);
  });
}

async function readCounters(server) {
  const [row] = await server.run(
    'postgres',
    `SELECT xact_commit + xact_rollback AS transactions, extract(epoch FROM clock_timestamp()) AS at,
       (SELECT count(*) FROM pg_stat_activity WHERE datname = 'store') AS connections
     FROM pg_stat_database WHERE datname = 'store'`,
  );
  return { transactions: Number(row.transactions), at: Number(row.at), connections: Number(row.connections) };
}

function ratesBetween(before, after) {
  const seconds = after.at - before.at;
  return { connections: after.connections, transactions: (after.transactions - before.transactions) / seconds };
}

/** Rows per second that one client inserts, claims, answers and deletes in batches, without leases or notifications. */
async function rawRate(server) {
  const { host, port, user, database } = connectionOf(await server.makeStore());
  const client = new pg.Client({ host, port, user, database });
  await client.connect();
  await client.query(
    'CREATE TABLE IF NOT EXISTS raw_probes (id bigint PRIMARY KEY, question text, lease text, answer text)',
  );
  const text = 'x'.repeat(400);
  const batch = 100;
  const endsAt = performance.now() + 5_000;
  const startedAt = performance.now();
  let rows = 0;
  for (; performance.now() < endsAt; rows += batch) {
    const ids = Array.from({ length: batch }, (_, index) => rows + index);
    await client.query('INSERT INTO raw_probes SELECT id, $2 FROM unnest($1::bigint[]) AS id', [ids, text]);
    await client.query('UPDATE raw_probes SET lease = $2 WHERE id = ANY($1) RETURNING question', [ids, 'lease']);
    await client.query('UPDATE raw_probes SET answer = $2 WHERE id = ANY($1)', [ids, text]);
    await client.query('DELETE FROM raw_probes WHERE id = ANY($1) RETURNING answer', [ids]);
  }
  const rate = (1000 * rows) / (performance.now() - startedAt);
  await client.query('DROP TABLE raw_probes');
  await client.end();
  return rate;
}

function connectionOf(address) {
  const url = new URL(address);
  const host = url.searchParams.get('host');
  return { host, port: Number(url.searchParams.get('port')), user: url.username, database: url.pathname.slice(1) };
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
