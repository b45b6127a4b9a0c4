// Fits the complete model: weights, networks over their sums, and calibration.
import { ownVocabularies } from '../corpora/own-words.mjs';
import { tuningMailboxes } from '../machines/service-mailboxes.mjs';
import { tuningKinds } from '../machines/tuning-kinds.mjs';
import { seededRandom } from '../random.mjs';
import { buildLexicon } from './lexicon.mjs';
import { fitNetwork } from './network.mjs';
import { accountSamples, allNames, machineSamples, peopleSamples, rareShapeSamples, singleNames } from './samples.mjs';
import { tagSamples } from './tag-samples.mjs';
import { fitLogisticWeights, fitPlattLines, networkInputs, rawScore } from './weights.mjs';

/** Share of real accounts among samples of people; the others are generated from names and words. */
const accountShare = 0.6;
/** Generated people of rare shapes for each account that the network sees. */
const rareShapeShare = 0.06;
/** The score is a calibrated probability if this share of a list is machine-made. */
const machineShare = 0.22;

/** Numbers of samples, epochs and restarts. The environment variables make experiments faster. */
export const defaultSizes = {
  samplesPerLabel: Number(process.env.SAMPLES ?? 900_000),
  epochs: Number(process.env.EPOCHS ?? 2),
  wordsPerDictionary: 12_000,
  networkMachines: 80_000,
  calibrationMachines: 12_000,
  tagsPerLabel: 25_000,
  networkEpochs: 40,
  restarts: Number(process.env.TRIES ?? 3),
};

/** Fits the weights to the `training` accounts, the networks and the calibration to the `tuning` accounts, which the weights have not seen. */
export function fitModel(random, { training, tuning }, corpora, kinds, sizes = defaultSizes) {
  const { names, words } = corpora;
  const weights = fitWeights(random, training, corpora, kinds, sizes);
  // Separate seeds, so that one part can be fitted again alone.
  const network = fitNameNetwork(seededRandom(12), weights, tuning, corpora, kinds, sizes);
  const tagNetwork = fitTagNetwork(seededRandom(13), weights, tuning, { names, words }, sizes);
  const model = { ...weights, network, tagNetwork };
  return { ...model, lines: fitPlattLines(calibrationSamples(model, tuning, names, kinds, sizes), machineShare) };
}

function fitWeights(random, training, corpora, kinds, { samplesPerLabel, epochs, wordsPerDictionary }) {
  const { names, words } = corpora;
  const accountCount = Math.round(samplesPerLabel * accountShare);
  const samples = [
    ...peopleSamples(random, corpora, samplesPerLabel - accountCount),
    ...accountSamples(random, training, accountCount),
    // Our own lists hold the most common names of each language.
    ...singleNames(names.own),
    ...machineSamples(random, kinds, names, samplesPerLabel),
  ];
  const known = [...accountTexts(training), ...nameTexts(names), ...wordTexts(random, words, wordsPerDictionary)];
  return fitLogisticWeights(random, samples, epochs, buildLexicon(known));
}

function accountTexts(training) {
  return training.map(({ account }) => ({ text: account, parts: 1, whole: 1 }));
}

/** Each name once per corpus. A name in two corpora is known as a whole word. */
function nameTexts(names) {
  return Object.values(names).flatMap((corpus) =>
    [...new Set(allNames({ corpus }))].map((text) => ({ text, parts: 1, whole: 2 })),
  );
}

/** A sample of each dictionary, and all of our own short lists of common words. */
function wordTexts(random, words, wordsPerDictionary) {
  const some = Object.values(words).flatMap((list) =>
    Array.from({ length: wordsPerDictionary }, () => random.pick(list)),
  );
  return [...some, ...ownVocabularies.flat()].map((text) => ({ text, parts: 1, whole: 1 }));
}

/** People and machines have the same total weight. */
function fitNameNetwork(random, weights, tuning, corpora, { generators, again }, sizes) {
  const rare = rareShapeSamples(random, corpora, Math.round(tuning.length * rareShapeShare));
  const kinds = { generators: { ...generators, ...tuningKinds, ...tuningMailboxes }, again };
  const machines = lowerCased(machineSamples(random, kinds, corpora.names, sizes.networkMachines));
  return fitNetwork(
    random,
    [...withInputs(weights, [...asPeople(tuning), ...rare]), ...withInputs(weights, machines)],
    sizes,
  );
}

/** Tags share the weights and have their own network. */
function fitTagNetwork(random, weights, tuning, { names, words }, sizes) {
  const known = allNames(names).filter((name) => name.length >= 3);
  const tags = tagSamples(random, { accounts: tuning, names: known, words }, sizes.tagsPerLabel);
  return fitNetwork(random, withInputs(weights, tags), sizes);
}

function withInputs(weights, samples) {
  return samples.map(({ text, label }) => ({
    inputs: networkInputs(weights, text).inputs,
    label,
    weight: 1 / samples.length,
  }));
}

function calibrationSamples(model, tuning, names, { generators }, sizes) {
  const kinds = { generators: { ...tuningKinds, ...tuningMailboxes, ...generators } };
  const machines = lowerCased(machineSamples(seededRandom(97), kinds, names, sizes.calibrationMachines));
  return [...asPeople(tuning), ...machines].map((sample) => ({
    ...sample,
    ...rawScore(model, sample.text),
  }));
}

const asPeople = (accounts) => accounts.map(({ account }) => ({ text: account, label: 1 }));

function lowerCased(samples) {
  return samples.map((sample) => ({ ...sample, text: sample.text.toLowerCase() }));
}
