import { test } from 'vitest';
import { fuzzTargets } from './fuzz-targets.js';
import { serverFuzzTargets } from './server-fuzz.js';

/** A short run for the suite; `node test/hostile/fuzz-long.mjs` runs for any time. */
const numRuns = 300;

test.each(fuzzTargets)('$name: any input ends in an answer or a Failure', ({ run }) => run(numRuns, 20_261_116));

test.each(serverFuzzTargets)('$name: every request is answered or its connection closed', async ({ run, close }) => {
  try {
    await run(numRuns / 6, 20_261_116);
  } finally {
    await close?.();
  }
});
