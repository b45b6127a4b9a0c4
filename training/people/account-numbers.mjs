// Account numbers of organizations. Each organization samples its format once.
const letters = 'abcdefghijklmnopqrstuvwxyz';
const first = 'aabccddeeeffghijkkllmmnnpprsssstttuuuuvwxyz';
const faculties =
  'cs ee me be ce ma ph bt it ec ch is ie cse ece mba sdi inf bio law eng med psy stu std st sc emp ext con adm'.split(
    ' ',
  );
const formCount = 400;

/** (random) → (rng) → account. */
function formOf(random) {
  const head = random.pick([
    fixed(random.pick(first)),
    fixed(random.pick(first)),
    (rng) => rng.pick(first),
    fixed(random.pick(faculties)),
    (rng) => rng.pick(faculties),
    (rng) => rng.pick(letters) + rng.pick(letters),
    (rng) => Array.from({ length: 3 }, () => rng.pick(letters)).join(''),
  ]);
  const digits = random.between(5, 8);
  return random.pick([
    (rng) => head(rng) + number(rng, digits),
    (rng) => head(rng) + number(rng, digits),
    (rng) => head(rng) + number(rng, digits),
    (rng) => head(rng) + year(rng) + number(rng, digits - 2),
    (rng) => head(rng) + year(rng) + number(rng, digits - 2),
    (rng) => `${head(rng)}20${year(rng)}${number(rng, random.between(3, 5))}`,
    (rng) => `${head(rng)}0${number(rng, digits - 1)}`,
    (rng) => head(rng) + year(rng) + rng.pick('abcdmps') + number(rng, 3),
    (rng) => year(rng) + rng.pick(first) + number(rng, random.between(4, 5)),
    (rng) => year(rng) + rng.pick(faculties) + number(rng, random.between(2, 4)),
    (rng) => `20${year(rng)}${number(rng, 4)}${rng.pick(letters)}`,
    (rng) => number(rng, 7) + rng.pick(letters),
  ]);
}

const fixed = (text) => () => text;
const number = (random, count) => Array.from({ length: count }, () => random.below(10)).join('');
const year = (random) => String(random.between(8, 26)).padStart(2, '0');

/** (random) → (rng) → account of one of many organizations. */
export function accountNumberGenerator(random) {
  const forms = Array.from({ length: formCount }, () => formOf(random));
  return (rng) => rng.pick(forms)(rng);
}
