// Latency of a well-behaved caller while others abuse the service: npm run build, then node bench/fairness.mjs [name…]
// Each abuse runs in its own process; the well-behaved key validates one address at a time. All traffic stays on loopback.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { report } from './measure.mjs';
import { flood, listOf, preview, readSlowly, runJob, singleRequest, startService } from './serve-load.mjs';

const windowMs = Number(process.env.FAIRNESS_MS ?? 6_000);
/** An unanswered DNS query holds its slot for this long. */
const slotMs = 2_000;

/** Abuses at level syntax. Each gets the origin and its own key. */
const abuses = {
  'pipelined readiness checks': ({ port }) => void flood(port, 8, 'GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n'),
  'pipelined job lists': ({ port, key }) =>
    void flood(port, 8, `GET /api/v1/bulk/jobs HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`),
  'pipelined single validations': ({ port, key }) => void flood(port, 8, singleRequest(key)),
  'bulk requests of 1,000': (client) => repeat(8, () => bulk(client, (index) => `user${index}@example-${index}.org`)),
  'bulk requests of one address 1,000 times': (client) => repeat(8, () => bulk(client, () => 'ada@python.org')),
  'jobs of 100,000 rows': (client) => repeatJobs(client, (index) => `u${index}@python.org`),
  'jobs of one address 100,000 times': (client) => repeatJobs(client, () => 'ada@python.org'),
  'jobs of 100,000 empty cells': (client) => repeatJobs(client, (index) => (index === 0 ? 'a@python.org' : '')),
  'compressed empty lines': (client) =>
    repeat(2, () => preview(client, gzipSync(`email\n${'\n'.repeat(300_000_000)}`))),
  'compressed comments': (client) => repeat(2, () => preview(client, gzipSync('# nothing\n'.repeat(30_000_000)))),
  '250 slow downloads': async (client) => {
    const list = listOf((index) => `u${index}@python.org`);
    readSlowly(client, await runJob(client, list), 250);
  },
};

/** Abuses at level dns, where queries in flight are limited. */
const dnsAbuses = {
  'bulk requests of 1,000 dead domains': (client) => repeat(3, () => bulk(client, () => `u@${deadDomain()}`)),
  'jobs of 10,000 dead domains': (client) =>
    repeat(2, () =>
      runJob(
        client,
        listOf(() => `u@${deadDomain()}`, 10_000),
      ),
    ),
};

/** Abuses at level smtp, where sessions are limited: with the mail host of the well-behaved caller, and with others. */
const smtpAbuses = {
  'bulk requests of 1,000 mailboxes of the same mail host': (client) =>
    repeat(3, () => bulk(client, (index) => `u${index}@live-${index % 50}.org`)),
  'jobs of 10,000 mailboxes of the same mail host': (client) =>
    repeat(2, () =>
      runJob(
        client,
        listOf((index) => `u${index}@live-${index % 50}.org`, 10_000),
      ),
    ),
  'jobs of 10,000 mail hosts without a banner': (client) =>
    repeat(2, () =>
      runJob(
        client,
        listOf((index) => `u@silent-${index}.org`, 10_000),
      ),
    ),
  'jobs of 10,000 mail hosts that defer': (client) =>
    repeat(2, () =>
      runJob(
        client,
        listOf((index) => `u@later-${index}.org`, 10_000),
      ),
    ),
};
/** Delay per command at a mail host. A session for a list sends fifty recipients. */
const commandMs = 20;
const smtpSlotMs = 50 * commandMs;

if (process.argv[2] === 'abuse') await abuse(process.argv[3], JSON.parse(process.argv[4]));
else if (process.argv[2] === 'burnCpu') burnCpu();
else await measure(process.argv.slice(2));

function burnCpu() {
  process.on('disconnect', () => process.exit());
  process.send('started');
  const burn = () => {
    const until = performance.now() + 50;
    while (performance.now() < until);
    setImmediate(burn);
  };
  burn();
}

async function abuse(name, client) {
  const agent = new Agent({ connections: 64, headersTimeout: 300_000, bodyTimeout: 300_000 });
  const start = abuses[name] ?? dnsAbuses[name] ?? smtpAbuses[name];
  await start({ ...client, agent, origin: `http://127.0.0.1:${client.port}` });
  process.send('started');
  await once(process, 'disconnect');
  process.exit(0);
}

