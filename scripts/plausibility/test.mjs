// The final test of the shipped model, on what nobody looked at before (kept-aside.mjs). Look at it once: a model that is changed
// because of this report has no test left. With --development: what to steer by, as often as you like (development-kinds.mjs).
//   npm run build && cd scripts/plausibility && node fetch-machines.mjs FOLDER && ACCOUNTS=FOLDER node test.mjs
// MODEL names another build of the program, to compare: MODEL=OLD/dist/index.js
import { join, resolve } from 'node:path';
import { printReport } from './report.mjs';
import { developmentSet, keptAsideSet } from './test-sets.mjs';

const { plausibility } = await import(resolve(process.env.MODEL ?? join(import.meta.dirname, '../../dist/index.js')));
const steering = process.argv.includes('--development');
const samples = (steering ? developmentSet : keptAsideSet)(process.env.ACCOUNTS);
printReport(
  steering ? 'development data' : 'kept-aside accounts, against kept-aside kinds of machine-made names',
  samples.map((sample) => ({ ...sample, probability: plausibility(sample.text) })),
);
