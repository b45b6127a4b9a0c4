// Trains the plausibility model, calibrates it on the tuning data and prints how it does there.
//   npm ci --ignore-scripts && node fetch-accounts.mjs FOLDER      once
//   ACCOUNTS=FOLDER node train.mjs                                 the report
//   ACCOUNTS=FOLDER node train.mjs --write                         and src/engine/data/plausibility.bin
// The same seed, corpora and accounts give the same bytes. SAMPLES (a side) and EPOCHS make it quicker for experiments. What is kept aside (kept-aside.mjs) is not read here.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAccounts } from './accounts/files.mjs';
import { nameCorpora, nativeNames, otherVocabularies, wordCorpora } from './corpora.mjs';
import { encodeModel, plattScaling, rawScore, sigmoid, train } from './model.mjs';
import { nearNames, trainingGenerators, tuningGenerators } from './negatives.mjs';
import { seededRandom } from './random.mjs';
import { printReport } from './report.mjs';
import { accountSamples, bareNames, machineSamples, peopleSamples } from './samples.mjs';

const modelName = 'mailvet-plausibility/2';
const perSide = Number(process.env.SAMPLES ?? 400_000);
const epochs = Number(process.env.EPOCHS ?? 4);
/** Of people's samples, how many are accounts as they are; the others are made of names and words. */
const accountShare = 0.5;
/** The score is a probability where this share of a list is machine-made: between a clean list and a spoiled one. */
const machineShare = 0.3;

const names = nameCorpora();
const { training, tuning } = readAccounts(process.env.ACCOUNTS);
const model = fit();
const tuned = tuningSamples();
const calibration = plattScaling(tuned, machineShare);
printReport(
  'tuning data: accounts of Debian, machine-made names of kinds not trained on',
  tuned.map((sample) => ({ ...sample, probability: sigmoid(calibration.slope * sample.raw + calibration.offset) })),
);

if (process.argv.includes('--write')) {
  const bytes = encodeModel(modelName, model, calibration);
  writeFileSync(join(import.meta.dirname, '../../src/engine/data/plausibility.bin'), bytes);
  console.log(`\nwrote ${bytes.length} bytes`);
}

function fit() {
  const random = seededRandom(11);
  const real = Math.round(perSide * accountShare);
  const sources = { corpora: names, words: wordCorpora(), otherWords: otherVocabularies, natives: nativeNames() };
  return train(
    random,
    [
      ...peopleSamples(random, sources, perSide - real),
      ...accountSamples(
        random,
        training.map(({ account }) => account),
        real,
      ),
      // Ours are the common names of their languages.
      ...bareNames(names.own),
      ...machineSamples(random, { generators: trainingGenerators, doubled: nearNames }, names, perSide),
    ],
    epochs,
  );
}

function tuningSamples() {
  const random = seededRandom(97);
  const people = tuning.map(({ account, shape, source }) => ({ text: account, label: 1, groups: [shape, source] }));
  const machines = machineSamples(random, { generators: tuningGenerators }, names, people.length);
  return [...people, ...machines.map((sample) => ({ ...sample, groups: [sample.group] }))].map((sample) => ({
    ...sample,
    raw: rawScore(model, sample.text),
  }));
}
