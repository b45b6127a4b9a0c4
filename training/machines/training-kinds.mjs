import { allNames, commonNames } from '../fit/samples.mjs';
import { nearNames, trainingGenerators } from './basic-kinds.mjs';
import { developmentFormats, laterFormats } from './mail-system-formats.mjs';
import { mixedKinds } from './names-with-random-text.mjs';
import { pronounceableKinds } from './pronounceable-kinds.mjs';
import { robotKinds } from './published-generators.mjs';
import { drawnKinds } from './sampled-kinds.mjs';
import { earlierTraining } from './service-mailboxes.mjs';
import { signUpFamilies } from './sign-up-kinds.mjs';
import { grammarKinds } from './syllable-grammars.mjs';

/** What earlier models were tested on: kind → (random, name) → local part. */
export const testedKinds = {
  ...developmentFormats,
  ...laterFormats,
  ...robotKinds,
  ...Object.assign({}, ...Object.values(signUpFamilies)),
};

/** What bored hands type is short, and little of it is like anything else. */
const bored = ['throw-away', 'throw-away', 'idle digits', 'keyboard run'];

/** What stands beside a word that people use is easily overlooked. */
const besideWords = ['drawn: names with text', 'drawn: times', 'drawn: heads with a number or text'];

/** What comes nearest to people, most of all where a name that everybody knows is in it. */
const nearest = [
  ...Array(3).fill('drawn: names with a tail'),
  ...Array(2).fill('drawn: names with a long number'),
  ...Array(2).fill('drawn: syllables with a number'),
  'drawn: aliases',
  'drawn: counted users',
  'drawn: short text',
];

/**
 * The kinds of machine-made names that the weights are trained against, and which of them get their share again. What mail systems write
 * is easily told, so that all their formats together count as four kinds.
 */
export function trainingKinds(random, names, tested = true) {
  const known = allNames(names).filter((name) => name.length >= 4);
  const sayable = pronounceableKinds(known);
  const formats = {
    'addresses that mail systems make': anyOf(developmentFormats),
    'addresses that mail systems make, too': anyOf(laterFormats),
    ...Object.fromEntries(Object.entries(signUpFamilies).map(([family, kinds]) => [family, anyOf(kinds)])),
  };
  return {
    generators: {
      ...trainingGenerators,
      ...sayable,
      ...earlierTraining,
      ...mixedKinds,
      ...grammarKinds(random),
      ...drawnKinds(random, known, commonNames(names)),
      ...(tested ? { ...formats, ...robotKinds } : {}),
    },
    again: [
      ...nearNames,
      ...Object.keys(sayable),
      ...(tested ? Object.keys(formats) : []),
      ...bored,
      'name with random text behind',
      'name with random text before',
      ...besideWords,
      ...besideWords,
      ...nearest,
    ],
  };
}

function anyOf(kinds) {
  const makers = Object.values(kinds);
  return (random, name) => random.pick(makers)(random, name);
}
