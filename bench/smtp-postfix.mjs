// The part of bench/smtp that users would recognise: whole processes against real Postfix with STARTTLS behind a delaying proxy, for
// one address, 1,000 over 10 domains and 10,000 over 1,000 domains on 10 hosts, with both settings of --tls.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, report } from './measure.mjs';
import { missingPostfix, startPostfix } from './postfix.mjs';

const hosts = 10;
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const entry = (index, domains) => `${index % 10 < 7 ? 'good' : 'bad'}${index}@d${index % domains}.vetbench.com`;

const parts = { one: oneAddress, thousand, 'ten-thousand': tenThousand };
export const postfixParts = Object.keys(parts);

/** Runs the named parts of it, or says why it cannot. `run` starts a peer as bench/smtp does. */
export async function benchPostfix({ only, folder, dnsIp, rttMs, rounds, peers, run }) {
  const missing = missingPostfix();
  if (missing !== null) {
    console.log(`smtp: nothing is measured against real hosts. ${missing}`);
    return;
  }
  const behind = Array.from({ length: hosts }, (_, index) => `127.8.0.${index + 1}`);
  const stopPostfix = await startPostfix(folder, behind);
  const task = { hosts, port: 25, dnsIp, dnsPort: 53, rttMs, behind };
  const proxy = fork(here('smtp-server.mjs'), [JSON.stringify(task)]);
  try {
    await once(proxy, 'message');
    const rig = { folder, dnsIp, proxy, rounds, peers, run };
    // Postfix starts a process for each session and keeps it for the next: whoever came first would pay for all.
    await ideal(rig, { addresses: 1000, domains: 10 }, true);
    for (const part of only) await parts[part](rig);
  } finally {
    proxy.disconnect();
    await once(proxy, 'exit');
    stopPostfix();
  }
}

const limitsMs = { required: 300, offered: 400 };

async function oneAddress(rig) {
  const size = { addresses: 1, domains: 1, hosts: 1 };
  for (const tls of ['required', 'offered']) {
    const contenders = {
      ours: async () => (await mailvet(rig, ['validate', entry(0, 1), '--json'], tls)).ms,
      ideal: async () => (await ideal(rig, size, tls === 'offered')).ms,
    };
    const times = await interleave(contenders, Math.max(5, rig.rounds));
    console.log(`smtp: one address, TLS ${tls}: a client made by hand for just this: ${Math.round(times.ideal)} ms`);
    const what = `one address, whole process, real Postfix, --tls ${tls}`;
    const limit = { peer: limitsMs[tls], peerName: 'limit', unit: 'ms', goal: '<= 1' };
    report({ bench: 'smtp', what, ours: times.ours, ...limit, ratio: times.ours / limitsMs[tls] });
  }
}

async function thousand(rig) {
  const size = { addresses: 1000, domains: 10 };
  for (const tls of ['required', 'offered']) {
    const seen = {};
    const timed = (name, start) => async () => {
      seen[name] = await start();
      return seen[name].ms;
    };
    const contenders = {
      mailvet: timed('mailvet', () => bulk(rig, size, tls)),
      ideal: timed('ideal', () => ideal(rig, size, tls === 'offered')),
    };
    const times = await interleave(contenders, rig.rounds);
    // The peers speak no TLS, and take so long that once is enough.
    for (const peer of tls === 'required' ? rig.peers : []) {
      times[peer] = await timed(peer, () => rig.run(rig.proxy, peer, { ...size, inFlight: size.addresses }))();
    }
    for (const [name, { connections, right }] of Object.entries(seen)) {
      const took = `${Math.round(times[name])} ms, ${connections} connections, ${right} of ${size.addresses} right`;
      console.log(`smtp: real Postfix, TLS ${tls}: ${name}: ${took}`);
    }
    const what = `1,000 addresses, 10 real Postfix hosts, whole processes, --tls ${tls} (${seen.mailvet.connections} connections)`;
    const peer = { peer: times.ideal, peerName: 'a client made by hand', unit: 'ms', goal: '<= 1.5' };
    report({ bench: 'smtp', what, ours: times.mailvet, ...peer, ratio: times.mailvet / times.ideal });
  }
}

async function tenThousand(rig) {
  const size = { addresses: 10_000, domains: 1000 };
  for (const tls of ['required', 'offered']) {
    const { ms, right, connections } = await bulk(rig, size, tls);
    console.log(`smtp: real Postfix, TLS ${tls}: ${right} of 10,000 right, ${connections} connections`);
    const byHand = await ideal(rig, size, tls === 'offered');
    console.log(`smtp: a client made by hand for just this: ${Math.round(byHand.ms)} ms, ${byHand.right} right`);
    const what = `10,000 addresses, 1,000 domains on 10 real Postfix hosts, whole process, --tls ${tls}`;
    const perSecond = size.addresses / (ms / 1000);
    const limit = { peer: 1500, peerName: 'limit', unit: 'addresses/s', goal: '>= 1' };
    report({ bench: 'smtp', what, ours: perSecond, ...limit, ratio: perSecond / 1500 });
  }
}

/** The program on a list, from its start to its end. */
async function bulk(rig, { addresses, domains }, tls) {
  const list = join(rig.folder, `list-${addresses}.txt`);
  writeFileSync(list, Array.from({ length: addresses }, (_, index) => `${entry(index, domains)}\n`).join(''));
  const before = await connectionsOf(rig.proxy);
  const { ms, out } = await mailvet(rig, ['bulk', list, '--format', 'ndjson', '--greylist-wait', '0'], tls);
  const results = out.trim().split('\n').map(JSON.parse);
  const right = results.filter(({ email, status }) => status === (email.startsWith('good') ? 'valid' : 'invalid'));
  return { ms, right: right.length, connections: (await connectionsOf(rig.proxy)) - before };
}

async function mailvet({ folder, dnsIp }, args, tls) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
  const env = { ...inherited, MAILVET_HOME: home, MAILVET_CONFIG_DIR: home };
  const flags = ['--resolver', dnsIp, '--allow-network', '127.0.0.0/8', '--ehlo-name', 'probe.vetbench.net'];
  const start = performance.now();
  const child = spawn(process.execPath, [here('../bin/mailvet.js'), ...args, ...flags, '--tls', tls], {
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

/** The client made by hand, from its start to its end. */
async function ideal({ dnsIp, proxy }, size, tls) {
  const before = await connectionsOf(proxy);
  const task = { contender: 'ideal', hosts, ...size, port: 25, resolver: `${dnsIp}:53`, tls };
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const start = performance.now();
  const child = fork(here('smtp-client.mjs'), [JSON.stringify(task)], { env });
  const [{ right }] = await once(child, 'message');
  if (child.exitCode === null) await once(child, 'exit');
  return { ms: performance.now() - start, right, connections: (await connectionsOf(proxy)) - before };
}

async function connectionsOf(proxy) {
  proxy.send('count');
  const [count] = await once(proxy, 'message');
  return count;
}
