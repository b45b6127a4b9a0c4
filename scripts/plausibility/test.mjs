// The final test of the shipped model, on what nobody looked at before (kept-aside.mjs). Look at it once: a model that is changed
// because of this report has no test left.
//   npm run build && cd scripts/plausibility && node fetch-machines.mjs FOLDER && ACCOUNTS=FOLDER node test.mjs
// MODEL names another build of the program, to compare: MODEL=OLD/dist/index.js
import { join, resolve } from 'node:path';
import { readKeptAside } from './accounts/files.mjs';
import { nameCorpora } from './corpora.mjs';
import { hardPrograms, keptFormats, keptGroups } from './kept-aside.mjs';
import { machineHalf } from './machines.mjs';
import { peopleHalf } from './people.mjs';
import { seededRandom } from './random.mjs';
import { printReport } from './report.mjs';
import { allNames } from './samples.mjs';

const folder = process.env.ACCOUNTS;
const { plausibility } = await import(resolve(process.env.MODEL ?? join(import.meta.dirname, '../../dist/index.js')));
const accounts = readKeptAside(folder);
const names = allNames(nameCorpora()).filter((name) => name.length >= 5);
const files = ['machines.ndjson', 'later-machines.ndjson'];
const made = { folder, files, only: hardPrograms, formats: keptFormats, together: keptGroups };
const samples = [...peopleHalf(accounts), ...machineHalf(seededRandom(2028), made, names, accounts.length)];
printReport(
  'kept-aside accounts, against kept-aside kinds of machine-made names',
  samples.map((sample) => ({ ...sample, probability: plausibility(sample.text) })),
);
