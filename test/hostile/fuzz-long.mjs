/**
 * Runs every fuzz target for long. Usage: node test/hostile/fuzz-long.mjs [--cases N] [--seconds N] [--mutants N] [--only NAME] [--seed N]
 * Cases are of each target (100,000 unless told otherwise); with --seconds, a target ends early after its time. Of each case
 * that is made, `--mutants` more are derived by changing it at random (19 unless told otherwise), and count. Prints one line a
 * target: cases, cases a second, and by how much memory grew.
 */
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: 'Infinity' },
    mutants: { type: 'string', default: '19' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const cases = Number(values.cases);
const seconds = Number(values.seconds);
const mutants = Number(values.mutants);
const seed = Number(values.seed);
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

// Beside the packages, so that it finds them.
const outfile = at('../../node_modules/.cache/mailvet/fuzz-targets.mjs');
cpSync(at('../../src/engine/data'), at('../../node_modules/.cache/mailvet/data'), { recursive: true });
await build({
  stdin: { contents: "export * from './fuzz-targets.ts'; export * from './server-fuzz.ts';", resolveDir: at('.') },
  outfile,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  define: { __VERSION__: '"0.0.0-fuzz"' },
  logLevel: 'warning',
});
const { fuzzTargets, serverFuzzTargets } = await import(outfile);

/** Few at a time, so that a target with a deadline ends near it. */
const batch = 2_000;
let failed = 0;
console.log(`seed ${seed}`);
const known = [...fuzzTargets, ...serverFuzzTargets];
const targets = known.filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase()));
if (targets.length === 0) {
  throw new Error(`No target is named like "${values.only}". There are: ${known.map(({ name }) => name).join(', ')}.`);
}
for (const { name, run, close } of targets) {
  const start = performance.now();
  const before = process.memoryUsage().rss;
  let done = 0;
  try {
    while (done < cases && performance.now() - start < seconds * 1_000) {
      const made = Math.ceil(Math.min(batch, cases - done) / (1 + mutants));
      await run(made, seed + done, mutants);
      done += made * (1 + mutants);
    }
  } catch (error) {
    failed++;
    console.log(`FAILED ${name} after ${done} cases\n${error instanceof Error ? error.message : error}`);
  }
  await close?.();
  const rate = Math.round((done / (performance.now() - start)) * 1_000);
  const grown = Math.round((process.memoryUsage().rss - before) / 2 ** 20);
  console.log(
    `${name.padEnd(24)} ${String(done).padStart(9)} cases ${String(rate).padStart(7)}/s  memory ${grown >= 0 ? '+' : ''}${grown} MB`,
  );
}
process.exitCode = failed === 0 ? 0 : 1;
