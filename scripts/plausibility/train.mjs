// Trains the plausibility model, calibrates it on the tuning data and prints how it does there.
//   npm ci --ignore-scripts && node fetch-accounts.mjs FOLDER      once
//   ACCOUNTS=FOLDER node train.mjs                                 the report
//   ACCOUNTS=FOLDER node train.mjs --write                         and src/engine/data/plausibility.bin
// The same seed, corpora and accounts give the same bytes. SAMPLES (a side) and EPOCHS make it quicker for experiments. What is kept aside (kept-aside.mjs) is not read here.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAccounts } from './accounts/files.mjs';
import { nameCorpora, nativeNames, otherVocabularies, wordCorpora } from './corpora.mjs';
import { knownMarks } from './lexicon.mjs';
import { encodeModel, plattScaling, rawScore, sigmoid, train } from './model.mjs';
import { nearNames, trainingGenerators } from './negatives.mjs';
import { pronounceableKinds } from './pronounceable.mjs';
import { seededRandom } from './random.mjs';
import { printReport } from './report.mjs';
import { accountSamples, allNames, bareNames, machineSamples, peopleSamples } from './samples.mjs';
import { tunedNearNames, tuningGenerators } from './tuning-kinds.mjs';

const modelName = 'mailvet-plausibility/3';
const perSide = Number(process.env.SAMPLES ?? 200_000);
const epochs = Number(process.env.EPOCHS ?? 2);
/** Of people's samples, how many are accounts as they are; the others are made of names and words. */
const accountShare = 0.5;
/** The score is a probability where this share of a list is machine-made: between a clean list and a spoiled one. */
const machineShare = 0.3;
const wordsKnown = 12_000;
const machinesTuned = 9_000;

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
  const words = wordCorpora();
  const sources = { corpora: names, words, otherWords: otherVocabularies, natives: nativeNames() };
  const sayable = pronounceableKinds(allNames(names).filter((name) => name.length >= 4));
  const machines = {
    generators: { ...trainingGenerators, ...sayable },
    doubled: [...nearNames, ...Object.keys(sayable)],
  };
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
      ...machineSamples(random, machines, names, perSide),
    ],
    epochs,
    knownMarks([...accountTexts(), ...nameTexts(), ...wordTexts(random, words)]),
  );
}

function accountTexts() {
  return training.map(({ account }) => ({ text: account, parts: 1, whole: 1 }));
}

/** Each name once a list of names: two lists that agree make a name known. */
function nameTexts() {
  return Object.values(names).flatMap((corpus) =>
    [...new Set(allNames({ corpus }))].map((text) => ({ text, parts: 1, whole: 2 })),
  );
}

/** As many words of each dictionary as make handles, and all of the short lists, which hold common ones. */
function wordTexts(random, words) {
  const some = Object.values(words).flatMap((list) => Array.from({ length: wordsKnown }, () => random.pick(list)));
  return [...some, ...otherVocabularies.flat()].map((text) => ({ text, parts: 1, whole: 1 }));
}

function tuningSamples() {
  const random = seededRandom(97);
  const people = tuning.map(({ account, shape, source }) => ({ text: account, label: 1, groups: [shape, source] }));
  const machines = machineSamples(
    random,
    { generators: tuningGenerators, doubled: tunedNearNames },
    names,
    machinesTuned,
  );
  return [...people, ...machines.map((sample) => ({ ...sample, groups: [sample.group] }))].map((sample) => ({
    ...sample,
    raw: rawScore(model, sample.text),
  }));
}
