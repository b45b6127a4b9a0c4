// Trains the plausibility model:
//   npm ci --ignore-scripts && node fetch-accounts.mjs FOLDER      once
//   ACCOUNTS=FOLDER node train.mjs                                 writes src/engine/data/plausibility.bin
// The same seed, corpora and accounts give the same bytes. SAMPLES (a side), EPOCHS and TRIES make it quicker for experiments.
import { readAccounts } from './accounts/files.mjs';
import { nameCorpora } from './corpora/corpora.mjs';
import { fitModel } from './fit/fit-model.mjs';
import { writeModel } from './fit/model-file.mjs';
import { trainingKinds } from './machines/training-kinds.mjs';
import { seededRandom } from './random.mjs';

const random = seededRandom(11);
const names = nameCorpora();
const accounts = readAccounts(process.env.ACCOUNTS);
console.log(`${accounts.training.length} accounts train, ${accounts.tuning.length} tune`);
console.log(`wrote ${writeModel(fitModel(random, accounts, names, trainingKinds(random, names)))} bytes`);
