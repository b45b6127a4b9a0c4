// One contender of bench/smtp in its own process: reads its task from the command line, checks every address, and sends
// { ms, cpuMs, correct, heapBytes }.
import { promises, setServers } from 'node:dns';
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';

const {
  contender,
  addresses,
  domains,
  hosts = domains,
  port,
  resolver,
  inFlight,
  ours,
  tls,
} = JSON.parse(process.argv[2]);
/** Seven of ten mailboxes exist; adjacent addresses have different domains. */
const entry = (index) => {
  const good = index % 10 < 7;
  return { email: `${good ? 'good' : 'bad'}${index}@d${index % domains}.vetbench.com`, good };
};
setServers([resolver]);

const contenders = {
  mailvet: async () => {
    const { open } = await import(ours);
    const client = open({ resolver, port });
    const check = async (email) => (await client.check(email)) === 'passed';
    return { check, close: client.close, connections: client.connections };
  },
  'deep-email-validator': async () => {
    const { validate } = await import('deep-email-validator');
    // Its lists of top-level domains and typos would reject the names of this benchmark before SMTP.
    const options = { validateRegex: false, validateTypo: false, validateDisposable: false };
    return { check: async (email) => (await validate({ email, ...options })).valid };
  },
  'email-verify': async () => {
    const { default: verifier } = await import('email-verify');
    return {
      check: (email) =>
        new Promise((resolve) => verifier.verify(email, (_error, info) => resolve(info?.success === true))),
    };
  },
  'email-deep-validator': async () => {
    const { default: EmailValidator } = await import('email-deep-validator');
    const validator = new EmailValidator();
    return { check: async (email) => (await validator.verify(email)).validMailbox === true };
  },
  ideal: async () => ({ checkAll: idealClient }),
};

const chosen = await contenders[contender]();
let peak = 0;
const cpu = process.cpuUsage();
const start = performance.now();
const correct = chosen.checkAll === undefined ? await checkEach(chosen.check) : await chosen.checkAll();
const ms = performance.now() - start;
const { user, system } = process.cpuUsage(cpu);
measureHeap();
await chosen.close?.();
process.send({ ms, cpuMs: (user + system) / 1000, correct, heapBytes: peak }, () => process.disconnect());

/** Checks `inFlight` addresses at a time. The peers have no limit of their own, so they get all addresses at once. */
async function checkEach(check) {
  let next = 0;
  let correct = 0;
  let done = 0;
  // Sample often enough to see the peak, but rarely enough not to slow down a short list.
  const addressesPerSample = Math.max(2_500, addresses / 10);
  const worker = async () => {
    while (next < addresses) {
      const { email, good } = entry(next++);
      if ((await check(email)) === good) correct++;
      if (++done % addressesPerSample === 0 && done < addresses) measureHeap();
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, addresses) }, worker));
  return correct;
}

/** Live heap after a garbage collection. */
function measureHeap() {
  globalThis.gc?.();
  peak = Math.max(peak, process.memoryUsage().heapUsed);
}

/**
 * A client built for this benchmark only: eight sessions per host, nine recipients per round trip minus those refused so far, one random
 * mailbox per domain, and STARTTLS with one context without certificate authorities.
 */
async function idealClient() {
  const dns = new promises.Resolver();
  dns.setServers([resolver]);
  const context = tls ? createSecureContext({ ca: [] }) : null;
  const results = await Promise.all(Array.from({ length: hosts }, (_, index) => idealHost(dns, context, index)));
  return results.reduce((sum, count) => sum + count, 0);
}

async function idealHost(dns, context, index) {
  const domainsOfHost = Array.from({ length: Math.ceil((domains - index) / hosts) }, (_, turn) => turn * hosts + index);
  const ips = await Promise.all(
    domainsOfHost.map(async (domain) => {
      const [{ exchange }] = await dns.resolveMx(`d${domain}.vetbench.com`);
      return (await dns.resolve4(exchange))[0];
    }),
  );
  const queue = domainsOfHost.flatMap((domain) => {
    const entries = Array.from({ length: addresses / domains }, (_, turn) => entry(turn * domains + domain));
    entries.splice(1, 0, { email: `random@d${domain}.vetbench.com`, good: false });
    return entries;
  });
  let correct = -domainsOfHost.length;
  const session = async () => {
    let socket = connect({ host: ips[0], port, noDelay: true });
    let replies = repliesOf(socket);
    await replies(1);
    const hello = async () => {
      socket.write('EHLO ideal.vetbench.net\r\n');
      while (!/^250 /.test((await replies(1))[0]));
    };
    await hello();
    if (context !== null) {
      socket.write('STARTTLS\r\n');
      await replies(1);
      socket.removeAllListeners('data');
      socket = connectTls({ socket, secureContext: context, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      replies = repliesOf(socket);
      await hello();
    }
    let refused = 0;
    let isFirstBatch = true;
    while (queue.length > 0 && refused < 9) {
      const batch = queue.splice(0, 9 - refused);
      const mail = isFirstBatch ? 'MAIL FROM:<>\r\n' : '';
      socket.write(`${mail}${batch.map(({ email }) => `RCPT TO:<${email}>\r\n`).join('')}`);
      const lines = await replies(batch.length + (isFirstBatch ? 1 : 0));
      for (const [position, { good }] of batch.entries()) {
        const accepted = lines[position + (isFirstBatch ? 1 : 0)].startsWith('250');
        if (!accepted) refused++;
        if (accepted === good) correct++;
      }
      isFirstBatch = false;
    }
    socket.end('QUIT\r\n');
  };
  const worker = async () => {
    while (queue.length > 0) await session();
  };
  await Promise.all(Array.from({ length: Math.min(8, Math.ceil(queue.length / 9)) }, worker));
  return correct;
}

function repliesOf(socket) {
  let text = '';
  const lines = [];
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    const parts = (text + chunk).split('\r\n');
    text = parts.pop() ?? '';
    lines.push(...parts);
    socket.emit('lines');
  });
  return async (count) => {
    while (lines.length < count) await once(socket, 'lines');
    return lines.splice(0, count);
  };
}
