// A cluster compared with the embedded store. Run `npm run build` first.
//   node bench/cluster.mjs                                    throughput, CPU and latency
//   node bench/cluster.mjs --rows 10000000 [--level syntax]   one long list: time, CPU, peak memory, size
//   node bench/cluster.mjs --nodes 100                        many light processes: claims, latency, connections
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchList } from './cluster-list.mjs';
import { benchNodes } from './cluster-nodes.mjs';
import { compileServers, makeFolder } from './cluster-processes.mjs';
import { benchRates } from './cluster-rates.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string' },
    nodes: { type: 'string' },
    level: { type: 'string', default: 'syntax' },
    workers: { type: 'string', default: '2' },
  },
});
const folder = makeFolder();
const { startPostgres } = await compileServers();
const server = await startPostgres(values.nodes === undefined ? [] : ['max_connections=600']);
// Clean up on any exit.
process.on('exit', () => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
if (values.nodes !== undefined) await benchNodes({ nodes: Number(values.nodes), server });
else if (values.rows === undefined) await benchRates({ folder, server });
else
  await benchList({
    rows: Number(values.rows),
    level: values.level,
    workers: Number(values.workers),
    folder,
    server,
  });
process.exit();
