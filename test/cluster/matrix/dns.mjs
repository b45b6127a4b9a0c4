// The DNS of the scripted mail hosts, in a thread of its own, so that it answers however busy they are: `dN.vetlab.com` has the MX
// `mxK.vetlab.net`, whose address is that of host K. Nothing else exists below them. Tells its port once it is ready.
import { createSocket } from 'node:dgram';
import { parentPort, workerData } from 'node:worker_threads';
import { decode, encode, RECURSION_AVAILABLE } from 'dns-packet';

/** What every process of a cluster asks at a time when all begin anew fits in; the system's usual buffer holds some hundred questions. */
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