async function measure(requested) {
  const isRequested = (name) => requested.length === 0 || requested.some((part) => name.includes(part));
  const syntaxNames = Object.keys(abuses).filter(isRequested);
  if (syntaxNames.length > 0) {
    await compare(syntaxNames, ['--level', 'syntax'], () => 'ada@python.org', compareP99);
  }
  const dnsNames = Object.keys(dnsAbuses).filter(isRequested);
  const smtpNames = Object.keys(smtpAbuses).filter(isRequested);
  if (dnsNames.length + smtpNames.length === 0) return;
  const [dns, hosts] = ['dns-server.mjs', 'mail-hosts.mjs'].map((file) =>
    fork(fileURLToPath(new URL(file, import.meta.url)), [String(commandMs)]),
  );
  const [[port], [proxyPort]] = await Promise.all([once(dns, 'message'), once(hosts, 'message')]);
  let count = 0;
  const resolver = ['--set', `resolvers=127.0.0.1:${port}`];
  const nextAddress = () => `ada@live-${count++}.org`;
  if (dnsNames.length > 0)
    await compare(dnsNames, ['--level', 'dns', ...resolver], nextAddress, compareSlowest('DNS', slotMs));
  const proxy = ['--set', `proxy=socks5://127.0.0.1:${proxyPort}`, '--set', 'ehlo_name=probe.example.org'];
  if (smtpNames.length > 0)
    await compare(smtpNames, [...proxy, ...resolver], nextAddress, compareSlowest('SMTP', smtpSlotMs));
  dns.disconnect();
  hosts.disconnect();
}

function compareP99(quiet, busy) {
  const goal = '<= 10, slowest < 1,000 ms';
  return { what: 'p99 of single validations', ours: busy.p99, peer: quiet.p99, peerName: 'quiet', goal };
}

function compareSlowest(level, slotTimeMs) {
  const peerName = 'twice the quiet p99 plus a slot';
  return (quiet, busy) => {
    const peer = 2 * quiet.p99 + slotTimeMs;
    return { what: `slowest single validation at ${level} level`, ours: busy.slowest, peer, peerName, goal: '<= 1' };
  };
}

/**
 * Compares the latency on a quiet service with that during an abuse, each abuse on a new service. The latency next to a process that only
 * burns CPU shows how much is due to the machine.
 */
async function compare(names, flags, nextAddress, describe) {
  for (const name of names) {
    const service = await startService('-q', ...flags);
    try {
      const [goodKey, abusiveKey] = [await service.makeKey(), await service.makeKey()];
      const ask = (ms) => measureLatency(service.port, goodKey, ms, nextAddress);
      await ask(windowMs / 2);
      const quiet = await ask(windowMs);
      const withCpuLoad = await whileRunning(['burnCpu'], () => ask(windowMs / 2));
      const client = JSON.stringify({ port: service.port, key: abusiveKey });
      const busy = await whileRunning(['abuse', name, client], () => ask(windowMs));
      const { what, ...stats } = describe(quiet, busy);
      const extras = [`slowest ${busy.slowest.toFixed(0)} ms`, `${service.peakMegabytes()} MB peak`];
      report({
        ...{ bench: 'fairness', unit: 'ms', ratio: stats.ours / stats.peer, ...stats },
        what: `${what} during ${name} (${extras.join(', ')}; with CPU load only ${withCpuLoad.p99.toFixed(1)} ms)`,
      });
    } finally {
      console.log(`fairness: stopped ${await service.stop()} ms after SIGTERM`);
    }
  }
}

/** Runs `work` while a child process runs this file with `args`. */
async function whileRunning(args, work) {
  const child = fork(fileURLToPath(import.meta.url), args);
  await once(child, 'message');
  try {
    return await work();
  } finally {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}

/** Validates one address at a time on one connection. */
async function measureLatency(port, key, ms, nextAddress) {
  const socket = connect(port, '127.0.0.1');
  const times = [];
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const sentAt = performance.now();
    socket.write(singleRequest(key, nextAddress()));
    const [chunk] = await once(socket, 'data');
    if (!chunk.subarray(9, 12).equals(Buffer.from('200'))) throw new Error(`rejected: ${chunk.subarray(0, 300)}`);
    times.push(performance.now() - sentAt);
    // Pause between requests: latency is measured, not throughput.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  socket.destroy();
  times.sort((a, b) => a - b);
  return { p99: times[Math.floor(times.length * 0.99)], slowest: times.at(-1) };
}

function repeat(count, work) {
  const loop = async () => {
    for (;;) await work().catch(() => new Promise((resolve) => setTimeout(resolve, 100)));
  };
  for (let index = 0; index < count; index++) void loop();
}

async function bulk({ agent, origin, key }, email) {
  const body = JSON.stringify({ emails: Array.from({ length: 1_000 }, (_, index) => email(index)) });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const answer = await agent.request({ origin, path: '/api/v1/validation/bulk', method: 'POST', headers, body });
  await answer.body.dump();
}

function repeatJobs(client, email) {
  const list = listOf(email);
  repeat(2, () => runJob(client, list));
}

function deadDomain() {
  return `dead-${Math.random().toString(36).slice(2)}.org`;
}
