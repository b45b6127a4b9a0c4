// The DNS server of the scripted mail hosts, in its own thread, so that it answers even if they are busy. `dN.vetlab.com` has the MX
// `mxK.vetlab.net`, whose address is that of host K. No other names exist below them. Sends its port when it is ready.
import { createSocket } from 'node:dgram';
import { parentPort, workerData } from 'node:worker_threads';
import { decode, encode, RECURSION_AVAILABLE } from 'dns-packet';

/** Large enough for the queries of a whole cluster that restarts; the default buffer holds about a hundred. */
const receiveBufferBytes = 1 << 21;
const { addresses } = workerData;

const socket = createSocket({ type: 'udp4', recvBufferSize: receiveBufferBytes });
socket.on('message', (query, from) => socket.send(answerTo(query), from.port, from.address));
socket.bind(0, '127.0.0.1', () => parentPort.postMessage(socket.address().port));

function answerTo(query) {
  const { id, questions } = decode(query);
  const [{ type, name }] = questions;
  const index = Number(/^(?:d|mx)(\d+)\.vetlab\.(?:com|net)$/.exec(name.toLowerCase())?.[1] ?? Number.NaN);
  const answers = [];
  if (type === 'MX' && name.startsWith('d')) {
    const exchange = `mx${index % addresses.length}.vetlab.net`;
    answers.push({ type, name, ttl: 300, data: { preference: 10, exchange } });
  } else if (type === 'A' && name.startsWith('mx')) answers.push({ type, name, ttl: 300, data: addresses[index] });
  else if (type === 'NS' && !name.includes('.')) answers.push({ type, name, ttl: 300, data: 'ns.vetlab.net' });
  const known = answers.length > 0 || !Number.isNaN(index);
  return encode({ type: 'response', id, questions, answers, flags: RECURSION_AVAILABLE | (known ? 0 : 3) });
}
