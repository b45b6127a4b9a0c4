// A network with a few hidden units over sums of weights. It weighs kinds of features and cannot memorize names.
import { importEngine } from './engine-source.mjs';
import { sigmoid } from './weights.mjs';

const { inputCount, hiddenUnits, weightSumCount } = await importEngine('network.ts');

const batch = 32;
const rate = 1e-2;
const decay = 1e-5;
const [beta1, beta2] = [0.9, 0.999];
const columns = hiddenUnits + 1;
const outputStart = (inputCount + 1) * columns;

/** Typical magnitude of each input: a sum of weights, or a number of letters, digits or words. */
const inputScale = Float64Array.from({ length: inputCount }, (_, input) => (input < weightSumCount ? 340 : 8));

/** Fits samples { inputs, label, weight }; the restart with the lowest loss wins. The layout is that of `forward`. */
export function fitNetwork(random, samples, { networkEpochs, restarts }) {
  const scale = samples.length / samples.reduce((sum, { weight }) => sum + weight, 0);
  const scaled = samples.map(({ inputs, label, weight }) => ({
    inputs: inputs.map((value, at) => value / inputScale[at]),
    label,
    weight: weight * scale,
  }));
  let best = { loss: Number.POSITIVE_INFINITY };
  for (let attempt = 0; attempt < restarts; attempt++) {
    const network = fitOnce(random, scaled, networkEpochs);
    const loss = lossOf(network, scaled);
    if (loss < best.loss) best = { loss, network };
  }
  return best.network.map((number, at) => {
    const input = Math.floor(at / columns) - 1;
    return Number((input >= 0 && at < outputStart ? number / inputScale[input] : number).toPrecision(5));
  });
}

/** Adam with a linearly decreasing rate. */
function fitOnce(random, samples, epochs) {
  const network = initialNetwork(random);
  const gradient = new Float64Array(network.length);
  const mean = new Float64Array(network.length);
  const square = new Float64Array(network.length);
  const steps = Math.ceil((samples.length * epochs) / batch);
  for (let step = 1; step <= steps; step++) {
    gradient.fill(0);
    for (let at = 0; at < batch; at++) addGradient(network, random.pick(samples), gradient);
    const slower = rate * (1 - step / (steps + 1));
    for (let at = 0; at < network.length; at++) {
      const slope = gradient[at] + batch * decay * network[at];
      mean[at] = beta1 * mean[at] + (1 - beta1) * slope;
      square[at] = beta2 * square[at] + (1 - beta2) * slope * slope;
      const scale = Math.sqrt(square[at] / (1 - beta2 ** step)) + 1e-8;
      network[at] -= (slower * mean[at]) / (1 - beta1 ** step) / scale;
    }
  }
  return network;
}

/** Mean cross-entropy in nats. */
function lossOf(network, samples) {
  let loss = 0;
  for (const { inputs, label, weight } of samples) {
    const probability = sigmoid(forward(network, inputs));
    loss -= weight * Math.log(Math.max(1e-9, label === 1 ? probability : 1 - probability));
  }
  return loss / samples.length;
}

/** Starts from the plain sum of all weights, with random hidden units. */
function initialNetwork(random) {
  const network = Float64Array.from({ length: outputStart + hiddenUnits }, () => (random.below(2000) / 1000 - 1) * 0.4);
  for (let input = -1; input < inputCount; input++)
    network[(input + 1) * columns] = input < 0 || input === 2 || input === 3 || input >= weightSumCount ? 0 : 4;
  return network;
}

const activations = new Float64Array(columns);
const errors = new Float64Array(columns);

/** The log-odds. Leaves the unit inputs in `activations`. */
function forward(network, inputs) {
  for (let column = 0; column < columns; column++) activations[column] = network[column];
  for (let input = 0, row = columns; input < inputCount; input++, row += columns) {
    const value = inputs[input];
    if (value === 0) continue;
    for (let column = 0; column < columns; column++) activations[column] += network[row + column] * value;
  }
  let logOdds = activations[0];
  for (let unit = 0; unit < hiddenUnits; unit++)
    logOdds += network[outputStart + unit] * Math.max(0, activations[unit + 1]);
  return logOdds;
}

function addGradient(network, { inputs, label, weight }, gradient) {
  const error = weight * (sigmoid(forward(network, inputs)) - label);
  errors[0] = error;
  for (let unit = 0; unit < hiddenUnits; unit++) {
    const activation = Math.max(0, activations[unit + 1]);
    gradient[outputStart + unit] += error * activation;
    errors[unit + 1] = activation > 0 ? error * network[outputStart + unit] : 0;
  }
  for (let column = 0; column < columns; column++) gradient[column] += errors[column];
  for (let input = 0, row = columns; input < inputCount; input++, row += columns) {
    const value = inputs[input];
    if (value === 0) continue;
    for (let column = 0; column < columns; column++) gradient[row + column] += errors[column] * value;
  }
}
