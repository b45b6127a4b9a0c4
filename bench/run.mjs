// Runs all benchmarks, or those named, one after the other; prints one table and writes bench/results.json.
//   npm run bench [-- startup syntax …]
import { execFileSync, fork } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const benchmarks = ['startup', 'syntax', 'bulk', 'dns', 'smtp', 'serve'];
const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !benchmarks.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${benchmarks.join(', ')}.`);
  process.exit(2);
}

if (!existsSync(join(folder, 'node_modules'))) {
  console.error('Installing the packages to compare with …');
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
}

const lines = [];
const failed = [];
for (const name of requested.length > 0 ? requested : benchmarks) {
  console.error(`\n== ${name}`);
  const status = await run(name);
  if (status !== 0) failed.push(name);
}

const machine = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  cores: cpus().length,
  model: cpus()[0]?.model,
};
writeFileSync(join(folder, 'results.json'), `${JSON.stringify({ machine, results: lines, failed }, null, 2)}\n`);
console.log(`\n| bench | what | ours | peer or limit | ratio | goal |\n|---|---|---|---|---|---|`);
for (const { bench, what, ours, peer, peerName, unit, ratio, goal } of lines) {
  console.log(
    `| ${bench} | ${what} | ${format(ours)} ${unit} | ${peerName}: ${format(peer)} ${unit} | ${ratio} | ${goal} |`,
  );
}
console.log(`\n${machine.date}, Node ${machine.node}, ${machine.cores} cores. Also in bench/results.json.`);
if (failed.length > 0) console.error(`Did not finish: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** Runs one benchmark in its own process. NODE_EXTRA_CA_CERTS is removed: it triples the start time of Node. */
function run(name) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const child = fork(join(folder, `${name}.mjs`), [], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.on('message', (line) => lines.push(line));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

function format(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2);
}
