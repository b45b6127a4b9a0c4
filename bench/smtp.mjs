// SMTP probes with a round trip of 20 ms. Against fake hosts without TLS: 1,000 addresses over 10 domains compared with npm peers and a
// purpose-built client, and how the cost grows with the list. Needs root, because the peers only dial port 25.
// `--only fake` runs one part.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { interleave, report } from './measure.mjs';

const rttMs = 20;
const port = 25;
const rounds = Number(process.env.ROUNDS ?? 3);
const dnsIp = '127.0.0.153';
const peers = ['deep-email-validator', 'email-verify', 'email-deep-validator'];
const folder = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const fakeParts = { fake: compareWithPeers, growth };
const allParts = Object.keys(fakeParts);
const flag = process.argv.indexOf('--only');
const only = flag === -1 ? allParts : (process.argv[flag + 1] ?? '').split(',');
if (!only.every((part) => allParts.includes(part))) {
  throw new Error(`--only accepts: ${allParts.join(', ')}`);
}
const missing = peers.filter((name) => !existsSync(pathOf(`node_modules/${name}`)));
if (missing.length > 0 && only.includes('fake')) {
  console.error(`smtp: ${missing.join(', ')} cannot be measured. Run first: cd bench && npm install --ignore-scripts`);
  process.exit(1);
}

/** The modules under test, with DNS: MX, addresses, probe. */
const ours = join(folder, 'ours.js');
writeFileSync(
  join(folder, 'ours.ts'),
  `import { systemDns } from '${pathOf('../src/net/dns/dns.ts')}';
   import { smtpProber } from '${pathOf('../src/net/probe/smtp-prober.ts')}';
   export function open({ resolver, port }) {
     const dns = systemDns({ resolvers: [resolver] });
     const prober = smtpProber({ port, ehloName: 'probe.vetbench.net' });
     return {
       async check(email) {
         const [localPart, domain] = email.split('@');
         const mx = await dns.mx(domain);
         const name = mx.records[0].exchange;
         const found = await dns.addresses(name);
         const address = { localPart, domain, displayDomain: domain, literal: null, tag: null, canonical: email, needsSmtpUtf8: false };
         const route = { hosts: [{ name, preference: 10, addresses: found.records }], implicit: false };
         const { mailbox, catchAll } = await prober.probe({ address, route, provider: null });
         if (mailbox.outcome.state === 'passed' && catchAll.outcome !== 'refused') throw new Error('No answer for the random mailbox.');
         return mailbox.outcome.state;
       },
       async close() { await prober.close(); dns.close(); },
     };
   }`,
);
await build({
  entryPoints: [join(folder, 'ours.ts')],
  outdir: folder,
  bundle: true,
  // Modules that are loaded on demand stay separate, as in the program.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  external: ['socks'],
  logLevel: 'warning',
});
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
// The reply phrases are read from files.
cpSync(pathOf('../src/net/replies/data'), join(folder, 'data'), { recursive: true });

// The peers resolve mail hosts with getaddrinfo: a mount namespace has a resolv.conf with our DNS server.
writeFileSync(join(folder, 'resolv.conf'), `nameserver ${dnsIp}\n`);
const hasOwnResolver =
  spawnSync('unshare', ['-m', 'mount', '--bind', join(folder, 'resolv.conf'), '/etc/resolv.conf']).status === 0;

async function startServer(domains, serverPort) {
  const task = { hosts: domains, port: serverPort, dnsIp, dnsPort: 53, rttMs };
  const server = fork(pathOf('smtp-server.mjs'), [JSON.stringify(task)]);
  const [message] = await Promise.race([once(server, 'message'), once(server, 'exit')]);
  if (message !== 'ready')
    throw new Error('The mail hosts did not start: ports 25 and 53 of loopback need root and must be free.');
  return server;
}

