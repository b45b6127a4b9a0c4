// A cluster compared with the embedded store. Run `npm run build` first.
//   node bench/cluster.mjs                                    throughput, CPU and latency
//   node bench/cluster.mjs --rows 10000000 [--level syntax]   one long list: time, CPU, peak memory, size
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchList } from './cluster-list.mjs';
import { compileServers, makeFolder } from './cluster-processes.mjs';
import { benchRates } from './cluster-rates.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string' },
    level: { type: 'string', default: 'syntax' },
    workers: { type: 'string', default: '2' },
  },
});
const folder = makeFolder();
const { startPostgres } = await compileServers();
const server = await startPostgres();
// Clean up on any exit.
process.on('exit', () => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
if (values.rows === undefined) await benchRates({ folder, server });
else
  await benchList({
    rows: Number(values.rows),
    level: values.level,
    workers: Number(values.workers),
    folder,
    server,
  });
process.exit();
