// Fits a model without the sources and kinds of earlier tests, then scores these: ACCOUNTS=FOLDER node evaluate-held-out.mjs [FAMILY]
// FAMILY also holds out the kinds whose names start with that text, such as 'sampled: keyboards'.
import { readHeldOut } from './accounts/files.mjs';
import { readCorpora } from './corpora/corpora.mjs';
import { groupedAccountSamples } from './evaluation/account-groups.mjs';
import { printReport } from './evaluation/report.mjs';
import { fitModel } from './fit/fit-model.mjs';
import { allNames } from './fit/samples.mjs';
import { rawScore, sigmoid } from './fit/weights.mjs';
import { previouslyTestedKinds, trainingKinds } from './machines/training-kinds.mjs';
import { seededRandom } from './random.mjs';

const samplesPerKind = 300;
const family = process.argv[2];
const random = seededRandom(11);
const corpora = readCorpora();
const { heldOut, ...accounts } = readHeldOut(process.env.ACCOUNTS);
const { generators, again } = trainingKinds(random, corpora, false);
const heldOutKinds = Object.keys(generators).filter((kind) => family !== undefined && kind.startsWith(family));
const trainedKinds = Object.fromEntries(Object.entries(generators).filter(([kind]) => !heldOutKinds.includes(kind)));
const model = fitModel(random, accounts, corpora, { generators: trainedKinds, again });

const tested = {
  ...previouslyTestedKinds,
  ...Object.fromEntries(heldOutKinds.map((kind) => [kind, generators[kind]])),
};
const longNames = allNames(corpora.names).filter((name) => name.length >= 5);
const rng = seededRandom(2028);
const machines = Object.entries(tested).flatMap(([kind, make]) =>
  Array.from({ length: samplesPerKind }, () => ({
    text: make(rng, rng.pick(longNames)).toLowerCase(),
    label: 0,
    groups: [kind],
  })),
);
printReport(
  'held-out sources of people against held-out kinds',
  [...groupedAccountSamples(heldOut), ...machines].map((sample) => ({
    ...sample,
    probability: probabilityOf(sample.text),
  })),
);

function probabilityOf(text) {
  const { raw, lengthBucket, lift } = rawScore(model, text);
  const { slope, offset } = model.lines[lengthBucket];
  return sigmoid(slope * raw + offset + lift);
}
