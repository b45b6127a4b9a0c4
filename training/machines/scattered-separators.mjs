// Names with separators or digits scattered into them, so that the parts are no longer names.
import { digits, textOf } from './random-text.mjs';

const marksOf = ['.', '.', '.', '.', '_', '-', '._-', digits];

/** (random, names) → (rng, name) → local part: one name, an initial and a name, or two, perhaps with a number. */
export function scatteredSeparatorGenerator(random, names) {
  const marks = random.pick(marksOf);
  const share = random.pick([0.2, 0.3, 0.4, 0.5, 0.5, 0.6, 0.8, 1]);
  const stem = random.pick([
    (_rng, name) => name,
    (rng, name) => rng.pick(names)[0] + name,
    (rng, name) => name + rng.pick(names),
    (rng, name) => rng.pick(names) + name,
  ]);
  const number = random.chance(0.15) ? random.between(1, 4) : 0;
  return (rng, name) => {
    const letters = [...stem(rng, name), ...textOf(rng, digits, number)].slice(0, 20);
    return scatter(rng, letters, marks, share);
  };
}

/** At least three marks: a person's initials and names may have two. */
function scatter(random, letters, marks, share) {
  const text = letters
    .map((letter, at) => (at > 0 && random.chance(share) ? random.pick(marks) : '') + letter)
    .join('');
  return text.length - letters.length >= 3 ? text : scatter(random, letters, marks, Math.min(1, share + 0.1));
}
