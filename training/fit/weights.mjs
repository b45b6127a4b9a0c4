// Logistic regression over hashed features, the evidence that its weights give, and its calibration.
import { compiled } from './engine-source.mjs';

const { liftForDigits, lastRead, maxFeatures, readFeatures, spanCount, evidenceSize, logOddsOf, readEvidence } =
  await import(await compiled('features.ts', 'evidence.ts'));
const { firstLong, longWeights, tableSize } = await import(await compiled('feature-index.ts'));
const told = new Int32Array(maxFeatures);
/** Every slot by its own number, for training. */
const slots = Uint32Array.from({ length: firstLong }, (_, slot) => slot);

const rate = 0.12;
const decay = 2e-4;
const settled = 0.02;
/** The least weight of a long n-gram or word. */
const leastLong = -0.3;
/** How strongly the line of a span of letters is held by that of all names. */
const pullToAll = 3e-3;
/** In the last round the weights are averaged, taken so many steps apart, so that the last names seen count no more than others. */
const averagedEvery = 20_000;
/** Weights are stored in one byte: 127 stands for this. */
const largestWeight = 3;

/** Fits by AdaGrad, with five of eight features left out at each step so that no single n-gram is trusted alone. */
export function train(random, samples, epochs, { marks, others }) {
  const { offsets, all } = featureLists(samples, ({ label }) => (label === 1 ? others : marks));
  const weights = new Float32Array(tableSize);
  // Long n-grams and words are rare, so each sight of one counts for more.
  const squares = new Float32Array(tableSize).fill(1).fill(0.3, firstLong);
  const kept = new Uint32Array(maxFeatures);
  const order = Uint32Array.from(samples.keys());
  const average = new Float32Array(tableSize);
  let bias = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(random, order);
    const last = epoch === epochs - 1;
    for (const [step, index] of order.entries()) {
      if (last && step % averagedEvery === 0)
        for (let slot = 0; slot < tableSize; slot++) average[slot] += weights[slot];
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
      // What it knows already teaches nothing more, and takes most of the time.
      if (Math.abs(error) < settled) continue;
      bias -= 0.001 * error;
      for (let at = 0; at < count; at++) {
        const slot = kept[at];
        const gradient = error + decay * weights[slot];
        squares[slot] += gradient * gradient;
        const moved = weights[slot] - (rate * gradient) / Math.sqrt(squares[slot]);
        // Long n-grams mostly speak for a name: one that machines made here may be of a language that no corpus has.
        weights[slot] = slot >= firstLong && moved < leastLong ? leastLong : moved;
      }
    }
  }
  const times = Math.ceil(samples.length / averagedEvery);
  const weightAt = (slot) => inOneByte(average[slot] / times);
  return {
    table: Int8Array.from({ length: firstLong }, (_, slot) => weightAt(slot)),
    lexicon: marks.map((mark, slot) => (mark === 0 ? 0 : mark | (inFourBits(weightAt(firstLong + slot)) << 12))),
  };
}

function featureLists(samples, marksFor) {
  const offsets = new Uint32Array(samples.length + 1);
  let all = new Uint32Array(samples.length * 64);
  samples.forEach((sample, index) => {
    const count = readFeatures(sample.text, { short: slots, lexicon: marksFor(sample), training: true }, told);
    const start = offsets[index];
    if (start + count > all.length) all = grown(all);
    for (let at = 0; at < count; at++) all[start + at] = told[at];
    offsets[index + 1] = start + count;
  });
  return { offsets, all };
}

function grown(list) {
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

/** The nearest weight that four bits can stand for. */
function inFourBits(weight) {
  let nearest = 0;
  for (const [bits, one] of longWeights.entries())
    if (Math.abs(one - weight) < Math.abs(longWeights[nearest] - weight)) nearest = bits;
  return nearest;
}

function inOneByte(weight) {
  return Math.round((127 * Math.max(-largestWeight, Math.min(largestWeight, weight))) / largestWeight);
}

/** What the weights say of a text, kind by kind, and the span of letters whose line calibrates it. */
export function evidenceOf({ table, lexicon }, text) {
  const evidence = new Float64Array(evidenceSize);
  readEvidence(told, readFeatures(text, { short: table, lexicon, training: false }, told), evidence);
  return { evidence, span: lastRead.span };
}

/** Log-odds before calibration, that span, and what is added after calibration. */
export function rawScore(model, text) {
  const { evidence, span } = evidenceOf(model, text);
  return { raw: logOddsOf(evidence, model.network), span, benefit: liftForDigits() };
}

export function sigmoid(value) {
  return 1 / (1 + Math.exp(-value));
}

/**
 * Platt scaling where this share is machine-made: a line for each span of letters, probability = sigmoid(slope · raw + offset). The
 * line of a span is drawn to that of all, the more so the fewer names it has.
 */
export function plattScaling(scored, machineShare) {
  const people = scored.filter(({ label }) => label === 1).length;
  const weights = [machineShare / (scored.length - people), (1 - machineShare) / people];
  // A flat line to begin with: from too steep a one, Newton's steps lead away.
  const all = plattLine(scored, weights, { slope: 0, offset: 0 }, 1e-9);
  return Array.from({ length: spanCount }, (_, span) =>
    plattLine(
      scored.filter((sample) => sample.span === span),
      weights,
      all,
      pullToAll,
    ),
  );
}

/** The best line by Newton's method, begun at another one and held by it. */
function plattLine(scored, weights, begun, pull) {
  let { slope, offset } = begun;
  for (let step = 0; step < 40; step++) {
    let [g0, g1] = [pull * (slope - begun.slope), pull * (offset - begun.offset)];
    let [h00, h01, h11] = [pull, 0, pull];
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
