// Mail hosts and DNS on loopback for bench/smtp, in their own process, with a delay. Domain N has the mail host N modulo `hosts`, which has
// the mailboxes `good…`, and limits errors as a stock Postfix does. With `upstreams`, a host is a delaying proxy to port 25 of a real one.
// The reply to any message is the number of connections so far.
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';

const { hosts, port, dnsIp, dnsPort, rttMs, upstreams } = JSON.parse(process.argv[2]);
let connections = 0;

await Promise.all(Array.from({ length: hosts }, (_, index) => listen(ipOf(index), upstreams?.[index])));
const dns = createSocket('udp4');
dns.on('message', (query, sender) => delayed(rttMs, () => dns.send(answerTo(query), sender.port, sender.address)));
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

function listen(ip, upstream) {
  const server = createServer({ noDelay: true }, upstream === undefined ? serve : (socket) => relay(socket, upstream));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: ip, port, backlog: 2048 }, resolve);
  });
}

/** Delays data by half a round trip each way, and the banner to two round trips after the connect. */
function relay(client, upstream) {
  connections++;
  const server = connect({ host: upstream, port: 25, noDelay: true });
  const start = performance.now();
  client.on('data', (chunk) => setTimeout(() => server.write(chunk), rttMs / 2));
  server.on('data', (chunk) => {
    const ms = Math.max(rttMs / 2, 2 * rttMs - (performance.now() - start));
    setTimeout(() => client.write(chunk), ms);
  });
  for (const [near, far] of [
    [client, server],
    [server, client],
  ]) {
    near.on('error', () => far.destroy());
    near.on('end', () => setTimeout(() => far.end(), rttMs / 2 + 1));
    near.on('close', () => setTimeout(() => far.destroy(), rttMs + 2));
  }
}

/** Much like Postfix: delays each error by a second from the 11th on, and ends the session at the 20th. */
function serve(socket) {
  connections++;
  let errors = 0;
  let partialLine = '';
  let lastReply = Promise.resolve();
  socket.on('error', () => {});
  // On a real network, connecting takes a round trip, and the banner comes after another one.
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

/** `dN.vetbench.com` has the MX `mx.dN.vetbench.com` with the address of the host. No other names exist. */
function answerTo(query) {
  const labels = [];
  let offset = 12;
  while (query[offset] !== 0) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + query[offset]));
    offset += query[offset] + 1;
  }
  const type = query.readUInt16BE(offset + 1);
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
  const reply = Buffer.alloc(offset + 5 + (data === null ? 0 : 12 + data.length));
  query.copy(reply, 0, 0, offset + 5);
  reply.writeUInt16BE(0x8180, 2);
  reply.writeUInt16BE(data === null ? 0 : 1, 6);
  reply.fill(0, 8, 12);
  if (data !== null) {
    reply.writeUInt16BE(0xc00c, offset + 5);
    reply.writeUInt16BE(type, offset + 7);
    reply.writeUInt16BE(1, offset + 9);
    reply.writeUInt32BE(300, offset + 11);
    reply.writeUInt16BE(data.length, offset + 15);
    data.copy(reply, offset + 17);
  }
  return reply;
}
