// Learns what to make of what the bundled model's weights say of a name, kind by kind, calibrates it on the tuning data and prints how it
// does there. The weights are as train.mjs wrote them.
//   ACCOUNTS=FOLDER node weigh.mjs             the report
//   ACCOUNTS=FOLDER node weigh.mjs --write     and completes src/engine/data/plausibility.bin
import { readAccounts } from './accounts/files.mjs';
import { nameCorpora } from './corpora.mjs';
import { earlierTuning } from './earlier-kinds.mjs';
import { evidenceOf, plattScaling, rawScore, sigmoid } from './model.mjs';
import { readModel, writeModel } from './model-file.mjs';
import { trainingGenerators } from './negatives.mjs';
import { fitNetwork } from './network.mjs';
import { seededRandom } from './random.mjs';
import { calibrationError, printReport } from './report.mjs';
import { machineSamples } from './samples.mjs';
import { trainingKinds } from './training-kinds.mjs';
import { tuningGenerators } from './tuning-kinds.mjs';

/** The score is a probability where one of these shares of a list is machine-made: that which serves clean and spoiled lists alike. */
const machineShares = [0.15, 0.2, 0.25, 0.3, 0.35];
const servedShares = [0.1, 0.5];
const machinesWeighed = 60_000;
const machinesTuned = 9_000;

/** Plain ones, which training sees, tune as well: most of what is machine-made is like them. */
const plainKinds = Object.fromEntries(
  ['random letters', 'random letters and digits', 'base64-like', 'hex', 'random with a number'].map((kind) => [
    kind,
    trainingGenerators[kind],
  ]),
);

const names = nameCorpora();
const { tuning } = readAccounts(process.env.ACCOUNTS);
const weights = readModel();
const model = { ...weights, network: weighed() };
const tuned = tuningSamples();
const lines = bestCalibration();
printReport(
  'tuning data: people, and machine-made names of kinds that the weights were not trained on',
  calibrated(lines),
);
if (process.argv.includes('--write')) console.log(`\nwrote ${writeModel({ ...model, lines })} bytes`);

/**
 * The network, fitted to accounts that the weights were not made from and to all kinds of machine-made names but those to test by.
 * People and machines count the same in all.
 */
function weighed() {
  const random = seededRandom(11);
  const { generators, doubled } = trainingKinds(random, names);
  const kinds = { generators: { ...generators, ...tuningGenerators, ...earlierTuning }, doubled };
  const machines = inSmallLetters(machineSamples(random, kinds, names, machinesWeighed));
  const people = tuning.map(({ account }) => ({ text: account, label: 1 }));
  return fitNetwork(random, [...halfOfAll(people), ...halfOfAll(machines)]);
}

function halfOfAll(samples) {
  return samples.map(({ text, label }) => ({
    evidence: evidenceOf(weights, text).evidence,
    label,
    weight: 1 / samples.length,
  }));
}

/** As accounts are. */
function inSmallLetters(samples) {
  return samples.map((sample) => ({ ...sample, text: sample.text.toLowerCase() }));
}

function tuningSamples() {
  const people = tuning.map(({ account, shape, source }) => ({ text: account, label: 1, groups: [shape, source] }));
  const generators = { ...tuningGenerators, ...earlierTuning, ...plainKinds };
  const machines = machineSamples(seededRandom(97), { generators }, names, machinesTuned);
  const grouped = inSmallLetters(machines).map((sample) => ({ ...sample, groups: [sample.group] }));
  return [...people, ...grouped].map((sample) => ({ ...sample, ...rawScore(model, sample.text) }));
}

function calibrated(drawn) {
  return tuned.map((sample) => {
    const { slope, offset } = drawn[sample.span];
    return { ...sample, probability: sigmoid(slope * sample.raw + offset) };
  });
}

/** The lines that are least far off where they are farthest off. */
function bestCalibration() {
  const choices = machineShares.map((share) => {
    const drawn = plattScaling(tuned, share);
    const errors = servedShares.map((served) => calibrationError(calibrated(drawn), served));
    console.log(`calibrated for ${share} machine-made: ${errors.map((error) => error.toFixed(4)).join(', ')}`);
    return { drawn, worst: Math.max(...errors) };
  });
  return choices.reduce((best, choice) => (choice.worst < best.worst ? choice : best)).drawn;
}
