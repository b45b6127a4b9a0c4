// Real names that a program alters. Each generator samples its way to alter them once.

import { shuffled } from '../random.mjs';
import { lower } from './random-text.mjs';

const vowels = 'aeiou';
const consonants = 'bcdfghjklmnpqrstvwxz';
const isVowel = (letter) => vowels.includes(letter);

/** One alteration or two, sometimes with a number at the end. */
export function alteredNameGenerator(random) {
  const spoil = random.pick(spoils)(random);
  const again = random.chance(0.2) ? random.pick(spoils)(random) : (_drawn, name) => name;
  const number = random.chance(0.15) ? random.between(1, 4) : 0;
  return (rng, name) => {
    const text = again(rng, spoil(rng, name)).slice(0, 14);
    const tail = Array.from({ length: number }, () => rng.below(10)).join('');
    return (text.length < 5 ? text + rng.pick(consonants) + rng.pick(vowels) : text) + tail;
  };
}

/** Each is (random) → (rng, name) → text. */
const spoils = [
  () => (_drawn, name) => [...name].reverse().join(''),
  rotated,
  substituted,
  () => (rng, name) => shuffled(rng, name).join(''),
  () => (rng, name) => name[0] + shuffled(rng, name.slice(1)).join(''),
  () => (rng, name) => [...name].map((letter) => (isVowel(letter) ? rng.pick(vowels) : letter)).join(''),
  () => (rng, name) => [...name].map((letter) => (isVowel(letter) ? letter : rng.pick(consonants))).join(''),
  () => (rng, name) => [...name].map((letter) => rng.pick(isVowel(letter) ? vowels : consonants)).join(''),
  slipped,
  () => (rng, name) => [...name].map((letter) => letter + (rng.chance(0.6) ? rng.pick(lower) : '')).join(''),
  () => (rng, name) => halves(rng, name),
];

/** A Caesar cipher. */
function rotated(random) {
  const by = random.between(1, 25);
  return (_drawn, name) => [...name].map((letter) => lower[(lower.indexOf(letter) + by + 26) % 26] ?? letter).join('');
}

/** A substitution cipher. */
function substituted(random) {
  const others = shuffled(random, lower);
  return (_drawn, name) => [...name].map((letter) => others[lower.indexOf(letter)] ?? letter).join('');
}

/** Three or more typos: letters dropped, inserted or replaced. */
function slipped(random) {
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
function halves(random, name) {
  const middle = Math.ceil(name.length / 2);
  return name.slice(middle) + shuffled(random, name.slice(0, middle)).join('');
}
