// Trains the weights of the plausibility model; weigh.mjs then makes scores of what they say.
//   npm ci --ignore-scripts && node fetch-accounts.mjs FOLDER      once
//   ACCOUNTS=FOLDER node train.mjs                                 writes src/engine/data/plausibility.bin
//   ACCOUNTS=FOLDER node weigh.mjs --write                         and completes it
// The same seed, corpora and accounts give the same bytes. SAMPLES (a side) and EPOCHS make it quicker for experiments. What is kept aside (kept-aside.mjs) is not read here.
import { readAccounts } from './accounts/files.mjs';
import { nameCorpora, nativeNames, otherVocabularies, wordCorpora } from './corpora.mjs';
import { knownMarks } from './lexicon.mjs';
import { train } from './model.mjs';
import { writeModel } from './model-file.mjs';
import { seededRandom } from './random.mjs';
import { accountSamples, allNames, bareNames, machineSamples, peopleSamples } from './samples.mjs';
import { trainingKinds } from './training-kinds.mjs';

const perSide = Number(process.env.SAMPLES ?? 800_000);
const epochs = Number(process.env.EPOCHS ?? 2);
/** Of people's samples, how many are accounts as they are; the others are made of names and words. */
const accountShare = 0.5;
const wordsKnown = 12_000;

const names = nameCorpora();
const { training } = readAccounts(process.env.ACCOUNTS);
console.log(`wrote ${writeModel(fit())} bytes`);

function fit() {
  const random = seededRandom(11);
  const real = Math.round(perSide * accountShare);
  const words = wordCorpora();
  const sources = { corpora: names, words, otherWords: otherVocabularies, natives: nativeNames() };
  const machines = trainingKinds(random, names);
  return train(
    random,
    [
      ...peopleSamples(random, sources, perSide - real),
      ...accountSamples(random, training, real),
      // Ours are the common names of their languages.
      ...bareNames(names.own),
      ...machineSamples(random, machines, names, perSide),
    ],
    epochs,
    knownMarks([...accountTexts(), ...nameTexts(), ...wordTexts(random, words)]),
  );
}

function accountTexts() {
  return training.map(({ account }) => ({ text: account, parts: 1, whole: 1 }));
}

/** Each name once a list of names: two lists that agree make a name known. */
function nameTexts() {
  return Object.values(names).flatMap((corpus) =>
    [...new Set(allNames({ corpus }))].map((text) => ({ text, parts: 1, whole: 2 })),
  );
}

/** As many words of each dictionary as make handles, and all of the short lists, which hold common ones. */
function wordTexts(random, words) {
  const some = Object.values(words).flatMap((list) => Array.from({ length: wordsKnown }, () => random.pick(list)));
  return [...some, ...otherVocabularies.flat()].map((text) => ({ text, parts: 1, whole: 1 }));
}
