// Fits the whole model: the weights, the network over what they say, and the lines that turn it into a probability.
import { nativeNames, otherVocabularies, wordCorpora } from '../corpora/corpora.mjs';
import { earlierTuning } from '../machines/service-mailboxes.mjs';
import { tuningGenerators } from '../machines/tuning-kinds.mjs';
import { seededRandom } from '../random.mjs';
import { knownMarks } from './lexicon.mjs';
import { fitNetwork } from './network.mjs';
import { accountSamples, allNames, bareNames, machineSamples, peopleSamples, rareSamples } from './samples.mjs';
import { tagSamples } from './tag-samples.mjs';
import { evidenceOf, plattScaling, rawScore, train } from './weights.mjs';

const perSide = Number(process.env.SAMPLES ?? 900_000);
const epochs = Number(process.env.EPOCHS ?? 2);
/** Of people's samples, how many are accounts as they are; the others are made of names and words. */
const accountShare = 0.6;
const wordsKnown = 12_000;
const machinesWeighed = 80_000;
/** How many of the people that the network sees are made up, for each account. */
const rareShare = 0.06;
const machinesTuned = 12_000;
const tagsASide = 25_000;
/** The score is a probability where this share of a list is machine-made: of those tried, it is least far off at one in ten and at a half. */
const machineShare = 0.22;

/**
 * The model of these accounts, { training, tuning }, name lists and kinds of machine-made names. The weights are made from the first
 * accounts, the network and the lines from the others, which the weights do not know.
 */
export function fitModel(random, { training, tuning }, names, kinds) {
  const weights = fitWeights(random, training, names, kinds);
  // Each with chances of its own, so that one can be fitted again alone.
  const network = fitUnits(seededRandom(12), weights, tuning, names, kinds);
  const tagNetwork = fitTags(seededRandom(13), weights, tuning, names);
  const model = { ...weights, network, tagNetwork };
  return { ...model, lines: plattScaling(scored(model, tuning, names, kinds), machineShare) };
}

function fitWeights(random, training, names, kinds) {
  const real = Math.round(perSide * accountShare);
  const words = wordCorpora();
  const sources = { corpora: names, words, otherWords: otherVocabularies, natives: nativeNames() };
  const samples = [
    ...peopleSamples(random, sources, perSide - real),
    ...accountSamples(random, training, real),
    // Ours are the common names of their languages.
    ...bareNames(names.own),
    ...machineSamples(random, kinds, names, perSide),
  ];
  const known = [...accountTexts(training), ...nameTexts(names), ...wordTexts(random, words)];
  return train(random, samples, epochs, knownMarks(known));
}

function accountTexts(training) {
  return training.map(({ account }) => ({ text: account, parts: 1, whole: 1 }));
}

/** Each name once a list of names: two lists that agree make a name known. */
function nameTexts(names) {
  return Object.values(names).flatMap((corpus) =>
    [...new Set(allNames({ corpus }))].map((text) => ({ text, parts: 1, whole: 2 })),
  );
}

/** As many words of each dictionary as make handles, and all of the short lists, which hold common ones. */
function wordTexts(random, words) {
  const some = Object.values(words).flatMap((list) => Array.from({ length: wordsKnown }, () => random.pick(list)));
  return [...some, ...otherVocabularies.flat()].map((text) => ({ text, parts: 1, whole: 1 }));
}

/** The network; people and machines count the same in all. */
function fitUnits(random, weights, tuning, names, { generators, again }) {
  const rare = rareSamples(random, names, Math.round(tuning.length * rareShare));
  const kinds = { generators: { ...generators, ...tuningGenerators, ...earlierTuning }, again };
  const machines = inSmallLetters(machineSamples(random, kinds, names, machinesWeighed));
  return fitNetwork(random, [...halfOfAll(weights, [...people(tuning), ...rare]), ...halfOfAll(weights, machines)]);
}

/** The network of tags, which are read like names and weighed another way. */
function fitTags(random, weights, tuning, names) {
  const known = allNames(names).filter((name) => name.length >= 3);
  const tags = tagSamples(random, tuning, known, tagsASide);
  return fitNetwork(random, halfOfAll(weights, tags));
}

function halfOfAll(weights, samples) {
  return samples.map(({ text, label }) => ({
    evidence: evidenceOf(weights, text).evidence,
    label,
    weight: 1 / samples.length,
  }));
}

function scored(model, tuning, names, { generators }) {
  const kinds = { generators: { ...tuningGenerators, ...earlierTuning, ...generators } };
  const machines = inSmallLetters(machineSamples(seededRandom(97), kinds, names, machinesTuned));
  return [...people(tuning), ...machines].map((sample) => ({ ...sample, ...rawScore(model, sample.text) }));
}

const people = (accounts) => accounts.map(({ account }) => ({ text: account, label: 1 }));

/** As accounts are. */
function inSmallLetters(samples) {
  return samples.map((sample) => ({ ...sample, text: sample.text.toLowerCase() }));
}
