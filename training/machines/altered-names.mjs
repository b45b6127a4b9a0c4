// Real names that a program alters. Each generator samples its way to alter them once.

import { shuffled } from '../random.mjs';
import { lower } from './random-text.mjs';

const vowels = 'aeiou';
const consonants = 'bcdfghjklmnpqrstvwxz';
const isVowel = (letter) => vowels.includes(letter);

/** One alteration or two, sometimes with a number at the end. */
export function alteredNameGenerator(random) {
  const alter = random.pick(alterations)(random);
  const alterAgain = random.chance(0.2) ? random.pick(alterations)(random) : (_rng, name) => name;
  const number = random.chance(0.15) ? random.between(1, 4) : 0;
  return (rng, name) => {
    const text = alterAgain(rng, alter(rng, name)).slice(0, 14);
    const tail = Array.from({ length: number }, () => rng.below(10)).join('');
    return (text.length < 5 ? text + rng.pick(consonants) + rng.pick(vowels) : text) + tail;
  };
}

/** Each is (random) → (rng, name) → text. */
const alterations = [
  () => (_rng, name) => [...name].reverse().join(''),
  caesarCipher,
  substitutionCipher,
  () => (rng, name) => shuffled(rng, name).join(''),
  () => (rng, name) => name[0] + shuffled(rng, name.slice(1)).join(''),
  () => (rng, name) => [...name].map((letter) => (isVowel(letter) ? rng.pick(vowels) : letter)).join(''),
  () => (rng, name) => [...name].map((letter) => (isVowel(letter) ? letter : rng.pick(consonants))).join(''),
  () => (rng, name) => [...name].map((letter) => rng.pick(isVowel(letter) ? vowels : consonants)).join(''),
  typos,
  () => (rng, name) => [...name].map((letter) => letter + (rng.chance(0.6) ? rng.pick(lower) : '')).join(''),
  () => (rng, name) => swapHalves(rng, name),
];

/** A Caesar cipher. */
function caesarCipher(random) {
  const by = random.between(1, 25);
  return (_rng, name) => [...name].map((letter) => lower[(lower.indexOf(letter) + by + 26) % 26] ?? letter).join('');
}

/** A substitution cipher. */
function substitutionCipher(random) {
  const others = shuffled(random, lower);
  return (_rng, name) => [...name].map((letter) => others[lower.indexOf(letter)] ?? letter).join('');
}

/** Three or more typos: letters dropped, inserted or replaced. */
function typos(random) {
  const slips = random.between(3, 6);
  return (rng, name) => {
    const letters = [...name];
    for (let slip = 0; slip < slips; slip++) {
      const at = rng.below(letters.length);
      const kind = rng.below(letters.length < 6 ? 2 : 3);
      if (kind === 0) letters[at] = rng.pick(lower);
      else if (kind === 1) letters.splice(at, 0, rng.pick(lower));
      else letters.splice(at, 1);
    }
    return letters.join('');
  };
}

/** Swaps the halves and shuffles one of them. */
function swapHalves(random, name) {
  const middle = Math.ceil(name.length / 2);
  return name.slice(middle) + shuffled(random, name.slice(0, middle)).join('');
}
