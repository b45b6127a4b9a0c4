// What a well-behaved caller feels while others abuse the service: npm run build, then node bench/fairness.mjs [name…]
// Each abuse comes from a process of its own; the well-behaved key asks for one address at a time. All traffic stays on loopback.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { report } from './measure.mjs';
import { flood, listOf, preview, readSlowly, runJob, singleRequest, startService } from './serve-load.mjs';

const windowMs = Number(process.env.FAIRNESS_MS ?? 6_000);
/** A question that nobody answers keeps its place so long before it is asked again. */
const slotMs = 2_000;

/** What others do meanwhile. Each gets the origin and a key of its own, and begins. */
const abuses = {
  'pipelined readiness checks': ({ port }) => void flood(port, 8, 'GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n'),
  'pipelined job lists': ({ port, key }) =>
    void flood(port, 8, `GET /api/v1/bulk/jobs HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`),
  'pipelined singles': ({ port, key }) => void flood(port, 8, singleRequest(key)),
  'bulk requests of 1,000': (at) => repeat(8, () => bulk(at, (index) => `user${index}@example-${index}.org`)),
  'bulk requests of one address 1,000 times': (at) => repeat(8, () => bulk(at, () => 'ada@python.org')),
  'jobs of 100,000 rows': (at) => repeatJobs(at, (index) => `u${index}@python.org`),
  'jobs of one address 100,000 times': (at) => repeatJobs(at, () => 'ada@python.org'),
  'jobs of 100,000 empty cells': (at) => repeatJobs(at, (index) => (index === 0 ? 'a@python.org' : '')),
  'packed empty lines': (at) => repeat(2, () => preview(at, gzipSync(`email\n${'\n'.repeat(300_000_000)}`))),
  'packed comments': (at) => repeat(2, () => preview(at, gzipSync('# nothing\n'.repeat(30_000_000)))),
  '250 slow downloads': async (at) => {
    const list = listOf((index) => `u${index}@python.org`);
    readSlowly(at, await runJob(at, list), 250);
  },
};

/** The same at DNS level, where places to ask from are what is scarce. */
const abusesOfDns = {
  'bulk requests of 1,000 dead domains': (at) => repeat(3, () => bulk(at, () => `u@${deadName()}`)),
  'jobs of 10,000 dead domains': (at) =>
    repeat(2, () =>
      runJob(
        at,
        listOf(() => `u@${deadName()}`, 10_000),
      ),
    ),
};

/** The same at SMTP level, where sessions are: with the very mail host that the well-behaved caller asks, and with others. */
const abusesOfSmtp = {
  'bulk requests of 1,000 mailboxes of the same mail host': (at) =>
    repeat(3, () => bulk(at, (index) => `u${index}@live-${index % 50}.org`)),
  'jobs of 10,000 mailboxes of the same mail host': (at) =>
    repeat(2, () =>
      runJob(
        at,
        listOf((index) => `u${index}@live-${index % 50}.org`, 10_000),
      ),
    ),
  'jobs of 10,000 mail hosts that never greet': (at) =>
    repeat(2, () =>
      runJob(
        at,
        listOf((index) => `u@silent-${index}.org`, 10_000),
      ),
    ),
  'jobs of 10,000 mail hosts that say later': (at) =>
    repeat(2, () =>
      runJob(
        at,
        listOf((index) => `u@later-${index}.org`, 10_000),
      ),
    ),
};
/** What each command takes at a mail host, of which a session of a list sends one for each of fifty mailboxes. */
const commandMs = 20;
const smtpSlotMs = 50 * commandMs;

if (process.argv[2] === 'abuse') await abuse(process.argv[3], JSON.parse(process.argv[4]));
else if (process.argv[2] === 'burn') burn();
else await measure(process.argv.slice(2));

function burn() {
  process.on('disconnect', () => process.exit());
  process.send('begun');
  const more = () => {
    const until = performance.now() + 50;
    while (performance.now() < until);
    setImmediate(more);
  };
  more();
}

async function abuse(name, at) {
  const agent = new Agent({ connections: 64, headersTimeout: 300_000, bodyTimeout: 300_000 });
  const begin = abuses[name] ?? abusesOfDns[name] ?? abusesOfSmtp[name];
  await begin({ ...at, agent, origin: `http://127.0.0.1:${at.port}` });
  process.send('begun');
  await once(process, 'disconnect');
  process.exit(0);
}

