// Trains the plausibility model and writes src/engine/data/plausibility.bin: ACCOUNTS=FOLDER [SAMPLES=COUNT] node train.mjs
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAccounts } from './accounts.mjs';
import { readCorpora } from './corpora.mjs';
import { encodeModel, fitModel } from './fit.mjs';

const accounts = readAccounts(process.env.ACCOUNTS);
for (const [use, list] of Object.entries(accounts)) console.log(`${use}: ${list.length} accounts`);
const bytes = encodeModel(fitModel(accounts, readCorpora()));
writeFileSync(process.env.OUTPUT ?? join(import.meta.dirname, '../src/engine/data/plausibility.bin'), bytes);
console.log(`wrote ${bytes.length} bytes`);
