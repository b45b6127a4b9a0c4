import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemDns } from '../../src/net/dns/dns.js';
import { directDial } from '../../src/net/smtp/dial.js';

const [resolver = '', ip = '', port = ''] = process.argv.slice(2);
const signal = new AbortController().signal;
const target = { host: 'mx', ip, port: Number(port) };
const dns = systemDns({ resolvers: [resolver], timeoutMs: 600 });
const dial = () =>
  directDial(target, 600, signal).then(
    (socket) => {
      socket.destroy();
      return 'connected';
    },
    ({ kind, message }) => `${kind}: ${message}`,
  );
const ask = async () => {
  const answers = await Promise.all([dns.mx('never.com'), dns.mx('never.com'), dns.mx('other.com')]);
  return [...answers.map((answer) => (answer.state === 'found' ? 'found' : answer.why)), await dial()];
};

/** Opens files until no descriptor is left. */
function exhaust(): number[] {
  const files: number[] = [];
  for (;;) {
    try {
      files.push(openSync('/dev/null', 'r'));
    } catch {
      return files;
    }
  }
}

// Files and sockets that Node opens on first use.
await dial();
const files = exhaust();
const withoutDescriptors = await ask();
const asking = Promise.all([dns.mx('later.com'), dns.mx('later.com'), dial()]);
await sleep(200);
for (const file of files) closeSync(file);
const [first, second, dialed] = await asking;
const laterStates = [first.state, second.state, dialed, (await dns.mx('truncated.com')).state];
console.log(JSON.stringify({ withoutDescriptors, laterStates }));
dns.close();
