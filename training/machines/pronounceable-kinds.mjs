// Pronounceable machine-made names: letters and syllables follow each other as in real words.

import { ownVocabularies } from '../corpora/own-words.mjs';
import { joined } from './random-text.mjs';

const sounds = 'aeiouy';
const end = '$';

/** A Markov chain of this order over the letters of the given words. */
function chain(words, order) {
  const followers = new Map();
  for (const word of words) {
    const text = `${'^'.repeat(order)}${word}${end}`;
    for (let at = order; at < text.length; at++) {
      const before = text.slice(at - order, at);
      const known = followers.get(before);
      if (known === undefined) followers.set(before, [text[at]]);
      else known.push(text[at]);
    }
  }
  return (random, shortest, longest) => {
    let text = '^'.repeat(order);
    while (text.length < longest + order) {
      const next = random.pick(followers.get(text.slice(-order)) ?? [end]);
      if (next !== end) text += next;
      else if (text.length >= shortest + order) break;
      else text = '^'.repeat(order);
    }
    return text.slice(order);
  };
}

const wordsForAChain = 20_000;
const plain = (word) => /^[a-z]{4,}$/.test(word);
const thinned = (words) => {
  const every = Math.max(1, Math.floor(words.length / wordsForAChain));
  return words.filter((word, at) => at % every === 0 && plain(word));
};

/** Kind → (random, name) → local part. Letters and syllables are taken from `names`. */
export function pronounceableKinds(names, { english, ...others }) {
  const foreign = [...ownVocabularies, ...Object.values(others)].flatMap((words) => thinned(words));
  const chains = {
    'letters after one other, English': chain(thinned(english), 1),
    'letters after two others, English': chain(thinned(english), 2),
    'letters after one other, names': chain(thinned(names), 1),
    'letters after two others, names': chain(thinned(names), 2),
    'letters after two others, many languages': chain(thinned(foreign), 2),
  };
  const makers = {
    ...chains,
    'syllables of several names': (random, shortest) => syllablesOfNames(random, names, shortest),
    'parts of syllables': (random, shortest) => partsOfSyllables(random, names, shortest),
  };
  const madeOfNames = Object.fromEntries(
    Object.entries(makers).map(([kind, make]) => [kind, (random) => alone(random, make)]),
  );
  return {
    ...madeOfNames,
    'vowel-first syllables': (random) => joined(random.between(3, 5), () => vowelFirst(random)),
    'pwgen passwords': pwgen,
    proquints: (random) => Array.from({ length: random.between(1, 2) }, () => proquint(random)).join('-'),
  };
}

/** One word, or two or three shorter ones with a separator. */
function alone(random, make) {
  if (!random.chance(0.25)) return make(random, 6, random.between(7, 12));
  const short = () => make(random, 3, random.between(4, 7)).slice(0, 7);
  return Array.from({ length: random.between(2, 3) }, short).join(random.pick('.-_'));
}

const syllablesIn = (name) => name.match(/[^aeiouy]*[aeiouy]+(?:[^aeiouy](?![aeiouy]))?/g) ?? [name];

function syllablesOfNames(random, names, shortest) {
  const length = random.between(shortest, shortest + 5);
  let text = '';
  while (text.length < length) text += random.pick(syllablesIn(random.pick(names)));
  return text.slice(0, 13);
}

/** Onset, nucleus and coda of each syllable come from different names. */
function partsOfSyllables(random, names, shortest) {
  const length = random.between(shortest, shortest + 5);
  let text = '';
  while (text.length < length) {
    text += /^[^aeiouy]{0,2}/.exec(random.pick(names))[0];
    text += /[aeiouy]{1,2}/.exec(random.pick(names))?.[0] ?? random.pick(sounds);
    if (random.chance(0.4)) text += /[^aeiouy]{0,2}$/.exec(random.pick(names))[0];
  }
  return text.slice(0, 13);
}

const consonants = 'bcdfghjklmnpqrstvwxz';

const vowelFirst = (random) =>
  random.pick('aeiou') + random.pick(consonants) + (random.chance(0.3) ? random.pick(consonants) : '');

/** pwgen's phonemes: vowels and consonants mostly alternate. */
const pwgenVowels = 'a ae ah ai e ee ei i ie o oh oo u'.split(' ');
const pwgenConsonants = 'b c ch d f g h j k l m n p ph qu r s sh t th v w x y z'.split(' ');

function pwgen(random) {
  const length = random.between(8, 10);
  let text = '';
  for (let vowel = random.chance(0.5); text.length < length; ) {
    text += random.pick(vowel ? pwgenVowels : pwgenConsonants);
    if (text.length > 2 && random.chance(0.15)) text += random.below(10);
    vowel = vowel ? random.chance(0.2) : true;
  }
  return text.slice(0, length);
}

const proquint = (random) =>
  ['bdfghjklmnprstvz', 'aiou', 'bdfghjklmnprstvz', 'aiou', 'bdfghjklmnprstvz']
    .map((letters) => random.pick(letters))
    .join('');
