// Trains the plausibility model, calibrates it on the tuning data and prints how it does there.
//   npm ci --ignore-scripts && node fetch-accounts.mjs FOLDER      once
//   ACCOUNTS=FOLDER node train.mjs                                 the report
//   ACCOUNTS=FOLDER node train.mjs --write                         and src/engine/data/plausibility.bin
// The same seed, corpora and accounts give the same bytes. SAMPLES (a side) and EPOCHS make it quicker for experiments. What is kept aside (kept-aside.mjs) is not read here.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAccounts } from './accounts/files.mjs';
import { nameCorpora, nativeNames, otherVocabularies, wordCorpora } from './corpora.mjs';
import { earlierTraining, earlierTuning } from './earlier-kinds.mjs';
import { grammarKinds } from './grammars.mjs';
import { knownMarks } from './lexicon.mjs';
import { encodeModel, plattScaling, rawScore, sigmoid, train } from './model.mjs';
import { nearNames, trainingGenerators } from './negatives.mjs';
import { pronounceableKinds } from './pronounceable.mjs';
import { seededRandom } from './random.mjs';
import { calibrationError, printReport } from './report.mjs';
import { accountSamples, allNames, bareNames, machineSamples, peopleSamples } from './samples.mjs';
import { tuningGenerators } from './tuning-kinds.mjs';

const modelName = 'mailvet-plausibility/4';
const perSide = Number(process.env.SAMPLES ?? 800_000);
const epochs = Number(process.env.EPOCHS ?? 2);
/** Of people's samples, how many are accounts as they are; the others are made of names and words. */
const accountShare = 0.5;
/** The score is a probability where one of these shares of a list is machine-made: that which serves clean and spoiled lists alike. */
const machineShares = [0.15, 0.2, 0.25, 0.3, 0.35];
const servedShares = [0.1, 0.5];
const wordsKnown = 12_000;
const machinesTuned = 9_000;

/** Plain ones, which training sees, tune as well: most of what is machine-made is like them. */
const plainKinds = Object.fromEntries(
  ['random letters', 'random letters and digits', 'base64-like', 'hex', 'random with a number'].map((kind) => [
    kind,
    trainingGenerators[kind],
  ]),
);

const names = nameCorpora();
const { training, tuning } = readAccounts(process.env.ACCOUNTS);
const model = fit();
const tuned = tuningSamples();
const calibration = bestCalibration();
printReport('tuning data: people, and machine-made names of kinds not trained on', calibrated(tuned, calibration));

if (process.argv.includes('--write')) {
  const bytes = encodeModel(modelName, model, calibration);
  writeFileSync(join(import.meta.dirname, '../../src/engine/data/plausibility.bin'), bytes);
  console.log(`\nwrote ${bytes.length} bytes`);
}

function calibrated(samples, lines) {
  return samples.map((sample) => {
    const { slope, offset } = lines[sample.span];
    return { ...sample, probability: sigmoid(slope * sample.raw + offset) };
  });
}

/** The lines that are least far off where they are farthest off. */
function bestCalibration() {
  const choices = machineShares.map((share) => {
    const lines = plattScaling(tuned, share);
    const scored = calibrated(tuned, lines);
    const errors = servedShares.map((served) => calibrationError(scored, served));
    console.log(`calibrated for ${share} machine-made: ${errors.map((error) => error.toFixed(4)).join(', ')}`);
    return { lines, worst: Math.max(...errors) };
  });
  return choices.reduce((best, choice) => (choice.worst < best.worst ? choice : best)).lines;
}

function fit() {
  const random = seededRandom(11);
  const real = Math.round(perSide * accountShare);
  const words = wordCorpora();
  const sources = { corpora: names, words, otherWords: otherVocabularies, natives: nativeNames() };
  const sayable = pronounceableKinds(allNames(names).filter((name) => name.length >= 4));
  const machines = {
    generators: { ...trainingGenerators, ...sayable, ...earlierTraining, ...grammarKinds(random) },
    doubled: [...nearNames, ...Object.keys(sayable)],
  };
  return train(
    random,
    [
      ...peopleSamples(random, sources, perSide - real),
      ...accountSamples(random, training, real),
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
    { generators: { ...tuningGenerators, ...earlierTuning, ...plainKinds } },
    names,
    machinesTuned,
  );
  return [
    ...people,
    // In small letters, as accounts are.
    ...machines.map((sample) => ({ ...sample, text: sample.text.toLowerCase(), groups: [sample.group] })),
  ].map((sample) => ({ ...sample, ...rawScore(model, sample.text) }));
}
