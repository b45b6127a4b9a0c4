// Fits the model: the lexicon, one weight for each feature (logistic regression), and a calibration line for each length.
import { join } from 'node:path';
import { build } from 'esbuild';
import { allNames } from './corpora.mjs';
import { machineKinds } from './machines.mjs';
import { peopleGenerator, tagGenerator } from './people.mjs';
import { seededRandom, shuffled } from './random.mjs';

/** The engine's own reader of features (TypeScript), so that training reads a local part exactly as the program does. */
async function importEngine(...sources) {
  const contents = sources.map((source) => `export * from './${source}';`).join('\n');
  const resolveDir = join(import.meta.dirname, '../src/engine/plausibility');
  const options = { bundle: true, format: 'esm', write: false, platform: 'node' };
  const { outputFiles } = await build({ stdin: { contents, resolveDir, loader: 'ts' }, ...options });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
}

const engine = await importEngine('fold-to-ascii.ts', 'features.ts');
const { collapseNumbers, everyBit, foldToAscii, hashOf, lexiconSize, lineCount, maxNgramLength, minKnownLength } =
  engine;
const { isInLexicon, partValue, readFeatures, sumOf, tableSize, wordsIn } = engine;

export const modelName = 'mailvet-plausibility/10';
/** A fixed year, so that training is reproducible. */
const year = 2026;
/** N-grams and words in fewer names are not in the lexicon. */
const minNames = 3;
const maxEntries = 210_000;
const [rate, decay, learnedError] = [0.12, 2e-4, 0.02];
/** The weight that the byte 127 stands for. */
const maxWeight = 4;
/** Of the samples of people, this share is real; the others are generated. */
const accountShare = 0.75;
/** The score is a probability if this share of a list is machine-made. */
const machineShare = 0.18;
const [tagShare, tagLine] = [0.08, lineCount - 1];

export const defaultSizes = {
  samplesPerLabel: Number(process.env.SAMPLES ?? 250_000),
  epochs: 3,
  wordsPerLanguage: 12_000,
  calibration: 30_000,
};

/** Weights are fitted to the `training` accounts, and calibration to the `tuning` accounts. */
export function fitModel({ training, tuning }, corpora, sizes = defaultSizes) {
  const random = seededRandom(11);
  const kinds = Object.values(machineKinds(random, corpora));
  const shares = kinds.flatMap(({ share, make }) => Array(share).fill(make));
  const generated = peopleGenerator(random, corpora);
  const machine = () => random.pick(shares)(random);
  const tag = tagGenerator(random, corpora, training);
  const lexicon = buildLexicon(random, training, corpora, sizes.wordsPerLanguage);
  const person = () => (random.chance(accountShare) ? random.pick(training).account : generated());
  const pairs = (isTag, makePerson, count) =>
    Array.from({ length: count }, () => [
      { text: makePerson(), label: 1, isTag },
      { text: machine(), label: 0, isTag },
    ]).flat();
  const tags = Math.round(tagShare * sizes.samplesPerLabel);
  const samples = [...pairs(false, person, sizes.samplesPerLabel - tags), ...pairs(true, tag, tags)];
  const weights = fitWeights(random, samples, sizes.epochs, lexicon);
  const model = { name: modelName, weights, lexicon: lexicon.bits, lines: new Float64Array(2 * lineCount) };
  const tuned = pairs(false, () => random.pick(tuning).account, sizes.calibration);
  const scored = [...tuned, ...pairs(true, tag, sizes.calibration / 10)].map((sample) => ({
    ...sample,
    ...rawScore(model, sample),
  }));
  for (let line = 0; line < lineCount; line++) {
    const ofLine = scored.filter((sample) => sample.line === line);
    model.lines.set(plattLine(ofLine, line === tagLine ? 0.02 : machineShare), 2 * line);
  }
  return model;
}

/** The file that the program reads: the name, the lines, the weights and the lexicon. */
export function encodeModel({ name, lines, weights, lexicon }) {
  return Buffer.concat([
    Buffer.from(name.padEnd(32)),
    ...[lines, weights, lexicon].map(({ buffer }) => Buffer.from(buffer)),
  ]);
}

/**
 * The n-grams and words that at least three names share, as a Bloom filter and with their counts: training reads each text
 * as if it had not been counted itself.
 */
export function buildLexicon(random, training, corpora, wordsPerLanguage) {
  const counts = new Map();
  const add = (text, whole) => {
    const folded = foldToAscii(text);
    const count = (part, more) => counts.set(hashOf(part), (counts.get(hashOf(part)) ?? 0) + more);
    for (const word of new Set(wordsIn(folded))) count(`#${word}`, whole);
    for (const part of ngramsIn(folded)) count(part, 1);
  };
  for (const { account } of training) add(account, 1);
  for (const name of allNames(corpora)) add(name, 2);
  for (const town of [...corpora.towns, ...corpora.natives]) add(town, 1);
  for (const list of corpora.words) for (const word of shuffled(random, list).slice(0, wordsPerLanguage)) add(word, 1);
  const ranked = [...counts]
    .filter(([, names]) => names >= minNames)
    .sort(([one, some], [other, more]) => more - some || one - other);
  const bits = new Uint8Array(lexiconSize);
  const known = new Map(ranked.slice(0, maxEntries));
  for (const hash of known.keys())
    everyBit(hash, (byte, mask) => {
      bits[byte] |= mask;
      return true;
    });
  console.log(`${counts.size} long n-grams and words, ${ranked.length} shared, ${known.size} known`);
  return { bits, known };
}

