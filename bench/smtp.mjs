// Whole processes against ten real Postfix hosts, 20 ms away: one address, and 1,000 over ten domains, with both settings of
// `tls`, in turns with a client made for this. Needs root, and installs Postfix with apt-get if it is missing.
//   node bench/smtp.mjs [--other BUILD]      also compares one address with another built checkout
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median, report } from './measure.mjs';
import { startPostfix } from './postfix.mjs';

const { other } = parseArgs({ options: { other: { type: 'string' } } }).values;
const rounds = Number(process.env.ROUNDS ?? 7);
const hosts = 10;
const resolver = '127.0.0.153';
const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
const env = { ...inherited, MAILVET_HOME: folder, MAILVET_CONFIG_DIR: folder };
const entry = (index, domains) => `${index % 10 < 7 ? 'good' : 'bad'}${index}@d${index % domains}.vetbench.com`;
const one = { addresses: 1, domains: 1, hosts: 1 };
const thousand = { addresses: 1000, domains: 10, hosts };
const goals = { required: 1.55, offered: 1.3 };

// Stop Postfix before the folder is removed.
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const [signal, status] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
  process.once(signal, () => process.exit(status));
const upstreams = Array.from({ length: hosts }, (_, index) => `127.8.0.${index + 1}`);
await startPostfix(folder, upstreams);
const task = { hosts, port: 25, dnsIp: resolver, dnsPort: 53, rttMs: 20, upstreams };
const proxy = fork(join(import.meta.dirname, 'smtp-server.mjs'), [JSON.stringify(task)]);
const [message] = await Promise.race([once(proxy, 'message'), once(proxy, 'exit')]);
if (message !== 'ready') throw new Error('Ports 25 and 53 of loopback need root, and must be free.');

const list = join(folder, 'list.txt');
writeFileSync(list, Array.from({ length: 1000 }, (_, index) => `${entry(index, 10)}\n`).join(''));
// Postfix starts a process for each session and keeps it for the next one.
await client(thousand, 'offered');
for (const tls of ['required', 'offered']) {
  const bulk = ['bulk', list, '--format', 'ndjson', '--fresh', '--greylist-wait', '0'];
  const { ours, peer } = await inTurns({ ours: () => mailvet(root, bulk, tls), peer: () => client(thousand, tls) });
  const results = ours.output.trim().split('\n').map(JSON.parse);
  const right = results.filter(({ email, status }) => status === (email.startsWith('good') ? 'valid' : 'invalid'));
  const what = `1,000 addresses, tls ${tls} (${ours.connections} connections, ${right.length} right)`;
  show(what, ours.ms, { ms: peer.ms, name: `client made for this (${peer.connections} connections)` }, goals[tls]);
}
for (const tls of ['required', 'offered']) {
  const words = ['validate', entry(0, 1), '--json'];
  const build = other === undefined ? {} : { other: () => mailvet(resolve(other), words, tls) };
  const times = await inTurns({ ours: () => mailvet(root, words, tls), peer: () => client(one, tls), ...build });
  const what = `one address, tls ${tls}`;
  show(what, times.ours.ms, { ms: times.peer.ms, name: 'client made for this' }, 1.5);
  if (times.other !== undefined) show(what, times.ours.ms, { ms: times.other.ms, name: 'other build' }, 1.05);
}
proxy.disconnect();
await once(proxy, 'exit');
process.exit();

function show(what, ours, { ms, name }, goal) {
  report({ bench: 'smtp', what, ours, peer: ms, peerName: name, unit: 'ms', ratio: ours / ms, goal: `<= ${goal}` });
}

/** The last run of each contender, with the median of its times and connections. */
async function inTurns(contenders) {
  const runs = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const before = await connectionCount();
      const startedAt = performance.now();
      const output = await run();
      const ms = performance.now() - startedAt;
      runs[name].push({ ms, output, connections: (await connectionCount()) - before });
    }
  }
  const medianOf = (name, field) => median(runs[name].map((run) => run[field]));
  return Object.fromEntries(
    Object.entries(runs).map(([name, all]) => {
      return [name, { ...all.at(-1), ms: medianOf(name, 'ms'), connections: medianOf(name, 'connections') }];
    }),
  );
}

async function mailvet(build, words, tls) {
  const settings = { resolvers: resolver, allow_networks: '127.0.0.0/8', ehlo_name: 'probe.vetbench.net', tls };
  const variables = Object.entries(settings).map(([key, value]) => [`MAILVET_${key.toUpperCase()}`, value]);
  const options = { env: { ...env, ...Object.fromEntries(variables) }, stdio: ['ignore', 'pipe', 'ignore'] };
  const child = spawn(process.execPath, [join(build, 'bin/mailvet.js'), ...words], options);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return output;
}

async function client(size, tls) {
  const clientTask = JSON.stringify({ ...size, port: 25, resolver: `${resolver}:53`, tls: tls === 'offered' });
  const child = fork(join(import.meta.dirname, 'smtp-client.mjs'), [clientTask], { env });
  const [right] = await once(child, 'message');
  if (child.exitCode === null) await once(child, 'exit');
  if (right !== size.addresses) throw new Error(`The client has ${right} of ${size.addresses} right.`);
}

async function connectionCount() {
  proxy.send('count');
  return (await once(proxy, 'message'))[0];
}
