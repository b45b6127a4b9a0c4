// The network over what the weights of a name say: a few units, since it has to weigh kinds of evidence, not to remember names.
import { compiled } from './engine-source.mjs';
import { sigmoid } from './weights.mjs';

const { evidenceSize, unitCount, weightSums } = await import(await compiled('evidence.ts'));

const rounds = 40;
const batch = 32;
const rate = 1e-2;
const decay = 1e-5;
const [steady, steadier] = [0.9, 0.999];
const columns = unitCount + 1;
const loudness = (evidenceSize + 1) * columns;

/** What is about one in evidence: this much of a sum of weights, and so many letters, digits or words. */
const usual = Float64Array.from({ length: evidenceSize }, (_, input) => (input < weightSums ? 340 : 8));

/** How many times it is fitted, each time from another beginning: where it begins decides where it ends up. */
const tries = Number(process.env.TRIES ?? 3);

/** The best of several fits to samples { evidence, label, weight }, however large their weights are in all, as `logOddsOf` reads it. */
export function fitNetwork(random, samples) {
  const even = samples.length / samples.reduce((sum, { weight }) => sum + weight, 0);
  const scaled = samples.map(({ evidence, label, weight }) => ({
    evidence: evidence.map((told, at) => told / usual[at]),
    label,
    weight: weight * even,
  }));
  let best = { loss: Number.POSITIVE_INFINITY };
  for (let fit = 0; fit < tries; fit++) {
    const network = fitOnce(random, scaled);
    const loss = lossOf(network, scaled);
    if (loss < best.loss) best = { loss, network };
  }
  return best.network.map((number, at) => {
    const input = Math.floor(at / columns) - 1;
    return Number((input >= 0 && at < loudness ? number / usual[input] : number).toPrecision(5));
  });
}

/** By Adam. */
function fitOnce(random, samples) {
  const network = beginning(random);
  const gradient = new Float64Array(network.length);
  const mean = new Float64Array(network.length);
  const square = new Float64Array(network.length);
  const steps = Math.ceil((samples.length * rounds) / batch);
  for (let step = 1; step <= steps; step++) {
    gradient.fill(0);
    for (let at = 0; at < batch; at++) addGradient(network, random.pick(samples), gradient);
    const slower = rate * (1 - step / (steps + 1));
    for (let at = 0; at < network.length; at++) {
      const slope = gradient[at] + batch * decay * network[at];
      mean[at] = steady * mean[at] + (1 - steady) * slope;
      square[at] = steadier * square[at] + (1 - steadier) * slope * slope;
      const scale = Math.sqrt(square[at] / (1 - steadier ** step)) + 1e-8;
      network[at] -= (slower * mean[at]) / (1 - steady ** step) / scale;
    }
  }
  return network;
}

/** The mean of what each sample is off by, in nats. */
function lossOf(network, samples) {
  let loss = 0;
  for (const { evidence, label, weight } of samples) {
    const probability = sigmoid(excite(network, evidence));
    loss -= weight * Math.log(Math.max(1e-9, label === 1 ? probability : 1 - probability));
  }
  return loss / samples.length;
}

/** The sum of all weights as it is, and units that begin as chance has it. */
function beginning(random) {
  const network = Float64Array.from({ length: loudness + unitCount }, () => (random.below(2000) / 1000 - 1) * 0.4);
  for (let input = -1; input < evidenceSize; input++)
    network[(input + 1) * columns] = input < 0 || input === 2 || input === 3 || input >= weightSums ? 0 : 4;
  return network;
}

const excited = new Float64Array(columns);
const inner = new Float64Array(columns);

/** The log-odds; what each unit says stays in `excited`. */
function excite(network, evidence) {
  for (let column = 0; column < columns; column++) excited[column] = network[column];
  for (let input = 0, row = columns; input < evidenceSize; input++, row += columns) {
    const told = evidence[input];
    if (told === 0) continue;
    for (let column = 0; column < columns; column++) excited[column] += network[row + column] * told;
  }
  let logOdds = excited[0];
  for (let unit = 0; unit < unitCount; unit++) logOdds += network[loudness + unit] * Math.max(0, excited[unit + 1]);
  return logOdds;
}

function addGradient(network, { evidence, label, weight }, gradient) {
  const error = weight * (sigmoid(excite(network, evidence)) - label);
  inner[0] = error;
  for (let unit = 0; unit < unitCount; unit++) {
    const said = Math.max(0, excited[unit + 1]);
    gradient[loudness + unit] += error * said;
    inner[unit + 1] = said > 0 ? error * network[loudness + unit] : 0;
  }
  for (let column = 0; column < columns; column++) gradient[column] += inner[column];
  for (let input = 0, row = columns; input < evidenceSize; input++, row += columns) {
    const told = evidence[input];
    if (told === 0) continue;
    for (let column = 0; column < columns; column++) gradient[row + column] += inner[column] * told;
  }
}
