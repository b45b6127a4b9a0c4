import { test } from 'vitest';
import { fuzzTargets } from './fuzz-targets.js';

/** A taste for every run of the suite; `node test/hostile/fuzz-long.mjs` goes on for as long as one likes. */
const numRuns = 300;

test.each(fuzzTargets)('$name: any input ends in an answer or a Failure', ({ run }) => run(numRuns, 20_261_116));
