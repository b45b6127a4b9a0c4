import { allNames, commonNames } from '../fit/samples.mjs';
import { basicKinds, doubledBasicKinds } from './basic-kinds.mjs';
import { mailServiceFormats, mailSystemFormats } from './mail-system-formats.mjs';
import { namesWithRandomText } from './names-with-random-text.mjs';
import { pronounceableKinds } from './pronounceable-kinds.mjs';
import { publishedGenerators } from './published-generators.mjs';
import { sampledKinds } from './sampled-kinds.mjs';
import { serviceMailboxes } from './service-mailboxes.mjs';
import { signUpKinds } from './sign-up-kinds.mjs';
import { syllableGrammarKinds } from './syllable-grammars.mjs';

/** Test sets of earlier models: kind → (random, name) → local part. */
export const previouslyTestedKinds = {
  ...mailSystemFormats,
  ...mailServiceFormats,
  ...publishedGenerators,
  ...Object.assign({}, ...Object.values(signUpKinds)),
};

/** Random typing is short, and resembles no other kind. */
const randomTyping = ['placeholder words', 'placeholder words', 'idle digits', 'keyboard run'];

/** Generated text next to an ordinary word is hard to detect. */
const nextToWords = ['sampled: names with text', 'sampled: timestamps', 'sampled: prefixes with a number or text'];

/** Kinds closest to people: those that contain a common name. */
const closestToPeople = [
  ...Array(3).fill('sampled: names with a tail'),
  ...Array(2).fill('sampled: names with a long number'),
  ...Array(2).fill('sampled: syllables with a number'),
  'sampled: aliases',
  'sampled: numbered users',
  'sampled: short text',
];

/** Kinds of machine-made names for training, and which of them get another share. Formats of mail systems are easy and count as a few kinds. */
export function trainingKinds(random, { names, words }, includeTested = true) {
  const known = allNames(names).filter((name) => name.length >= 4);
  const pronounceable = pronounceableKinds(known, words);
  const formats = {
    'mail system formats': anyOf(mailSystemFormats),
    'mail service formats': anyOf(mailServiceFormats),
    ...Object.fromEntries(Object.entries(signUpKinds).map(([family, kinds]) => [family, anyOf(kinds)])),
  };
  return {
    generators: {
      ...basicKinds,
      ...pronounceable,
      ...serviceMailboxes,
      ...namesWithRandomText,
      ...syllableGrammarKinds(random),
      ...sampledKinds(random, { names: known, common: commonNames(names), words }),
      ...(includeTested ? { ...formats, ...publishedGenerators } : {}),
    },
    again: [
      ...doubledBasicKinds,
      ...Object.keys(pronounceable),
      ...(includeTested ? Object.keys(formats) : []),
      ...randomTyping,
      'name with random text after',
      'name with random text before',
      ...nextToWords,
      ...nextToWords,
      ...closestToPeople,
    ],
  };
}

function anyOf(kinds) {
  const makers = Object.values(kinds);
  return (random, name) => random.pick(makers)(random, name);
}
