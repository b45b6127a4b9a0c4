import { earlierTraining } from './earlier-kinds.mjs';
import { grammarKinds } from './grammars.mjs';
import { mixedKinds } from './mixed.mjs';
import { nearNames, trainingGenerators } from './negatives.mjs';
import { pronounceableKinds } from './pronounceable.mjs';
import { allNames } from './samples.mjs';

/** The kinds of machine-made names that the weights are trained against, and which of them get twice the share. */
export function trainingKinds(random, names) {
  const sayable = pronounceableKinds(allNames(names).filter((name) => name.length >= 4));
  return {
    generators: { ...trainingGenerators, ...sayable, ...earlierTraining, ...mixedKinds, ...grammarKinds(random) },
    doubled: [...nearNames, ...Object.keys(sayable), 'name with random text behind', 'name with random text before'],
  };
}
