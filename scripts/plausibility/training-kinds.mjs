import { developmentFormats, laterFormats } from './development-kinds.mjs';
import { drawnKinds } from './drawn-kinds.mjs';
import { earlierTraining } from './earlier-kinds.mjs';
import { grammarKinds } from './grammars.mjs';
import { mixedKinds } from './mixed.mjs';
import { nearNames, trainingGenerators } from './negatives.mjs';
import { pronounceableKinds } from './pronounceable.mjs';
import { robotKinds } from './robot-kinds.mjs';
import { allNames } from './samples.mjs';

/** What earlier models were tested on: kind → (random, name) → local part. */
export const testedKinds = { ...developmentFormats, ...laterFormats, ...robotKinds };

/** What bored hands type is short, and little of it is like anything else. */
const bored = ['throw-away', 'throw-away', 'idle digits', 'keyboard run'];

/**
 * The kinds of machine-made names that the weights are trained against, and which of them get their share again. What mail systems write
 * is easily told, so that all their formats together count as four kinds.
 */
export function trainingKinds(random, names, tested = true) {
  const sayable = pronounceableKinds(allNames(names).filter((name) => name.length >= 4));
  const formats = {
    'addresses that mail systems make': anyOf(developmentFormats),
    'addresses that mail systems make, too': anyOf(laterFormats),
  };
  return {
    generators: {
      ...trainingGenerators,
      ...sayable,
      ...earlierTraining,
      ...mixedKinds,
      ...grammarKinds(random),
      ...drawnKinds(random),
      ...(tested ? { ...formats, ...robotKinds } : {}),
    },
    again: [
      ...nearNames,
      ...Object.keys(sayable),
      ...(tested ? Object.keys(formats) : []),
      ...bored,
      'name with random text behind',
      'name with random text before',
    ],
  };
}

function anyOf(kinds) {
  const makers = Object.values(kinds);
  return (random, name) => random.pick(makers)(random, name);
}
