// Trains the plausibility model and writes src/engine/data/plausibility.bin: ACCOUNTS=FOLDER node train.mjs
// SAMPLES (per label), EPOCHS and TRIES make it faster for experiments.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAccounts } from './accounts/files.mjs';
import { readCorpora } from './corpora/corpora.mjs';
import { fitModel } from './fit/fit-model.mjs';
import { encodeModel } from './fit/model-file.mjs';
import { trainingKinds } from './machines/training-kinds.mjs';
import { seededRandom } from './random.mjs';

const random = seededRandom(11);
const corpora = readCorpora();
const accounts = readAccounts(process.env.ACCOUNTS);
console.log(`${accounts.training.length} accounts train, ${accounts.tuning.length} tune`);
const bytes = encodeModel(fitModel(random, accounts, corpora, trainingKinds(random, corpora)));
writeFileSync(join(import.meta.dirname, '../src/engine/data/plausibility.bin'), bytes);
console.log(`wrote ${bytes.length} bytes`);
