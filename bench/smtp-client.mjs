// One contender of bench/smtp in a process of its own: reads its task from the command line, checks every address, and sends
// { ms, cpuMs, right, heapBytes }.
import { promises, setServers } from 'node:dns';
import { once } from 'node:events';
import { connect } from 'node:net';

const { contender, addresses, domains, port, resolver, inFlight, ours } = JSON.parse(process.argv[2]);
/** Seven of ten are good; neighbours in the list are of different domains. */
const entry = (index) => {
  const good = index % 10 < 7;
  return { email: `${good ? 'good' : 'bad'}${index}@d${index % domains}.bench.example`, good };
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
    // Its list of top-level domains and of typos would refuse the names of this bench before SMTP.
    const rest = { validateRegex: false, validateTypo: false, validateDisposable: false };
    return { check: async (email) => (await validate({ email, ...rest })).valid };
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
  ideal: async () => ({ all: idealClient }),
};

const chosen = await contenders[contender]();
let peak = 0;
const cpu = process.cpuUsage();
const start = performance.now();
const right = chosen.all === undefined ? await each(chosen.check) : await chosen.all();
const ms = performance.now() - start;
const { user, system } = process.cpuUsage(cpu);
measureHeap();
await chosen.close?.();
process.send({ ms, cpuMs: (user + system) / 1000, right, heapBytes: peak }, () => process.disconnect());

/** As many as allowed at a time; the peers know no limit, so they get all at once. */
async function each(check) {
  let next = 0;
  let correct = 0;
  let done = 0;
  // Often enough to see what those under way hold; rare enough to leave the time of a short list alone.
  const between = Math.max(2_500, addresses / 10);
  const worker = async () => {
    while (next < addresses) {
      const { email, good } = entry(next++);
      if ((await check(email)) === good) correct++;
      if (++done % between === 0 && done < addresses) measureHeap();
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, addresses) }, worker));
  return correct;
}

/** What is alive, without garbage that nobody has collected yet. */
function measureHeap() {
  globalThis.gc?.();
  peak = Math.max(peak, process.memoryUsage().heapUsed);
}

/** By hand for just this host: eight sessions a domain, nine mailboxes a round trip, less those refused so far; one random mailbox a domain. */
async function idealClient() {
  const dns = new promises.Resolver();
  dns.setServers([resolver]);
  const results = await Promise.all(
    Array.from({ length: domains }, async (_, index) => {
      const [{ exchange }] = await dns.resolveMx(`d${index}.bench.example`);
      const [ip] = await dns.resolve4(exchange);
      const mine = Array.from({ length: addresses / domains }, (_unused, at) => entry(at * domains + index));
      mine.splice(1, 0, { email: `random@d${index}.bench.example`, good: false });
      let correct = -1;
      const session = async () => {
        const socket = connect({ host: ip, port, noDelay: true });
        const replies = repliesOf(socket);
        await replies(1);
        socket.write('EHLO ideal.example\r\n');
        await replies(3);
        let refused = 0;
        let first = true;
        while (mine.length > 0 && refused < 9) {
          const batch = mine.splice(0, 9 - refused);
          socket.write(
            `${first ? 'MAIL FROM:<>\r\n' : ''}${batch.map(({ email }) => `RCPT TO:<${email}>\r\n`).join('')}`,
          );
          const lines = await replies(batch.length + (first ? 1 : 0));
          for (const [at, { good }] of batch.entries()) {
            const accepted = lines[at + (first ? 1 : 0)].startsWith('250');
            if (!accepted) refused++;
            if (accepted === good) correct++;
          }
          first = false;
        }
        socket.end('QUIT\r\n');
      };
      while (mine.length > 0)
        await Promise.all(Array.from({ length: Math.min(8, Math.ceil(mine.length / 9)) }, session));
      return correct;
    }),
  );
  return results.reduce((sum, count) => sum + count, 0);
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
