// The client that bench/smtp compares with: reads its task from the command line, and sends how many addresses it has right.
import { promises } from 'node:dns';
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';

const { addresses, domains, hosts, port, resolver, tls } = JSON.parse(process.argv[2]);
/** As many as mailvet opens with a host. */
const maxSessions = 6;
/** Seven of ten mailboxes exist; adjacent addresses have different domains. */
const entry = (index) => {
  const good = index % 10 < 7;
  return { email: `${good ? 'good' : 'bad'}${index}@d${index % domains}.vetbench.com`, good };
};

process.send(await idealClient(), () => process.disconnect());

/**
 * A client built for this benchmark only: six sessions per host, nine recipients per round trip minus those refused so far, one random
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
  await Promise.all(Array.from({ length: Math.min(maxSessions, Math.ceil(queue.length / 9)) }, worker));
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
