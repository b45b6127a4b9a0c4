// Loaded into the service by bench/soak: appends its heap and its timers to the file of the `out` parameter, as one JSON line each time.
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const out = new URL(import.meta.url).searchParams.get('out');
const everyMs = 5_000;

setInterval(() => {
  collectGarbage();
  const heap = process.memoryUsage().heapUsed / 2 ** 20;
  const timers = process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  appendFileSync(out, `${JSON.stringify({ heap, timers })}\n`);
}, everyMs).unref();
