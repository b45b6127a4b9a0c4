// Trains the plausibility model and prints its report. The same seed and corpora give the same bytes.
//   cd scripts/plausibility && npm ci --ignore-scripts && node train.mjs           the report
//                                                         node train.mjs --write   and src/engine/data/plausibility.bin
// SAMPLES (a side) and EPOCHS make it quicker for experiments.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameCorpora, nativeNames, otherVocabularies, wordCorpora } from './corpora.mjs';
import { encodeModel, plattScaling, rawScore, sigmoid, train } from './model.mjs';
import { nearNames, plainlyMachine, testGenerators, trainingGenerators } from './negatives.mjs';
import { seededRandom } from './random.mjs';
import { calibrationError, figures, printReport } from './report.mjs';
import { bareNames, machineSamples, notOrigins, peopleSamples } from './samples.mjs';

const modelName = 'mailvet-plausibility/1';
const perSide = Number(process.env.SAMPLES ?? 400_000);
const epochs = Number(process.env.EPOCHS ?? 5);
const perTest = 80_000;

const names = nameCorpora();
const words = wordCorpora();
const natives = nativeNames();
const allGenerators = { ...trainingGenerators, ...testGenerators };

// Held out: the name corpora and the language of each fold, and the generators of testGenerators. Not held out: towns, roles and
// names in their own script; and the calibration is fitted on another draw of the same held-out part, so its error is a lower bound.
const folds = [
  { title: 'held out: faker, German words', corpora: ['faker'], language: 'german' },
  {
    title: 'held out: our own names and the small packages, French words',
    corpora: ['own', 'small packages'],
    language: 'french',
  },
];

/** What a model may meet, and the calibration error it may show there; the first is reported in full. */
const mixes = {
  'every generator': { generators: allGenerators, limit: 0.02 },
  'generators unseen in training': { generators: testGenerators, limit: 0.03 },
  'what anyone can tell': { generators: only(allGenerators, plainlyMachine), limit: 0.05 },
  'what comes close to names': { generators: only(allGenerators, nearNames), limit: 0.05 },
};
const calibrations = folds.map(testFold);

if (process.argv.includes('--write')) {
  const model = fit(names, words, allGenerators);
  const mean = (key) => calibrations.reduce((sum, calibration) => sum + calibration[key], 0) / calibrations.length;
  const bytes = encodeModel(modelName, model, { slope: mean('slope'), offset: mean('offset') });
  writeFileSync(join(import.meta.dirname, '../../src/engine/data/plausibility.bin'), bytes);
  console.log(`\nwrote ${bytes.length} bytes`);
}

function fit(corpora, vocabulary, generators) {
  const random = seededRandom(11);
  const people = peopleSamples(random, { corpora, words: vocabulary, otherWords: otherVocabularies, natives }, perSide);
  // Ours are the common names of their languages.
  const bare = bareNames(corpora.own ?? {});
  const machines = machineSamples(random, generators, corpora, perSide);
  return train(random, [...people, ...bare, ...machines], epochs);
}

/** Trains without a part, reports on that part, and gives the calibration that it asks for. */
function testFold({ title, corpora, language }) {
  const model = fit(without(names, corpora), without(words, [language]), trainingGenerators);
  const heldOut = { corpora: only(names, corpora), words: only(words, [language]), otherWords: [], natives };
  const random = seededRandom(97);
  const scored = (samples) => samples.map((sample) => ({ ...sample, raw: rawScore(model, sample.text) }));
  const draw = () =>
    Object.fromEntries(
      Object.entries(mixes).map(([mix, { generators }]) => [
        mix,
        scored([
          ...peopleSamples(random, heldOut, perTest),
          ...machineSamples(random, generators, heldOut.corpora, perTest),
        ]),
      ]),
    );
  const calibration = calibrate(draw());
  const tested = Object.entries(draw()).map(([mix, samples]) => [mix, calibrated(samples, calibration)]);
  printReport(title, tested[0][1], notOrigins);
  for (const [mix, samples] of tested) console.log(`  against ${mix.padEnd(42)} ${figures(samples)}`);
  return calibration;
}

/** Nobody knows which mix a list brings, so: near Platt's line over all of them, the one that keeps best within every limit. */
function calibrate(samplesOfMixes) {
  const mixed = Object.entries(samplesOfMixes);
  const { slope, offset } = plattScaling(mixed.flatMap(([, samples]) => samples));
  const candidates = [0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2].flatMap((factor) =>
    [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3].map((shift) => ({ slope: slope * factor, offset: offset + shift })),
  );
  const excess = (line) =>
    Math.max(...mixed.map(([mix, samples]) => calibrationError(calibrated(samples, line)) / mixes[mix].limit));
  return candidates
    .map((line) => ({ ...line, excess: excess(line) }))
    .reduce((best, line) => (line.excess < best.excess ? line : best));
}

function calibrated(samples, { slope, offset }) {
  return samples.map((sample) => ({ ...sample, probability: sigmoid(slope * sample.raw + offset) }));
}

function without(object, keys) {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

function only(object, keys) {
  return Object.fromEntries(keys.map((key) => [key, object[key]]));
}
