// Numbers that organisations give out as accounts: each has a form of its own, drawn once.
const letters = 'abcdefghijklmnopqrstuvwxyz';
const first = 'aabccddeeeffghijkkllmmnnpprsssstttuuuuvwxyz';
const faculties =
  'cs ee me be ce ma ph bt it ec ch is ie cse ece mba sdi inf bio law eng med psy stu std st sc emp ext con adm'.split(
    ' ',
  );
const formCount = 400;

/** (random) → (random) → account. */
function formOf(random) {
  const head = random.pick([
    fixed(random.pick(first)),
    fixed(random.pick(first)),
    (drawn) => drawn.pick(first),
    fixed(random.pick(faculties)),
    (drawn) => drawn.pick(faculties),
    (drawn) => drawn.pick(letters) + drawn.pick(letters),
    (drawn) => Array.from({ length: 3 }, () => drawn.pick(letters)).join(''),
  ]);
  const digits = random.between(5, 8);
  return random.pick([
    (drawn) => head(drawn) + number(drawn, digits),
    (drawn) => head(drawn) + number(drawn, digits),
    (drawn) => head(drawn) + number(drawn, digits),
    (drawn) => head(drawn) + year(drawn) + number(drawn, digits - 2),
    (drawn) => head(drawn) + year(drawn) + number(drawn, digits - 2),
    (drawn) => `${head(drawn)}20${year(drawn)}${number(drawn, random.between(3, 5))}`,
    (drawn) => `${head(drawn)}0${number(drawn, digits - 1)}`,
    (drawn) => head(drawn) + year(drawn) + drawn.pick('abcdmps') + number(drawn, 3),
    (drawn) => year(drawn) + drawn.pick(first) + number(drawn, random.between(4, 5)),
    (drawn) => year(drawn) + drawn.pick(faculties) + number(drawn, random.between(2, 4)),
    (drawn) => `20${year(drawn)}${number(drawn, 4)}${drawn.pick(letters)}`,
    (drawn) => number(drawn, 7) + drawn.pick(letters),
  ]);
}

const fixed = (text) => () => text;
const number = (random, count) => Array.from({ length: count }, () => random.below(10)).join('');
const year = (random) => String(random.between(8, 26)).padStart(2, '0');

/** (random) → an account of one of many organisations. */
export function accountNumbers(random) {
  const forms = Array.from({ length: formCount }, () => formOf(random));
  return (drawn) => drawn.pick(forms)(drawn);
}
