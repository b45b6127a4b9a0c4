/**
 * Runs every fuzz target for a long time. Usage: node test/hostile/fuzz-long.mjs [--cases N] [--seconds N] [--mutants N] [--only NAME] [--seed N]
 * --cases is the number of cases per target (100,000 by default); --seconds ends a target early. --mutants more cases
 * (19 by default) are derived from each generated case by random changes, and count, too. Prints one line per
 * target: cases, cases per second, and the growth of memory.
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
const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

// Next to the packages, so that it finds them.
const outfile = pathOf('../../node_modules/.cache/mailvet/fuzz-targets.mjs');
cpSync(pathOf('../../src/engine/data'), pathOf('../../node_modules/.cache/mailvet/data'), { recursive: true });
await build({
  stdin: { contents: "export * from './fuzz-targets.ts'; export * from './server-fuzz.ts';", resolveDir: pathOf('.') },
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

/** Few cases at a time, so that a target ends close to its deadline. */
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
      const generated = Math.ceil(Math.min(batch, cases - done) / (1 + mutants));
      await run(generated, seed + done, mutants);
      done += generated * (1 + mutants);
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
