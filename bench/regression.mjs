// How much work this build does, compared with the last accepted build or with another one.
//   node bench/regression.mjs [NAME…]            counts executed code; fails if it is 5% more than in bench/regression.tsv
//   node bench/regression.mjs [NAME…] --accept   writes the counts there
//   node bench/regression.mjs [NAME…] --other OTHER [--rounds N] [--scale 0.01]
//     CPU and elapsed time, in turns with OTHER: a built checkout, or a commit, which is built in a temporary folder
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { executedCode } from './executed-code.mjs';
import { median, report } from './measure.mjs';

const benchFolder = import.meta.dirname;
const root = resolve(benchFolder, '..');
const acceptedFile = join(benchFolder, 'regression.tsv');
const limit = 1.05;
/** The part of the whole from which on the count of a function is kept, so that a failure can name what grew. */
const keptShare = 1 / 2000;

const output = ['-o', 'vetted.csv', '--quiet'];
const bulk = ['bulk', 'list.csv', '--level', 'syntax', ...output];
const upload = ['upload', 'list.csv', '--column', 'email', '--level', 'syntax', '--yes', '--wait', ...output];
const person = (name) => (index) => `${name},jane${index}@d${index % 5000}.com`;

/** Commands, and the list they read: `rows` for times, a part of them (`counted`) for counts. */
const commands = {
  version: { words: ['--version'], rounds: 21 },
  validate: { words: ['validate', 'a@b.co', '--level', 'syntax', '--json'], rounds: 21 },
  bulk: { words: bulk, rows: 1_000_000, counted: 0.02, line: person('Jane Doe') },
  quoted: { words: bulk, rows: 1_000_000, counted: 0.02, line: person('"Doe, Jane"') },
  upload: { words: upload, rows: 1_000_000, counted: 0.02, line: person('Jane Doe') },
  // Levels with a network, as a library: whether a command remembers its answers depends on the time it takes.
  dns: {
    addresses: { prefix: ['jane.doe'], domains: 1e6, suffix: '-x.com', addresses: 20_000, inFlight: 60 },
    counted: 0.1,
    start: async () => {
      const server = fork(`${benchFolder}/dns-server.mjs`);
      const [port] = await once(server, 'message');
      return { server, options: { level: 'dns', resolvers: [`127.0.0.1:${port}`] } };
    },
  },
  smtp: {
    addresses: { prefix: ['bad', 'good'], domains: 200, suffix: '.vetbench.com', addresses: 10_000, inFlight: 10_000 },
    counted: 0.2,
    start: async () => {
      const task = { hosts: 200, port: 2525, dnsIp: '127.0.0.154', dnsPort: 5354, rttMs: 20 };
      const server = fork(`${benchFolder}/smtp-server.mjs`, [JSON.stringify(task)]);
      await once(server, 'message');
      const options = { resolvers: [`${task.dnsIp}:${task.dnsPort}`], smtpPort: task.port, level: 'smtp' };
      return { server, options: { ...options, allowNetworks: ['127.0.0.0/8'], ehloName: 'probe.vetbench.net' } };
    },
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    accept: { type: 'boolean' },
    other: { type: 'string' },
    rounds: { type: 'string' },
    scale: { type: 'string', default: '1' },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(commands);
const work = mkdtempSync(join(tmpdir(), 'mailvet-regression-'));
try {
  if (values.other === undefined) await checkCounts();
  else await compareTimes(values.other);
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function checkCounts() {
  const node = `node ${process.versions.node.split('.')[0]}`;
  // A line for each version of Node and command: the count, and those of its functions.
  const lines = existsSync(acceptedFile) ? readFileSync(acceptedFile, 'utf8').trimEnd().split('\n') : [];
  const accepted = new Map(lines.map((text) => text.split('\t')).map(([key, ...counts]) => [key, counts]));
  for (const name of names) {
    const key = `${node} ${name}`;
    const known = accepted.get(key);
    const old = known && { total: Number(known[0]), functions: JSON.parse(known[1]) };
    let counts = await countCode(name);
    // A load on the machine lets a mail host answer late, so that more is asked.
    for (let left = 2; left > 0 && old !== undefined && totalOf(counts) > old.total * limit; left--) {
      const again = await countCode(name);
      if (totalOf(again) < totalOf(counts)) counts = again;
    }
    const total = totalOf(counts);
    const functions = Object.fromEntries([...counts].filter(([, count]) => count > total * keptShare));
    if (values.accept) accepted.set(key, [total, JSON.stringify(functions)]);
    else if (old === undefined) console.log(`${name}: no accepted count for ${node}, ${total} now`);
    else compareCounts(name, total, counts, old);
  }
  const text = [...accepted].map(([key, counts]) => `${[key, ...counts].join('\t')}\n`);
  if (values.accept) writeFileSync(acceptedFile, text.join(''));
}

function totalOf(counts) {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function countCode(name) {
  return inLab(name, commands[name].counted, async (run) => {
    const coverage = mkdtempSync(join(work, 'coverage-'));
    await run(root, { NODE_V8_COVERAGE: coverage });
    return executedCode(coverage);
  });
}

/** Prints the ratio; beyond the limit, fails and names the functions that grew. */
function compareCounts(name, total, counts, old) {
  report({
    ...{
      bench: 'regression',
      what: `${name}: executed code`,
      ours: total,
      peer: old.total,
      peerName: 'accepted build',
    },
    ...{ unit: 'characters', ratio: total / old.total, goal: `<= ${limit}` },
  });
  if (total <= old.total * limit) return;
  process.exitCode = 1;
  const least = old.total * keptShare;
  const growth = [...counts].map(([key, count]) => [key, count, count - (old.functions[key] ?? least)]);
  const rows = growth.sort(([, , a], [, , b]) => b - a).slice(0, 10);
  console.error(`${name}: ${((total / old.total - 1) * 100).toFixed(1)}% more code is executed. What grew most:`);
  for (const [key, count, more] of rows)
    console.error(`  +${more.toLocaleString('en-US')} to ${count.toLocaleString('en-US')}  ${key}`);
  console.error('If that is worth it: node bench/regression.mjs --accept, and commit bench/regression.tsv.');
}

async function compareTimes(other) {
  const roots = { ours: root, other: existsSync(other) ? resolve(other) : buildCommit(other) };
  for (const name of names) {
    const samples = { ours: [], other: [] };
    await inLab(name, Number(values.scale), async (run) => {
      for (let left = Number(values.rounds ?? commands[name].rounds ?? 5); left > 0; left--)
        for (const [build, folder] of Object.entries(roots)) samples[build].push(await run(folder, {}));
    });
    for (const what of ['CPU', 'elapsed']) {
      const [ours, peer] = [samples.ours, samples.other].map((list) => median(list.map((sample) => sample[what])));
      const figures = { ours, peer, peerName: 'other build', unit: 'ms', ratio: ours / peer, goal: `<= ${limit}` };
      report({ bench: 'regression', what: `${name}: ${what}`, ...figures });
    }
  }
}

/** Builds a commit in a folder of its own. */
function buildCommit(commit) {
  const target = join(work, 'other');
  const script = 'mkdir "$2" && git archive "$1" | tar -x -C "$2" && cd "$2" && npm ci && npm run build';
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('bash', ['-o', 'pipefail', '-c', script, 'bash', commit, target], options);
  return target;
}

/** Writes the list, or starts the servers, and passes on a function that runs the command of a build. */
async function inLab(name, scale = 1, use) {
  const { words, rows, line, addresses, start } = commands[name];
  if (rows !== undefined) {
    const lines = Array.from({ length: rows * scale }, (_, index) => `${index},${line(index)}\n`);
    writeFileSync(join(work, 'list.csv'), `id,name,email\n${lines.join('')}`);
  }
  if (start === undefined) return use((build, more) => runNode([join(build, 'bin/mailvet.js'), ...words], more));
  const { server, options } = await start();
  const task = JSON.stringify({ ...addresses, addresses: addresses.addresses * scale, options });
  try {
    return await use((build, more) => runNode([`${benchFolder}/vet-addresses.mjs`, build, task], more));
  } finally {
    server.disconnect();
  }
}

/** Runs a command in an empty data directory: an upload would find the job of the run before. */
async function runNode(words, more) {
  const home = mkdtempSync(join(work, 'home-'));
  const { NODE_EXTRA_CA_CERTS: _, NODE_COMPILE_CACHE: __, ...environment } = process.env;
  const env = { ...environment, MAILVET_HOME: home, MAILVET_CONFIG_DIR: home, ...more };
  const timed = 'TIMEFORMAT="%3R %3U %3S"; time "$@" > /dev/null';
  const args = ['-c', timed, 'bash', process.execPath, ...words];
  const child = spawn('bash', args, { cwd: work, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`node ${words.join(' ')} ended with ${status}:\n${stderr}`);
  const [real, user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  rmSync(home, { recursive: true });
  rmSync(join(work, 'vetted.csv'), { force: true });
  return { CPU: 1000 * (user + system), elapsed: 1000 * real };
}
