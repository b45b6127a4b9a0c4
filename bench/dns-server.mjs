// A fast DNS server on loopback for the benchmarks; runs as a child process and sends its port. Every domain has one MX of its
// own with an A record, an SPF and a DMARC record; of a name that begins with "dead-" nothing is ever said. `count` as a message is
// answered with the questions so far.
import { createSocket } from 'node:dgram';

const types = { a: 1, mx: 15, txt: 16 };
const spf = text('v=spf1 mx -all');
const dmarc = text('v=DMARC1; p=reject');
const mxOfDomain = Buffer.from([0, 10, 2, 0x6d, 0x78, 0xc0, 12]);
const address = Buffer.from([8, 8, 8, 8]);
const dead = Buffer.from('dead-');
let count = 0;

const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20, sendBufferSize: 4 << 20 });
socket.on('message', (query, from) => {
  count++;
  if (query.includes(dead)) return;
  const nameEnd = query.indexOf(0, 12);
  const questionEnd = nameEnd + 5;
  const type = query.readUInt16BE(nameEnd + 1);
  const data = answer(type, query[12] === 6 && query[13] === 0x5f);
  const reply = Buffer.alloc(questionEnd + (data === null ? 0 : 12 + data.length));
  query.copy(reply, 0, 0, questionEnd);
  reply[2] = 0x81;
  reply[3] = 0x80;
  reply[7] = data === null ? 0 : 1;
  reply.fill(0, 8, 12);
  if (data !== null) {
    let at = reply.writeUInt16BE(0xc00c, questionEnd);
    at = reply.writeUInt16BE(type, at);
    at = reply.writeUInt16BE(1, at);
    at = reply.writeUInt32BE(300, at);
    at = reply.writeUInt16BE(data.length, at);
    data.copy(reply, at);
  }
  socket.send(reply, from.port, from.address);
});
socket.bind(0, '127.0.0.1', () => process.send(socket.address().port));
process.on('message', () => process.send(count));
process.on('disconnect', () => process.exit());

function answer(type, isDmarc) {
  if (type === types.mx) return mxOfDomain;
  if (type === types.a) return address;
  if (type === types.txt) return isDmarc ? dmarc : spf;
  return null;
}

function text(value) {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
}