async function run(server, contender, { addresses, domains, inFlight, serverPort = port }) {
  const task = { contender, addresses, domains, inFlight, port: serverPort, resolver: `${dnsIp}:53`, ours };
  const inNamespace = (args) => [
    '-m',
    'sh',
    '-c',
    `mount --bind ${join(folder, 'resolv.conf')} /etc/resolv.conf && exec "$@"`,
    'sh',
    process.execPath,
    ...args,
  ];
  const client = fork(pathOf('smtp-client.mjs'), [JSON.stringify(task)], {
    ...(hasOwnResolver
      ? { execPath: 'unshare', execArgv: inNamespace(['--expose-gc']) }
      : { execArgv: ['--expose-gc'] }),
  });
  const before = await connectionsOf(server);
  const ended = once(client, 'exit');
  const [result] = await Promise.race([once(client, 'message'), ended]);
  if (typeof result !== 'object' || result === null) throw new Error(`${contender} ended without a result.`);
  await ended;
  return { ...result, connections: (await connectionsOf(server)) - before };
}

async function connectionsOf(server) {
  server.send('count');
  const [count] = await once(server, 'message');
  return count;
}

async function compareWithPeers() {
  const server = await startServer(10, port);
  const lastRuns = {};
  const size = { addresses: 1000, domains: 10, inFlight: 1000 };
  const names = ['mailvet', 'ideal', ...(hasOwnResolver ? peers : [])];
  const times = await interleave(
    Object.fromEntries(
      names.map((name) => [
        name,
        async () => {
          lastRuns[name] = await run(server, name, size);
          return lastRuns[name].ms;
        },
      ]),
    ),
    rounds,
  );
  for (const name of names) {
    const { correct, connections } = lastRuns[name];
    console.log(`smtp: ${name}: ${Math.round(times[name])} ms, ${connections} connections, ${correct} of 1000 correct`);
  }
  if (hasOwnResolver) {
    const fastest = peers.reduce((best, name) => (times[name] < times[best] ? name : best));
    const what = `1,000 addresses, 10 domains, ${rttMs} ms (${lastRuns.mailvet.connections} connections)`;
    report({
      bench: 'smtp',
      what,
      ours: times.mailvet,
      peer: times[fastest],
      peerName: fastest,
      unit: 'ms',
      ratio: times[fastest] / times.mailvet,
      goal: '>= 10',
    });
  } else {
    console.log('smtp: peers skipped: a resolv.conf for them needs `unshare -m`.');
  }
  report({
    bench: 'smtp',
    what: `1,000 addresses, 10 domains, ${rttMs} ms`,
    ours: times.mailvet,
    peer: times.ideal,
    peerName: 'purpose-built client',
    unit: 'ms',
    ratio: times.mailvet / times.ideal,
    goal: '<= 1.5',
  });
  server.disconnect();
  await once(server, 'exit');
}

async function growth() {
  const server = await startServer(1000, 2525);
  const sizes = [1000, 10_000, Number(process.env.MOST ?? 100_000)];
  let first = null;
  for (const addresses of sizes) {
    const task = { addresses, domains: 1000, inFlight: 10_000, serverPort: 2525 };
    const { ms, cpuMs, correct, connections, heapBytes } = await run(server, 'mailvet', task);
    console.log(
      `smtp: ${addresses} addresses over 1,000 domains: ${Math.round(ms)} ms (${Math.round(cpuMs)} ms of CPU), ` +
        `${connections} connections, ${Math.round(heapBytes / 2 ** 20)} MB live heap, ${correct} correct`,
    );
    first ??= { ms, addresses };
    if (addresses === sizes.at(-1)) {
      const perAddress = ms / addresses / (first.ms / first.addresses);
      report({
        bench: 'smtp',
        what: `time per address at ${addresses} compared with ${first.addresses}`,
        ours: ms / addresses,
        peer: first.ms / first.addresses,
        peerName: `${first.addresses} addresses`,
        unit: 'ms',
        ratio: perAddress,
        goal: '<= 1',
      });
    }
  }
  server.disconnect();
  await once(server, 'exit');
}

// Signals stop the child processes too.
for (const [signal, status] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) {
  process.once(signal, () => process.exit(status));
}
for (const [part, run] of Object.entries(fakeParts)) if (only.includes(part)) await run();
