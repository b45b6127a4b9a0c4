// Throughput, latency, cold load and size of the plausibility model, compared with parseAddress and limits.
// Run `npm run build` first.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { parseAddress, plausibility } from '../dist/index.js';
import { interleave, median, report } from './measure.mjs';

const size = 20_000;
const first = ['anna', 'bo', 'christopher', 'd', 'elif', 'francesca', 'hans-peter', 'ines_maria', 'xk7qz9vv', 'nguyen'];
const last = ['berg', 'o.connor', 'silva', 'ng', 'papadopoulos', 'w', 'van.der.meer', 'kowalczyk', 'müller'];
const localParts = Array.from(
  { length: size },
  (_, i) => `${first[i % 10]}.${last[i % 9]}${i % 3 === 0 ? i % 100 : ''}`,
);
const addresses = localParts.map((localPart) => `${localPart}@example-firm.com`);

const rates = await interleave(
  {
    model: () => perSecond(() => localParts.reduce((sum, localPart) => sum + plausibility(localPart), 0)),
    parseAddress: () =>
      perSecond(() => addresses.reduce((sum, address) => sum + (parseAddress(address).ok ? 1 : 0), 0)),
  },
  15,
);
const throughput = { bench: 'plausibility', what: 'throughput', ours: rates.model, unit: 'local parts/s' };
report({ ...throughput, peer: 30_000, peerName: 'limit', ratio: rates.model / 30_000, goal: '>= 1' });
report({
  ...throughput,
  peer: rates.parseAddress,
  peerName: 'parseAddress',
  ratio: rates.model / rates.parseAddress,
  goal: 'none',
});

const latencies = localParts.map(microseconds).sort((a, b) => a - b);
const p99 = latencies[Math.floor(size * 0.99)];
report({
  bench: 'plausibility',
  what: 'latency of one, 99th percentile',
  ours: p99,
  peer: 100,
  peerName: 'limit',
  unit: 'µs',
  ratio: p99 / 100,
  goal: '<= 1',
});

const coldMs = median(Array.from({ length: 9 }, coldMilliseconds));
report({
  bench: 'plausibility',
  what: 'first answer in a new process',
  ours: coldMs,
  peer: 3,
  peerName: 'limit',
  unit: 'ms',
  ratio: coldMs / 3,
  goal: '<= 1',
});

const kilobytes = statSync(new URL('../src/engine/data/plausibility.bin', import.meta.url)).size / 1000;
report({
  bench: 'plausibility',
  what: 'size of the model',
  ours: kilobytes,
  peer: 512,
  peerName: 'limit',
  unit: 'kB',
  ratio: kilobytes / 512,
  goal: '<= 1',
});

function perSecond(work) {
  const start = performance.now();
  if (!(work() > 0)) throw new Error('No scores.');
  return size / ((performance.now() - start) / 1000);
}

function microseconds(localPart) {
  const start = performance.now();
  plausibility(localPart);
  return (performance.now() - start) * 1000;
}

function coldMilliseconds() {
  const script = `const { plausibility } = await import(${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)});
    const start = performance.now();
    plausibility('jane.doe');
    console.log(performance.now() - start);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
}
