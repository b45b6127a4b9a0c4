// Mail hosts and DNS on loopback for bench/smtp, in their own process, with a delay. Domain N has the mail host N modulo `hosts`, which has
// the mailboxes `good…`. With `behind`, a host is a delaying proxy to port 25 of a real one; otherwise it is a fake that limits errors as a
// stock Postfix does. Any message is answered with the number of connections.
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';

const { hosts, port, dnsIp, dnsPort, rttMs, behind } = JSON.parse(process.argv[2]);
let connections = 0;

await Promise.all(Array.from({ length: hosts }, (_, index) => listen(ipOf(index), behind?.[index])));
const dns = createSocket('udp4');
dns.on('message', (query, from) => delayed(rttMs, () => dns.send(answerTo(query), from.port, from.address)));
await new Promise((resolve) => dns.bind(dnsPort, dnsIp, resolve));
process.on('message', () => process.send(connections));
process.on('disconnect', () => process.exit());
process.send('ready');

function ipOf(index) {
  return `127.9.${Math.floor(index / 250)}.${(index % 250) + 1}`;
}

function delayed(ms, run) {
  if (ms > 0) setTimeout(run, ms);
  else run();
}

function listen(ip, real) {
  const server = createServer({ noDelay: true }, real === undefined ? serve : (socket) => relay(socket, real));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: ip, port, backlog: 2048 }, resolve);
  });
}

/** Half a round trip each way. The connect has taken one; the host learns of it half a round trip later. */
function relay(near, real) {
  connections++;
  const far = connect({ host: real, port: 25, noDelay: true });
  far.pause();
  // The banner of the real host arrives at once: delay it to two round trips after the connect.
  const start = performance.now();
  const after = (ms, run) => setTimeout(run, ms);
  near.on('data', (chunk) => after(rttMs / 2, () => far.write(chunk)));
  far.on('data', (chunk) => {
    const ms = Math.max(rttMs / 2, 2 * rttMs - (performance.now() - start));
    after(ms, () => near.write(chunk));
  });
  for (const [one, other] of [
    [near, far],
    [far, near],
  ]) {
    one.on('error', () => other.destroy());
    one.on('end', () => after(rttMs / 2 + 1, () => other.end()));
    one.on('close', () => after(rttMs + 2, () => other.destroy()));
  }
  far.resume();
}

/** Much as in Postfix: from the 11th error on, each error is delayed by a second, and the 20th ends the session. */
function serve(socket) {
  connections++;
  let errors = 0;
  let partialLine = '';
  let lastReply = Promise.resolve();
  socket.on('error', () => {});
  // The connect takes one round trip, and the banner arrives half a round trip after its last packet.
  delayed(rttMs * 2, () => socket.write('220 mx ESMTP\r\n'));
  socket.on('data', (chunk) => {
    const lines = (partialLine + chunk).split('\r\n');
    partialLine = lines.pop() ?? '';
    let replies = '';
    let penaltyMs = 0;
    let ends = false;
    for (const line of lines) {
      const reply = replyTo(line);
      if (reply.startsWith('5') && ++errors > 10) penaltyMs += 1000;
      replies += reply;
      ends ||= line === 'QUIT' || errors >= 20;
    }
    const due = new Promise((resolve) => delayed(rttMs + penaltyMs, resolve));
    lastReply = Promise.all([lastReply, due]).then(() => (ends ? socket.end(replies) : socket.write(replies)));
  });
}

function replyTo(line) {
  if (line.startsWith('RCPT')) return /<good/.test(line) ? '250 2.1.5 Ok\r\n' : '550 5.1.1 User unknown\r\n';
  if (line.startsWith('EHLO')) return '250-mx\r\n250-PIPELINING\r\n250 ENHANCEDSTATUSCODES\r\n';
  if (line === 'QUIT') return '221 2.0.0 Bye\r\n';
  return '250 2.0.0 Ok\r\n';
}

/** `dN.vetbench.com` has the MX `mx.dN.vetbench.com` with the address of the host. Nothing else exists. */
function answerTo(query) {
  const labels = [];
  let at = 12;
  while (query[at] !== 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
    at += query[at] + 1;
  }
  const type = query.readUInt16BE(at + 1);
  const isHost = labels[0] === 'mx';
  const index = Number(labels[isHost ? 1 : 0]?.slice(1));
  let data = null;
  if (type === 15 && !isHost) data = Buffer.from([0, 10, 2, 0x6d, 0x78, 0xc0, 12]);
  if (type === 1 && isHost)
    data = Buffer.from(
      ipOf(index % hosts)
        .split('.')
        .map(Number),
    );
  const reply = Buffer.alloc(at + 5 + (data === null ? 0 : 12 + data.length));
  query.copy(reply, 0, 0, at + 5);
  reply.writeUInt16BE(0x8180, 2);
  reply.writeUInt16BE(data === null ? 0 : 1, 6);
  reply.fill(0, 8, 12);
  if (data !== null) {
    reply.writeUInt16BE(0xc00c, at + 5);
    reply.writeUInt16BE(type, at + 7);
    reply.writeUInt16BE(1, at + 9);
    reply.writeUInt32BE(300, at + 11);
    reply.writeUInt16BE(data.length, at + 15);
    data.copy(reply, at + 17);
  }
  return reply;
}
