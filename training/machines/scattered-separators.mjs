// Names into which a program strews separators or digits: what stands between them is no name any more.
import { textOf } from './random-text.mjs';

const digits = '0123456789';
const marksOf = ['.', '.', '.', '.', '_', '-', '._-', digits];

/** (random, names) → (random, name) → local part, from one name, an initial and a name, or two, perhaps with a number. */
export function strewnProgram(random, names) {
  const marks = random.pick(marksOf);
  const share = random.pick([0.2, 0.3, 0.4, 0.5, 0.5, 0.6, 0.8, 1]);
  const stem = random.pick([
    (_drawn, name) => name,
    (drawn, name) => drawn.pick(names)[0] + name,
    (drawn, name) => name + drawn.pick(names),
    (drawn, name) => drawn.pick(names) + name,
  ]);
  const number = random.chance(0.15) ? random.between(1, 4) : 0;
  return (drawn, name) => {
    const letters = [...stem(drawn, name), ...textOf(drawn, digits, number)].slice(0, 20);
    return strewn(drawn, letters, marks, share);
  };
}

/** With three marks at least: two may stand between the initials and the names of a person. */
function strewn(random, letters, marks, share) {
  const text = letters
    .map((letter, at) => (at > 0 && random.chance(share) ? random.pick(marks) : '') + letter)
    .join('');
  return text.length - letters.length >= 3 ? text : strewn(random, letters, marks, Math.min(1, share + 0.1));
}
