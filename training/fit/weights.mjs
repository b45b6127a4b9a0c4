// Logistic regression over hashed features, and its calibration.
import { importEngine } from './engine-source.mjs';

const { liftForDigits, lastSummary, maxFeatures, readFeatures, lengthBucketCount, inputCount, forward, readInputs } =
  await importEngine('features.ts', 'network.ts');
const { lexiconOffset, quantizedWeights, featureCount } = await importEngine('feature-table.ts');
const featureBuffer = new Int32Array(maxFeatures);
/** A fixed year, so that training is reproducible. */
const clock = { now: () => Date.UTC(2026, 6) };
/** Feature indexes in place of weights, so that reading features yields indexes. */
const slots = Uint32Array.from({ length: lexiconOffset }, (_, slot) => slot);

const rate = 0.12;
const decay = 2e-4;
const learnedError = 0.02;
/** Lower bound for the weight of a long n-gram or word. */
const minLexiconWeight = -0.3;
/** Strength of the penalty that pulls the line of a length bucket toward the common line. */
const pooling = 3e-3;
/** Steps between the snapshots that are averaged in the last epoch. */
const averagingInterval = 20_000;
/** The weight that the byte 127 stands for. */
const maxWeight = 3;

/** AdaGrad with feature dropout of 5/8, so that no single n-gram decides. */
export function fitLogisticWeights(random, samples, epochs, { fingerprints, leaveOneOutFingerprints }) {
  const { offsets, all } = featureLists(samples, ({ label }) => (label === 1 ? leaveOneOutFingerprints : fingerprints));
  const weights = new Float32Array(featureCount);
  // Long n-grams and words are rare: a smaller start value makes their first steps larger.
  const squaredGradients = new Float32Array(featureCount).fill(1).fill(0.3, lexiconOffset);
  const kept = new Uint32Array(maxFeatures);
  const order = Uint32Array.from(samples.keys());
  const average = new Float32Array(featureCount);
  let bias = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(random, order);
    const last = epoch === epochs - 1;
    for (const [step, index] of order.entries()) {
      if (last && step % averagingInterval === 0)
        for (let slot = 0; slot < featureCount; slot++) average[slot] += weights[slot];
      let sum = bias;
      let count = 0;
      let mask = 0;
      for (let at = offsets[index]; at < offsets[index + 1]; at++) {
        if ((at & 31) === 0 || count === 0) mask = random.bits() & (random.bits() | random.bits());
        if (((mask >>> (at & 31)) & 1) === 0) continue;
        sum += weights[all[at]];
        kept[count++] = all[at];
      }
      const error = sigmoid(sum) - samples[index].label;
      // Samples that are already right take most of the time and teach little.
      if (Math.abs(error) < learnedError) continue;
      bias -= 0.001 * error;
      for (let at = 0; at < count; at++) {
        const slot = kept[at];
        const gradient = error + decay * weights[slot];
        squaredGradients[slot] += gradient * gradient;
        const moved = weights[slot] - (rate * gradient) / Math.sqrt(squaredGradients[slot]);
        // A long n-gram that only machines made here may belong to a language that no corpus covers.
        weights[slot] = slot >= lexiconOffset && moved < minLexiconWeight ? minLexiconWeight : moved;
      }
    }
  }
  const times = Math.ceil(samples.length / averagingInterval);
  const weightAt = (slot) => quantizeTo8Bits(average[slot] / times);
  return {
    table: Int8Array.from({ length: lexiconOffset }, (_, slot) => weightAt(slot)),
    lexicon: fingerprints.map((fingerprint, slot) =>
      fingerprint === 0 ? 0 : fingerprint | (quantizeTo4Bits(weightAt(lexiconOffset + slot)) << 12),
    ),
  };
}

function featureLists(samples, fingerprintsOf) {
  const offsets = new Uint32Array(samples.length + 1);
  let all = new Uint32Array(samples.length * 64);
  samples.forEach((sample, index) => {
    const count = readFeatures(
      sample.text,
      { weights: slots, lexicon: fingerprintsOf(sample), training: true },
      featureBuffer,
      clock,
    );
    const start = offsets[index];
    if (start + count > all.length) all = enlarge(all);
    for (let at = 0; at < count; at++) all[start + at] = featureBuffer[at];
    offsets[index + 1] = start + count;
  });
  return { offsets, all };
}

function enlarge(list) {
  const larger = new Uint32Array(list.length * 2);
  larger.set(list);
  return larger;
}

function shuffle(random, order) {
  for (let index = order.length - 1; index > 0; index--) {
    const other = random.below(index + 1);
    const moved = order[index];
    order[index] = order[other];
    order[other] = moved;
  }
}

function quantizeTo4Bits(weight) {
  let nearest = 0;
  for (const [bits, one] of quantizedWeights.entries())
    if (Math.abs(one - weight) < Math.abs(quantizedWeights[nearest] - weight)) nearest = bits;
  return nearest;
}

function quantizeTo8Bits(weight) {
  return Math.round((127 * Math.max(-maxWeight, Math.min(maxWeight, weight))) / maxWeight);
}

/** The sums of weights of a text by kind, and its length bucket, which selects the calibration line. */
export function networkInputs({ table, lexicon }, text) {
  const inputs = new Float64Array(inputCount);
  readInputs(
    featureBuffer,
    readFeatures(text, { weights: table, lexicon, training: false }, featureBuffer, clock),
    inputs,
  );
  return { inputs, lengthBucket: lastSummary.lengthBucket };
}

/** Log-odds before calibration, the length bucket, and what is added after calibration. */
export function rawScore(model, text) {
  const { inputs, lengthBucket } = networkInputs(model, text);
  return { raw: forward(inputs, model.network), lengthBucket, lift: liftForDigits() };
}

export function sigmoid(value) {
  return 1 / (1 + Math.exp(-value));
}

/**
 * Platt scaling for lists with this share of machine-made names: for each length bucket a line, probability =
 * sigmoid(slope · raw + offset). The penalty pulls lines with few names toward the common line.
 */
export function fitPlattLines(scored, machineShare) {
  const people = scored.filter(({ label }) => label === 1).length;
  const weights = [machineShare / (scored.length - people), (1 - machineShare) / people];
  // Start with a flat line: Newton's method diverges from a steep one.
  const all = plattLine(scored, weights, { slope: 0, offset: 0 }, 1e-9);
  return Array.from({ length: lengthBucketCount }, (_, lengthBucket) =>
    plattLine(
      scored.filter((sample) => sample.lengthBucket === lengthBucket),
      weights,
      all,
      pooling,
    ),
  );
}

/** Newton's method from `start`, with a penalty for the distance from it. */
function plattLine(scored, weights, start, penalty) {
  let { slope, offset } = start;
  for (let step = 0; step < 40; step++) {
    let [g0, g1] = [penalty * (slope - start.slope), penalty * (offset - start.offset)];
    let [h00, h01, h11] = [penalty, 0, penalty];
    for (const { raw, label } of scored) {
      const probability = sigmoid(slope * raw + offset);
      const curve = weights[label] * probability * (1 - probability);
      const error = weights[label] * (probability - label);
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
  return { slope, offset };
}
