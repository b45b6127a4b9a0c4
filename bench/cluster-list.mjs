// One long list through a cluster: node bench/cluster.mjs --rows 10000000 [--level syntax] [--workers 2]. Prints time, CPU and memory, and
// checks that each row appears once and in order, and that unique addresses are counted over the whole list.
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  commandLineOf,
  endedJob,
  hasVariable,
  makeEnvironment,
  parentOf,
  pollUntil,
  run,
  start,
  startServe,
  stop,
  watchProcesses,
} from './cluster-processes.mjs';

/** One row in twenty is a duplicate, one in fifty is not an address. */
const uniqueCount = (rows) => Math.ceil(rows * 0.95);
const emailOf = (row, rows) => {
  const index = row % uniqueCount(rows);
  return index % 50 === 7 ? `person.${index}.example.org` : `person.${index}@company${index % 5_000}.org`;
};

export async function benchList({ rows, level, workers, folder, server }) {
  const file = join(folder, 'list.csv');
  await writeList(file, rows);
  const address = await server.makeStore();
  const env = makeEnvironment(folder, { MAILVET_STORE: address });
  const workerProcesses = Array.from({ length: workers }, (_, n) =>
    start(
      ['worker', '--level', level, '--name', `w${n + 1}`, '-q'],
      makeEnvironment(folder, { MAILVET_STORE: address }),
    ),
  );
  const node = await startServe(
    ['--set', 'serve.jobs=false', '--level', level],
    makeEnvironment(folder, { MAILVET_STORE: address }),
  );
  const postmaster = server.pid();
  const watch = watchProcesses((pid) => {
    if (pid === postmaster || parentOf(pid) === postmaster) return 'postgres';
    const args = commandLineOf(pid);
    const script = args.findIndex((arg) => arg.endsWith('mailvet.js'));
    const isOurs = script !== -1 && hasVariable(pid, 'MAILVET_STORE', address);
    return isOurs ? args.slice(script + 1, script + 3).join(' ') : null;
  });
  const timed = async (what, work) => {
    const startedAt = performance.now();
    const result = await work();
    console.log(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    return result;
  };
  const upload = JSON.parse(
    await timed('upload and split', () => run(['upload', file, '--column', 'email', '--yes', '--level', level], env)),
  );
  const readJob = async () => JSON.parse(await run(['jobs', 'get', upload.id, '--json'], env));
  const firstRead = timed('first results in order while it runs', () => readFirstResults(upload.id, env, 200_000));
  const canceled = await timed('cancel while running', async () => {
    await pollUntil(async () => (await readJob()).processed > rows / 10);
    await run(['jobs', 'cancel', upload.id, '-q'], env);
    return readJob();
  });
  await firstRead;
  await timed('resume', () => run(['jobs', 'resume', upload.id, '-q'], env));
  const job = await timed('run to the end', () => pollUntil(async () => endedJob(await readJob())));
  const results = join(folder, 'results.csv');
  await timed('results to a file', () =>
    run(['jobs', 'results', upload.id, '--format', 'csv', '-o', results, '-q'], env),
  );
  const wrong = await countWrongRows(results, rows);
  const [{ bytes }] = await server.run('store', 'SELECT pg_database_size(current_database())::bigint AS bytes');
  const tables = await server.run(
    'store',
    `SELECT relname AS name, pg_total_relation_size(oid)::bigint AS bytes FROM pg_class
     WHERE relnamespace = 'mailvet'::regnamespace AND relkind = 'r' ORDER BY 2 DESC LIMIT 5`,
  );
  await stop(...workerProcesses, node.child);
  const processes = watch.stop();
  console.log(JSON.stringify({ rows, level, workers, canceledAt: canceled.processed, parts: job.jobs?.length }));
  console.log(
    JSON.stringify({ processed: job.processed, duplicates: job.duplicate_count, credits: job.credits_used, wrong }),
  );
  console.log(
    `list ${formatMb(statSync(file).size)}, database ${formatMb(Number(bytes))}: ${tables.map((table) => `${table.name} ${formatMb(Number(table.bytes))}`).join(', ')}`,
  );
  for (const [label, group] of groupByLabel(processes)) {
    const cpu = group.reduce((sum, sample) => sum + sample.cpu, 0);
    const peak = Math.max(...group.map(({ peakMb }) => peakMb));
    console.log(`${label}: ${group.length} processes, ${cpu.toFixed(1)} s CPU, peak ${peak.toFixed(0)} MB`);
  }
  if (wrong > 0 || job.credits_used !== uniqueCount(rows)) process.exitCode = 1;
}

function groupByLabel(processes) {
  const groups = new Map();
  for (const sample of processes) groups.set(sample.label, [...(groups.get(sample.label) ?? []), sample]);
  return groups;
}

const formatMb = (bytes) => `${(bytes / 1024 / 1024).toFixed(0)} MB`;

async function writeList(file, rows) {
  const out = createWriteStream(file);
  out.write('id,email\n');
  for (let row = 0; row < rows; ) {
    let text = '';
    for (const end = Math.min(rows, row + 10_000); row < end; row++) text += `${row},${emailOf(row, rows)}\n`;
    if (!out.write(text)) await new Promise((resolve) => out.once('drain', resolve));
  }
  await new Promise((resolve) => out.end(resolve));
}

/** Reads the first rows of a running job. They must be in order, with or without a verdict. */
async function readFirstResults(id, env, count) {
  const child = start(['jobs', 'results', id, '--format', 'csv', '-q'], env);
  // Row −1 is the header.
  let row = -1;
  for await (const line of createInterface({ input: child.stdout })) {
    if (row >= 0 && Number(line.slice(0, line.indexOf(','))) !== row) throw new Error(`Row ${row} is ${line}`);
    if (++row >= count) break;
  }
  child.kill('SIGKILL');
}

/** Counts the rows that are wrong, missing or superfluous. */
async function countWrongRows(file, rows) {
  let row = -1;
  let wrong = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (row >= 0) {
      const [id, email, status] = line.split(',', 3);
      if (Number(id) !== row || email !== emailOf(row, rows) || status === '') wrong++;
    }
    row++;
  }
  return wrong + Math.abs(rows - row);
}
