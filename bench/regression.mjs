// CPU time per address of this build, compared with another built checkout: node bench/regression.mjs OTHER
// On a busy machine, CPU time varies less than elapsed time. The servers run in their own processes.
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { interleave, report } from './measure.mjs';

const benchFolder = import.meta.dirname;
const dnsIp = '127.0.0.154';
const dnsPort = 5354;
const smtpPort = 2525;
const hosts = 200;

/** The levels to measure. `start` returns the server and the options of the engine. */
const levels = {
  dns: {
    addresses: 20_000,
    inFlight: 60,
    emailOf: (index) => `jane.doe${index}@d${index}-x.com`,
    start: async () => {
      const server = fork(`${benchFolder}/dns-server.mjs`);
      const [port] = await once(server, 'message');
      return { server, options: { resolvers: [`127.0.0.1:${port}`] } };
    },
  },
  smtp: {
    addresses: 10_000,
    inFlight: 10_000,
    emailOf: (index) => `${index % 2 === 1 ? 'good' : 'bad'}${index}@d${index % hosts}.vetbench.com`,
    start: async () => {
      const task = { hosts, port: smtpPort, dnsIp, dnsPort, rttMs: 20 };
      const server = fork(`${benchFolder}/smtp-server.mjs`, [JSON.stringify(task)]);
      await once(server, 'message');
      const options = { resolvers: [`${dnsIp}:${dnsPort}`], smtpPort, allowNetworks: ['127.0.0.0/8'] };
      return { server, options: { ...options, ehloName: 'probe.vetbench.net' } };
    },
  },
};

/** Microseconds of CPU per address, measured in this process. */
async function measure(root, level) {
  const { createEngine } = await import(pathToFileURL(`${root}/dist/index.js`).href);
  const { addresses, inFlight, emailOf, start } = levels[level];
  const { server, options } = await start();
  const engine = await createEngine({ level, ...options });
  let next = 0;
  let unknown = 0;
  const work = async () => {
    while (next < addresses) if ((await engine.validate(emailOf(next++))).status === 'unknown') unknown++;
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, work));
  const { user, system } = process.cpuUsage(before);
  await engine.close();
  server.disconnect();
  if (unknown > 0) throw new Error(`${unknown} addresses are unknown`);
  return (user + system) / addresses;
}

const [checkout, level] = process.argv.slice(2);
if (level !== undefined) {
  console.log(await measure(checkout, level));
} else {
  if (checkout === undefined) throw new Error('The path of another checkout is missing.');
  const run = promisify(execFile);
  const cpuOf = (root, name) => async () =>
    Number((await run(process.execPath, [import.meta.filename, root, name])).stdout);
  for (const name of Object.keys(levels)) {
    const { ours, other } = await interleave({
      ours: cpuOf(resolve(benchFolder, '..'), name),
      other: cpuOf(resolve(checkout), name),
    });
    report({
      bench: 'regression',
      what: `CPU per address at level ${name}`,
      ...{ ours, peer: other, peerName: 'other build', unit: 'µs', ratio: ours / other, goal: '<= 1.05' },
    });
  }
}
