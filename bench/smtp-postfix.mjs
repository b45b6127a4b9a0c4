// The part of bench/smtp that measures whole processes against Postfix with STARTTLS behind a delaying proxy: one address, 1,000 over 10
// domains and 10,000 over 1,000 domains on 10 hosts, with both settings of tls.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, report } from './measure.mjs';
import { installPostfix, startPostfix } from './postfix.mjs';

const hosts = 10;
const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));
const entry = (index, domains) => `${index % 10 < 7 ? 'good' : 'bad'}${index}@d${index % domains}.vetbench.com`;

const parts = { one: benchOneAddress, thousand: benchThousand, 'ten-thousand': benchTenThousand };
export const postfixParts = Object.keys(parts);

/** Runs the named parts, or prints why it cannot. `run` starts a peer as bench/smtp does. */
export async function benchPostfix({ only, folder, dnsIp, rttMs, rounds, peers, run }) {
  const problem = installPostfix();
  if (problem !== null) {
    console.log(`smtp: nothing is measured against real hosts. ${problem}`);
    return;
  }
  const upstreams = Array.from({ length: hosts }, (_, index) => `127.8.0.${index + 1}`);
  const stopPostfix = await startPostfix(folder, upstreams);
  const task = { hosts, port: 25, dnsIp, dnsPort: 53, rttMs, upstreams };
  const proxy = fork(pathOf('smtp-server.mjs'), [JSON.stringify(task)]);
  try {
    await once(proxy, 'message');
    const setup = { folder, dnsIp, proxy, rounds, peers, run };
    // Postfix starts a process per session and reuses it. Warm up, so that the first contender does not pay for all.
    await runIdeal(setup, { addresses: 1000, domains: 10 }, true);
    for (const part of only) await parts[part](setup);
  } finally {
    proxy.disconnect();
    await once(proxy, 'exit');
    stopPostfix();
  }
}

const limitsMs = { required: 300, offered: 400 };

async function benchOneAddress(setup) {
  const size = { addresses: 1, domains: 1, hosts: 1 };
  for (const tls of ['required', 'offered']) {
    const contenders = {
      ours: async () => (await runMailvet(setup, ['validate', entry(0, 1), '--json'], tls)).ms,
      ideal: async () => (await runIdeal(setup, size, tls === 'offered')).ms,
    };
    const times = await interleave(contenders, Math.max(5, setup.rounds));
    console.log(`smtp: one address, TLS ${tls}: purpose-built client: ${Math.round(times.ideal)} ms`);
    const what = `one address, whole process, Postfix, tls ${tls}`;
    const limit = { peer: limitsMs[tls], peerName: 'limit', unit: 'ms', goal: '<= 1' };
    report({ bench: 'smtp', what, ours: times.ours, ...limit, ratio: times.ours / limitsMs[tls] });
  }
}

async function benchThousand(setup) {
  const size = { addresses: 1000, domains: 10 };
  for (const tls of ['required', 'offered']) {
    const lastRuns = {};
    const timed = (name, start) => async () => {
      lastRuns[name] = await start();
      return lastRuns[name].ms;
    };
    const contenders = {
      mailvet: timed('mailvet', () => runBulk(setup, size, tls)),
      ideal: timed('ideal', () => runIdeal(setup, size, tls === 'offered')),
    };
    const times = await interleave(contenders, setup.rounds);
    // The peers do not support TLS. They are slow, so one run is enough.
    for (const peer of tls === 'required' ? setup.peers : []) {
      times[peer] = await timed(peer, () => setup.run(setup.proxy, peer, { ...size, inFlight: size.addresses }))();
    }
    for (const [name, { connections, correct }] of Object.entries(lastRuns)) {
      const summary = `${Math.round(times[name])} ms, ${connections} connections, ${correct} of ${size.addresses} correct`;
      console.log(`smtp: Postfix, TLS ${tls}: ${name}: ${summary}`);
    }
    const what = `1,000 addresses, 10 Postfix hosts, whole processes, tls ${tls} (${lastRuns.mailvet.connections} connections)`;
    const peer = { peer: times.ideal, peerName: 'purpose-built client', unit: 'ms', goal: '<= 1.5' };
    report({ bench: 'smtp', what, ours: times.mailvet, ...peer, ratio: times.mailvet / times.ideal });
  }
}

async function benchTenThousand(setup) {
  const size = { addresses: 10_000, domains: 1000 };
  for (const tls of ['required', 'offered']) {
    const { ms, correct, connections } = await runBulk(setup, size, tls);
    console.log(`smtp: Postfix, TLS ${tls}: ${correct} of 10,000 correct, ${connections} connections`);
    const purposeBuilt = await runIdeal(setup, size, tls === 'offered');
    console.log(`smtp: purpose-built client: ${Math.round(purposeBuilt.ms)} ms, ${purposeBuilt.correct} correct`);
    const what = `10,000 addresses, 1,000 domains on 10 Postfix hosts, whole process, tls ${tls}`;
    const perSecond = size.addresses / (ms / 1000);
    const limit = { peer: 1500, peerName: 'limit', unit: 'addresses/s', goal: '>= 1' };
    report({ bench: 'smtp', what, ours: perSecond, ...limit, ratio: perSecond / 1500 });
  }
}

/** The program on a list, as a whole process. */
async function runBulk(setup, { addresses, domains }, tls) {
  const list = join(setup.folder, `list-${addresses}.txt`);
  writeFileSync(list, Array.from({ length: addresses }, (_, index) => `${entry(index, domains)}\n`).join(''));
  const before = await connectionsOf(setup.proxy);
  const { ms, out } = await runMailvet(setup, ['bulk', list, '--format', 'ndjson', '--greylist-wait', '0'], tls);
  const results = out.trim().split('\n').map(JSON.parse);
  const correct = results.filter(({ email, status }) => status === (email.startsWith('good') ? 'valid' : 'invalid'));
  return { ms, correct: correct.length, connections: (await connectionsOf(setup.proxy)) - before };
}

async function runMailvet({ folder, dnsIp }, args, tls) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
  const env = { ...inherited, MAILVET_HOME: home, MAILVET_CONFIG_DIR: home };
  const flags = [
    '--set',
    `resolvers=${dnsIp}`,
    '--set',
    'allow_networks=127.0.0.0/8',
    '--set',
    'ehlo_name=probe.vetbench.net',
  ];
  const start = performance.now();
  const child = spawn(process.execPath, [pathOf('../bin/mailvet.js'), ...args, ...flags, '--set', `tls=${tls}`], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  await once(child, 'close');
  return { ms: performance.now() - start, out };
}

/** The purpose-built client, as a whole process. */
async function runIdeal({ dnsIp, proxy }, size, tls) {
  const before = await connectionsOf(proxy);
  const task = { contender: 'ideal', hosts, ...size, port: 25, resolver: `${dnsIp}:53`, tls };
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const start = performance.now();
  const child = fork(pathOf('smtp-client.mjs'), [JSON.stringify(task)], { env });
  const [{ correct }] = await once(child, 'message');
  if (child.exitCode === null) await once(child, 'exit');
  return { ms: performance.now() - start, correct, connections: (await connectionsOf(proxy)) - before };
}

async function connectionsOf(proxy) {
  proxy.send('count');
  const [count] = await once(proxy, 'message');
  return count;
}
