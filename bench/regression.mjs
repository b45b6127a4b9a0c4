// This build compared with an older one, in turns: node bench/regression.mjs OTHER [NAME…] [--rounds N] [--scale 0.01]
// OTHER is a built checkout, or a commit, which is built in a temporary folder. On a busy machine, CPU time varies less
// than elapsed time. The flags are those that older builds know. Needs bash.
import { execFile, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { median, report } from './measure.mjs';

const run = promisify(execFile);
const benchFolder = import.meta.dirname;
const dnsIp = '127.0.0.154';
const dnsPort = 5354;
const smtpPort = 2525;
const hosts = 200;
const rows = 1_000_000;

/** Levels of the engine, as a library. `start` returns the server, which is a process of its own, and the options. */
const levels = {
  dns: {
    addresses: 20_000,
    inFlight: 60,
    emailOf: (index) => `jane.doe${index}@d${index}-x.com`,
    start: async () => {
      const server = fork(`${benchFolder}/dns-server.mjs`);
      const [port] = await once(server, 'message');
      return { server, options: { resolvers: [`127.0.0.1:${port}`] } };
    },
  },
  smtp: {
    addresses: 10_000,
    inFlight: 10_000,
    emailOf: (index) => `${index % 2 === 1 ? 'good' : 'bad'}${index}@d${index % hosts}.vetbench.com`,
    start: async () => {
      const task = { hosts, port: smtpPort, dnsIp, dnsPort, rttMs: 20 };
      const server = fork(`${benchFolder}/smtp-server.mjs`, [JSON.stringify(task)]);
      await once(server, 'message');
      const options = { resolvers: [`${dnsIp}:${dnsPort}`], smtpPort, allowNetworks: ['127.0.0.0/8'] };
      return { server, options: { ...options, ehloName: 'probe.vetbench.net' } };
    },
  },
};

/** Commands. `name` is the third cell of each row of `list.csv`. */
const bulk = ['bulk', 'list.csv', '--level', 'syntax', '-o', 'vetted.csv', '--quiet'];
const upload = ['upload', 'list.csv', '--column', 'email', '--level', 'syntax', '--yes', '--wait', '-o', 'vetted.csv'];
const commands = {
  bulk: { words: bulk, name: 'Jane Doe' },
  quoted: { words: bulk, name: '"Doe, Jane"' },
  upload: { words: [...upload, '--quiet'], name: 'Jane Doe' },
  version: { words: ['--version'], rounds: 21 },
  validate: { words: ['validate', 'a@b.co', '--level', 'syntax', '--json'], rounds: 21 },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    scale: { type: 'string', default: '1' },
    measure: { type: 'string' },
  },
});
const scale = Number(values.scale);
const [other, ...wanted] = positionals;
if (other === undefined) throw new Error('The path of a built checkout, or a commit, is missing.');
if (values.measure === undefined) await compareAll();
else console.log(await cpuPerAddress(other, values.measure));

async function compareAll() {
  const work = mkdtempSync(join(tmpdir(), 'mailvet-regression-'));
  try {
    const roots = { ours: resolve(benchFolder, '..'), other: existsSync(other) ? resolve(other) : buildCommit(work) };
    for (const name of [...Object.keys(commands), ...Object.keys(levels)]) {
      if (wanted.length === 0 || wanted.includes(name)) await compare(name, roots, work);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Builds the commit `other` in a folder of its own. */
function buildCommit(work) {
  const target = join(work, 'other');
  const script = 'mkdir "$2" && git archive "$1" | tar -x -C "$2" && cd "$2" && npm ci && npm run build';
  const options = { cwd: join(benchFolder, '..'), stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('bash', ['-o', 'pipefail', '-c', script, 'bash', other, target], options);
  return target;
}

async function compare(name, roots, work) {
  const command = commands[name];
  if (command?.name !== undefined) writeList(join(work, 'list.csv'), command.name);
  const measure = command === undefined ? measureLevel : measureCommand;
  const samples = { ours: [], other: [] };
  for (let left = Number(values.rounds ?? command?.rounds ?? 5); left > 0; left--) {
    for (const [build, root] of Object.entries(roots)) samples[build].push(await measure(root, name, work));
  }
  for (const what of Object.keys(samples.ours[0])) {
    const [ours, peer] = [samples.ours, samples.other].map((each) => median(each.map((sample) => sample[what])));
    const unit = command === undefined ? 'µs' : 'ms';
    const figures = { ours, peer, peerName: 'other build', unit, ratio: ours / peer, goal: '<= 1.05' };
    report({ bench: 'regression', what: `${name}: ${what}`, ...figures });
  }
}

function writeList(path, name) {
  const lines = Array.from(
    { length: rows * scale },
    (_, index) => `${index},${name},jane${index}@d${index % 5000}.com\n`,
  );
  writeFileSync(path, `id,name,email\n${lines.join('')}`);
}

/** Runs a command in an empty data directory: an upload would find the job of the run before. */
async function measureCommand(root, name, work) {
  const home = mkdtempSync(join(work, 'home-'));
  const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
  const env = { ...environment, MAILVET_HOME: home, MAILVET_CONFIG_DIR: home };
  const timed = 'TIMEFORMAT="%3R %3U %3S"; time "$@" > /dev/null';
  const program = [process.execPath, join(root, 'bin/mailvet.js')];
  const { stderr } = await run('bash', ['-c', timed, 'bash', ...program, ...commands[name].words], { cwd: work, env });
  const [real, user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  rmSync(home, { recursive: true });
  rmSync(join(work, 'vetted.csv'), { force: true });
  return { CPU: 1000 * (user + system), elapsed: 1000 * real };
}

async function measureLevel(root, name) {
  const args = [import.meta.filename, root, '--measure', name, '--scale', String(scale)];
  return { 'CPU per address': Number((await run(process.execPath, args)).stdout) };
}

/** Microseconds of CPU per address, measured in this process. */
async function cpuPerAddress(root, level) {
  const { createEngine } = await import(pathToFileURL(`${root}/dist/index.js`).href);
  const { inFlight, emailOf, start } = levels[level];
  const addresses = levels[level].addresses * scale;
  const { server, options } = await start();
  const engine = await createEngine({ level, ...options });
  let next = 0;
  let unknown = 0;
  const work = async () => {
    while (next < addresses) if ((await engine.validate(emailOf(next++))).status === 'unknown') unknown++;
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, work));
  const { user, system } = process.cpuUsage(before);
  await engine.close();
  server.disconnect();
  if (unknown > 0) throw new Error(`${unknown} addresses are unknown`);
  return (user + system) / addresses;
}
