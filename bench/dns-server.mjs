// A fast DNS server on loopback, as a child process that sends its port. Every domain has its own MX with an A record, an SPF and a DMARC
// record. Names with "dead-" get no answer. Mail hosts of names with "silent-", "later-", "own-" or "refused-" have addresses in 9.x.x.x,
// 11.x.x.x, 12.x.x.x and 127.x.x.x; all others share one address. The reply to any message is the number of queries so far.
import { createSocket } from 'node:dgram';

const types = { a: 1, mx: 15, txt: 16 };
const spf = characterString('v=spf1 mx -all');
const dmarc = characterString('v=DMARC1; p=reject');
const mxOfDomain = Buffer.from([0, 10, 2, 0x6d, 0x78, 0xc0, 12]);
const sharedAddress = Buffer.from([8, 8, 8, 8]);
const deadPrefix = Buffer.from('dead-');
const networks = [
  [Buffer.from('silent-'), 9],
  [Buffer.from('later-'), 11],
  [Buffer.from('own-'), 12],
  [Buffer.from('refused-'), 127],
];
let count = 0;

const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20, sendBufferSize: 4 << 20 });
socket.on('message', (query, sender) => {
  count++;
  if (query.includes(deadPrefix)) return;
  const nameEnd = query.indexOf(0, 12);
  const questionEnd = nameEnd + 5;
  const type = query.readUInt16BE(nameEnd + 1);
  const data = answerData(type, query, query[12] === 6 && query[13] === 0x5f);
  const reply = Buffer.alloc(questionEnd + (data === null ? 0 : 12 + data.length));
  query.copy(reply, 0, 0, questionEnd);
  reply[2] = 0x81;
  reply[3] = 0x80;
  reply[7] = data === null ? 0 : 1;
  reply.fill(0, 8, 12);
  if (data !== null) {
    let offset = reply.writeUInt16BE(0xc00c, questionEnd);
    offset = reply.writeUInt16BE(type, offset);
    offset = reply.writeUInt16BE(1, offset);
    offset = reply.writeUInt32BE(300, offset);
    offset = reply.writeUInt16BE(data.length, offset);
    data.copy(reply, offset);
  }
  socket.send(reply, sender.port, sender.address);
});
socket.bind(0, '127.0.0.1', () => process.send(socket.address().port));
process.on('message', () => process.send(count));
process.on('disconnect', () => process.exit());

function answerData(type, query, isDmarc) {
  if (type === types.mx) return mxOfDomain;
  if (type === types.a) return addressFor(query);
  if (type === types.txt) return isDmarc ? dmarc : spf;
  return null;
}

function addressFor(query) {
  const [, network] = networks.find(([prefix]) => query.includes(prefix)) ?? [];
  if (network === undefined) return sharedAddress;
  let hash = 0;
  for (let offset = 12; query[offset] !== 0; offset++) hash = (hash * 31 + query[offset]) >>> 0;
  return Buffer.from([network, (hash >>> 16) & 0xff, (hash >>> 8) & 0xff, hash & 0xff]);
}

function characterString(value) {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
}
