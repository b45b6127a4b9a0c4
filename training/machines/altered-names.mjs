// Names that a program spoils: its own way each, drawn once.
import { shuffled } from '../random.mjs';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const vowels = 'aeiou';
const consonants = 'bcdfghjklmnpqrstvwxz';
const isVowel = (letter) => vowels.includes(letter);

/** One way to spoil, or two in a row, and sometimes a number behind. */
export function spoiledProgram(random) {
  const spoil = random.pick(spoils)(random);
  const again = random.chance(0.2) ? random.pick(spoils)(random) : (_drawn, name) => name;
  const number = random.chance(0.15) ? random.between(1, 4) : 0;
  return (drawn, name) => {
    const text = again(drawn, spoil(drawn, name)).slice(0, 14);
    const tail = Array.from({ length: number }, () => drawn.below(10)).join('');
    return (text.length < 5 ? text + drawn.pick(consonants) + drawn.pick(vowels) : text) + tail;
  };
}

/** Each (random) → (random, name) → text. */
const spoils = [
  () => (_drawn, name) => [...name].reverse().join(''),
  rotated,
  substituted,
  () => (drawn, name) => shuffled(drawn, name).join(''),
  () => (drawn, name) => name[0] + shuffled(drawn, name.slice(1)).join(''),
  () => (drawn, name) => [...name].map((letter) => (isVowel(letter) ? drawn.pick(vowels) : letter)).join(''),
  () => (drawn, name) => [...name].map((letter) => (isVowel(letter) ? letter : drawn.pick(consonants))).join(''),
  () => (drawn, name) => [...name].map((letter) => drawn.pick(isVowel(letter) ? vowels : consonants)).join(''),
  slipped,
  () => (drawn, name) => [...name].map((letter) => letter + (drawn.chance(0.6) ? drawn.pick(lower) : '')).join(''),
  () => (drawn, name) => halves(drawn, name),
];

/** Letters moved on in the alphabet, each as far. */
function rotated(random) {
  const by = random.between(1, 25);
  return (_drawn, name) => [...name].map((letter) => lower[(lower.indexOf(letter) + by + 26) % 26] ?? letter).join('');
}

/** Each letter another one, always the same. */
function substituted(random) {
  const others = shuffled(random, lower);
  return (_drawn, name) => [...name].map((letter) => others[lower.indexOf(letter)] ?? letter).join('');
}

/** Three slips and more: letters dropped, put in, swapped or replaced. */
function slipped(random) {
  const slips = random.between(3, 6);
  return (drawn, name) => {
    const letters = [...name];
    for (let slip = 0; slip < slips; slip++) {
      const at = drawn.below(letters.length);
      const kind = drawn.below(letters.length < 6 ? 2 : 3);
      if (kind === 0) letters[at] = drawn.pick(lower);
      else if (kind === 1) letters.splice(at, 0, drawn.pick(lower));
      else letters.splice(at, 1);
    }
    return letters.join('');
  };
}

/** The second half before the first, with the letters of one half in another order. */
function halves(random, name) {
  const middle = Math.ceil(name.length / 2);
  return name.slice(middle) + shuffled(random, name.slice(0, middle)).join('');
}
