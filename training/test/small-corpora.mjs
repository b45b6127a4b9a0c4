import { ownNames } from '../corpora/own-names.mjs';
import { ownVocabularies } from '../corpora/own-words.mjs';

/** Corpora from our own lists, in the form of `readCorpora`, so that tests need no package of names. */
export function smallCorpora() {
  const own = Object.fromEntries(
    Object.entries(ownNames).map(([group, names]) => [group, { given: names, family: names }]),
  );
  const [english, french, spanish, german] = ownVocabularies;
  return {
    names: { own, again: own },
    words: { english, french, spanish, german },
    natives: ['иван', 'мария', 'ελένη'],
  };
}
