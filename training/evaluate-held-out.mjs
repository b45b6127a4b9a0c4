// How a model made like the shipped one does on what it was not made from: ACCOUNTS=FOLDER node evaluate-held-out.mjs [FAMILY]
// Left out of training are the sources of people and the kinds of machine-made names of earlier tests; and a family of drawn kinds, by
// the beginning of its name, which is then tested, too: node evaluate-held-out.mjs 'drawn: keys'
import { readDevelopment } from './accounts/files.mjs';
import { nameCorpora } from './corpora/corpora.mjs';
import { peopleHalf } from './evaluation/account-groups.mjs';
import { printReport } from './evaluation/report.mjs';
import { fitModel } from './fit/fit-model.mjs';
import { allNames } from './fit/samples.mjs';
import { rawScore, sigmoid } from './fit/weights.mjs';
import { testedKinds, trainingKinds } from './machines/training-kinds.mjs';
import { seededRandom } from './random.mjs';

const ofEach = 300;
const family = process.argv[2];
const random = seededRandom(11);
const names = nameCorpora();
const { aside, ...accounts } = readDevelopment(process.env.ACCOUNTS);
const { generators, again } = trainingKinds(random, names, false);
const left = Object.keys(generators).filter((kind) => family !== undefined && kind.startsWith(family));
const others = Object.fromEntries(Object.entries(generators).filter(([kind]) => !left.includes(kind)));
const model = fitModel(random, accounts, names, { generators: others, again });

const tested = { ...testedKinds, ...Object.fromEntries(left.map((kind) => [kind, generators[kind]])) };
const long = allNames(names).filter((name) => name.length >= 5);
const drawn = seededRandom(2028);
const machines = Object.entries(tested).flatMap(([kind, make]) =>
  Array.from({ length: ofEach }, () => ({
    text: make(drawn, drawn.pick(long)).toLowerCase(),
    label: 0,
    groups: [kind],
  })),
);
printReport(
  'people of sources left out, against kinds left out',
  [...peopleHalf(aside), ...machines].map((sample) => ({ ...sample, probability: probabilityOf(sample.text) })),
);

function probabilityOf(text) {
  const { raw, span, benefit } = rawScore(model, text);
  const { slope, offset } = model.lines[span];
  return sigmoid(slope * raw + offset + benefit);
}