function ngramsIn(folded) {
  const text = collapseNumbers(folded);
  const parts = new Set();
  for (let start = 0; start < text.length; start++)
    for (let length = minKnownLength; length <= maxNgramLength; length++) {
      const part = text.slice(start, start + length);
      if (part.length === length && !part.slice(1, -1).includes('.')) parts.add(part);
    }
  return parts;
}

/** AdaGrad with feature dropout of 5/8, so that no single n-gram decides; the weights of the last epoch are averaged. */
function fitWeights(random, samples, epochs, { known }) {
  const offsets = new Uint32Array(samples.length + 1);
  const partCounts = new Uint16Array(samples.length);
  let all = new Uint32Array(samples.length * 64);
  for (const [index, { text, isTag = false, label }] of samples.entries()) {
    const least = label === 1 ? minNames : minNames - 1;
    const { parts, others } = readFeatures(text, isTag, (hash) => (known.get(hash) ?? 0) > least, year);
    partCounts[index] = parts.length;
    const indexes = [...parts, ...others];
    if (offsets[index] + indexes.length > all.length)
      all = Uint32Array.from({ length: all.length * 1.5 }, (_, at) => all[at] ?? 0);
    all.set(indexes, offsets[index]);
    offsets[index + 1] = offsets[index] + indexes.length;
  }
  const [weights, average, squared] = [
    new Float32Array(tableSize),
    new Float32Array(tableSize),
    new Float32Array(tableSize).fill(0.5),
  ];
  let [bias, averaged] = [0, 0];
  const interval = Math.ceil(samples.length / 40);
  const kept = [];
  for (let epoch = 0; epoch < epochs; epoch++)
    for (const [step, index] of shuffled(random, Array.from(samples.keys())).entries()) {
      if (epoch === epochs - 1 && step % interval === interval - 1) {
        for (let at = 0; at < tableSize; at++) average[at] += weights[at];
        averaged++;
      }
      const value = partValue(partCounts[index]);
      const partEnd = offsets[index] + partCounts[index];
      let sum = bias;
      let partsKept = 0;
      kept.length = 0;
      let mask = 0;
      for (let at = offsets[index]; at < offsets[index + 1]; at++) {
        if (((at - offsets[index]) & 31) === 0) mask = random.bits() & (random.bits() | random.bits());
        if (((mask >>> (at & 31)) & 1) === 0) continue;
        sum += weights[all[at]] * (at < partEnd ? value : 1);
        kept.push(all[at]);
        if (at < partEnd) partsKept++;
      }
      const error = 1 / (1 + Math.exp(-sum)) - samples[index].label;
      if (Math.abs(error) < learnedError) continue;
      bias -= 0.001 * error;
      for (const [at, slot] of kept.entries()) {
        const gradient = error * (at < partsKept ? value : 1) + decay * weights[slot];
        squared[slot] += gradient * gradient;
        weights[slot] -= (rate * gradient) / Math.sqrt(squared[slot]);
      }
    }
  return Int8Array.from(average, (sum) =>
    Math.round((127 * Math.max(-maxWeight, Math.min(maxWeight, sum / averaged))) / maxWeight),
  );
}

export function rawScore({ weights, lexicon }, { text, isTag = false }) {
  const features = readFeatures(text, isTag, (hash) => isInLexicon(lexicon, hash), year);
  return { line: features.line, raw: sumOf(weights, features) };
}

/** Platt scaling by Newton's method: slope and offset of probability = sigmoid(slope · raw + offset). */
function plattLine(scored, share) {
  const people = scored.filter(({ label }) => label === 1).length;
  const sampleWeights = [share / Math.max(1, scored.length - people), (1 - share) / Math.max(1, people)];
  let [slope, offset] = [0, 0];
  for (let step = 0; step < 40; step++) {
    let [g0, g1, h00, h01, h11] = [1e-9 * slope, 1e-9 * offset, 1e-9, 0, 1e-9];
    for (const { raw, label } of scored) {
      const probability = 1 / (1 + Math.exp(-(slope * raw + offset)));
      const curve = sampleWeights[label] * probability * (1 - probability);
      const error = sampleWeights[label] * (probability - label);
      g0 += error * raw;
      g1 += error;
      h00 += curve * raw * raw;
      h01 += curve * raw;
      h11 += curve;
    }
    const determinant = h00 * h11 - h01 * h01;
    slope -= (h11 * g0 - h01 * g1) / determinant;
    offset -= (h00 * g1 - h01 * g0) / determinant;
  }
  return [slope, offset];
}
