// Vets generated addresses with the library of a build, for bench/regression: node bench/vet-addresses.mjs BUILD TASK
import { pathToFileURL } from 'node:url';

const [build, task] = process.argv.slice(2);
const { prefix, domains, suffix, addresses, inFlight, options } = JSON.parse(task);
const { createEngine } = await import(pathToFileURL(`${build}/dist/index.js`).href);
const engine = await createEngine(options);
let next = 0;
let unknown = 0;
const work = async () => {
  while (next < addresses) {
    const index = next++;
    const email = `${prefix[index % prefix.length]}${index}@d${index % domains}${suffix}`;
    if ((await engine.validate(email)).status === 'unknown') unknown++;
  }
};
await Promise.all(Array.from({ length: inFlight }, work));
await engine.close();
if (unknown > 0) throw new Error(`${unknown} addresses are unknown`);