async function measure(wanted) {
  const isWanted = (name) => wanted.length === 0 || wanted.some((part) => name.includes(part));
  const atSyntax = Object.keys(abuses).filter(isWanted);
  if (atSyntax.length > 0) {
    await compare(atSyntax, ['--level', 'syntax'], () => 'ada@python.org', atSyntaxLevel);
  }
  const atDns = Object.keys(abusesOfDns).filter(isWanted);
  const atSmtp = Object.keys(abusesOfSmtp).filter(isWanted);
  if (atDns.length + atSmtp.length === 0) return;
  const [dns, hosts] = ['dns-server.mjs', 'mail-hosts.mjs'].map((file) =>
    fork(fileURLToPath(new URL(file, import.meta.url)), [String(commandMs)]),
  );
  const [[port], [proxyPort]] = await Promise.all([once(dns, 'message'), once(hosts, 'message')]);
  let count = 0;
  const resolver = ['--resolver', `127.0.0.1:${port}`];
  const nextEmail = () => `ada@live-${count++}.org`;
  if (atDns.length > 0) await compare(atDns, ['--level', 'dns', ...resolver], nextEmail, slowest('DNS', slotMs));
  const proxy = ['--proxy', `socks5://127.0.0.1:${proxyPort}`, '--ehlo-name', 'probe.example.org'];
  if (atSmtp.length > 0) await compare(atSmtp, [...proxy, ...resolver], nextEmail, slowest('SMTP', smtpSlotMs));
  dns.disconnect();
  hosts.disconnect();
}

function atSyntaxLevel(quiet, busy) {
  const goal = '<= 10, slowest < 1,000 ms';
  return { what: 'p99 of singles', ours: busy.p99, peer: quiet.p99, peerName: 'quiet', goal };
}

function slowest(level, placeMs) {
  const peerName = 'twice the quiet p99 and a slot';
  return (quiet, busy) => {
    const peer = 2 * quiet.p99 + placeMs;
    return { what: `slowest single at ${level} level`, ours: busy.slowest, peer, peerName, goal: '<= 1' };
  };
}

/**
 * Waits of a quiet service and of one that is abused, by a well-behaved caller who asks for one address after the other. Each abuse gets
 * a service of its own, so that nothing is left of the one before; and what a neighbour costs who only burns a core tells the machine's share.
 */
async function compare(names, flags, nextEmail, judge) {
  for (const name of names) {
    const service = await startService('-q', ...flags);
    try {
      const [good, bad] = [await service.makeKey(), await service.makeKey()];
      const ask = (ms) => singles(service.port, good, ms, nextEmail);
      await ask(windowMs / 2);
      const quiet = await ask(windowMs);
      const neighbour = await beside(['burn'], () => ask(windowMs / 2));
      const at = JSON.stringify({ port: service.port, key: bad });
      const busy = await beside(['abuse', name, at], () => ask(windowMs));
      const { what, ...figures } = judge(quiet, busy);
      const more = [`slowest ${busy.slowest.toFixed(0)} ms`, `${service.peakMegabytes()} MB held`];
      report({
        ...{ bench: 'fairness', unit: 'ms', ratio: figures.ours / figures.peer, ...figures },
        what: `${what} beside ${name} (${more.join(', ')}; beside a mere neighbour ${neighbour.p99.toFixed(1)} ms)`,
      });
    } finally {
      console.log(`fairness: stopped ${await service.stop()} ms after SIGTERM`);
    }
  }
}

/** While a process of this file does something else. */
async function beside(args, work) {
  const other = fork(fileURLToPath(import.meta.url), args);
  await once(other, 'message');
  try {
    return await work();
  } finally {
    const gone = once(other, 'exit');
    other.kill('SIGKILL');
    await gone;
  }
}

/** One address at a time, on one connection, for so long. */
async function singles(port, key, ms, nextEmail) {
  const socket = connect(port, '127.0.0.1');
  const times = [];
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const from = performance.now();
    socket.write(singleRequest(key, nextEmail()));
    const [piece] = await once(socket, 'data');
    if (!piece.subarray(9, 12).equals(Buffer.from('200'))) throw new Error(`refused: ${piece.subarray(0, 300)}`);
    times.push(performance.now() - from);
    // As somebody asks who has something else to do: what is measured is the wait, not the rate.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  socket.destroy();
  times.sort((a, b) => a - b);
  return { p99: times[Math.floor(times.length * 0.99)], slowest: times.at(-1) };
}

function repeat(count, work) {
  const again = async () => {
    for (;;) await work().catch(() => new Promise((resolve) => setTimeout(resolve, 100)));
  };
  for (let index = 0; index < count; index++) void again();
}

async function bulk({ agent, origin, key }, email) {
  const body = JSON.stringify({ emails: Array.from({ length: 1_000 }, (_, index) => email(index)) });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const answer = await agent.request({ origin, path: '/api/v1/validation/bulk', method: 'POST', headers, body });
  await answer.body.dump();
}

function repeatJobs(at, email) {
  const list = listOf(email);
  repeat(2, () => runJob(at, list));
}

function deadName() {
  return `dead-${Math.random().toString(36).slice(2)}.org`;
}
