// Mailboxes that people and organizations derive from names and words.

const separators = ['.', '.', '.', '_', '-', ''];
const particles = 'de da di del van von der den ter la le al el bin ibn abu ben mc st dos san vander vande'.split(' ');
const titles = ['dr', 'prof', 'mr', 'mrs', 'ing', 'rev'];

/** Shapes of company and university mailboxes, with estimated shares. */
const shapes = [
  [14, ({ given, family, separator }) => `${given}${separator}${family}`],
  [6, ({ given, family, separator }) => `${family}${separator}${given}`],
  [8, ({ given, family }) => given + family],
  [2, ({ given, family }) => family + given],
  [15, ({ given, family }) => given[0] + family],
  [3, ({ given, family, separator }) => `${given[0]}${separator}${family}`],
  [4, ({ given, middle, family }) => given[0] + middle[0] + family],
  [5, ({ given, family }) => family + given[0]],
  [4, ({ given, middle, family }) => family + given[0] + middle[0]],
  [2, ({ given, middle, family }) => given[0] + middle[0] + given.at(-1) + family],
  [5, ({ given, family, separator }) => `${given}${separator}${family[0]}`],
  [3, ({ given, family }) => given + family[0]],
  [7, ({ given }) => given],
  [7, ({ family }) => family],
  [9, truncated],
  [7, withNumber],
  [3, ({ given, family, random }) => leetspeak(random, random.chance(0.6) ? given : given[0] + family)],
  [2, ({ given, middle, family, separator }) => `${given}${separator}${middle[0]}${separator}${family}`],
  [1, ({ given, middle, family }) => `${given[0]}.${middle[0]}.${family}`],
  [
    1,
    ({ given, middle, family, random }) =>
      [given[0], middle[0], family[0].repeat(random.below(2)), family].filter((part) => part !== '').join('.'),
  ],
  [1, ({ given, middle, family }) => `${given}-${middle}.${family}`],
  [1, ({ given, middle, family, separator }) => `${family}${separator}${middle}${separator}${given}`],
  [1, ({ given, family, separator, random }) => [given, random.pick(particles), family].join(separator)],
  [1, ({ given, family, random }) => `${given[0]}.${random.pick(particles)}.${family}`],
  [1, ({ family, separator, random }) => `${random.pick(titles)}${separator}${family}`],
];
const shapesByShare = shapes.flatMap(([share, make]) => Array(share).fill(make));

/** A mailbox from the given, middle and family name of one person. */
export function personalMailbox(random, given, middle, family) {
  const separator = random.pick(separators);
  return random.pick(shapesByShare)({ random, given, middle, family, separator });
}

/** Six to eight letters in total, the old limit of Unix. */
function truncated({ given, middle, family, random }) {
  const limit = random.between(6, 8);
  const forms = [
    () => given[0] + family,
    () => given[0] + middle[0] + family,
    () => family + given,
    () => family.slice(0, limit - 1) + given[0],
    () => family.slice(0, limit - 2) + given.slice(0, 2),
    () => given.slice(0, random.between(2, 4)) + family.slice(0, random.between(2, 5)),
    () => family.slice(0, random.between(4, 6)) + given[0] + random.pick(['', '', '1', '2', '3']),
    () => given + family,
  ];
  return random.pick(forms)().slice(0, limit);
}

/** A date of birth in several orders, with a year of two or four digits or without one. */
export function birthday(random) {
  const two = (least, most) => String(random.between(least, most)).padStart(2, '0');
  const [day, month, year] = [two(1, 31), two(1, 12), String(random.between(1955, 2012))];
  const short = year.slice(2);
  return random.pick([
    day + month + short,
    day + month + short,
    month + day + short,
    short + month + day,
    short + month + day,
    day + month + year,
    year + month + day,
    // Without leading zeros.
    year + Number(month) + Number(day),
    `${Number(day)}${Number(month)}${year}`,
    day + month,
    month + day,
  ]);
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const faculties = 'cs ee me ce it ec cse ece mca mba bt ma'.split(' ');
const regions = 'vn uk us de br kr jp ph th in id x xd dev st k yt gh'.split(' ');

/** A name or initials, a number and a name or a letter: `oscar71bell`, `lin3.zhao`, `b7.mehta`, `nils88k`. */
export function numberInside(random, given, middle, family) {
  const { pick, between } = random;
  const some = (least, most) =>
    Array.from({ length: between(least, most) }, () => pick('abcdefghijklmnopqrstuvwxyz')).join('');
  const number = pick([
    between(1, 9),
    between(1, 9),
    between(1, 99),
    between(60, 99),
    birthday(random).slice(0, 4),
    between(100, 999),
  ]);
  const initials = pick([given[0], given[0] + middle[0], given[0] + family[0]]);
  const separator = pick(['.', '.', '_', '']);
  return pick([
    () => given + number + separator + family,
    () => given + number + separator + family,
    () => initials + number + separator + family,
    () => initials + number + separator + given,
    () => given + number + pick(['', '.', '_']) + family[0],
    () => number + separator + given,
    () => number + given + family,
    () => given + number + pick(regions),
    () => given[0] + family + number + pick(regions),
    () => `${given}.${number}.${family}`,
    // A number at both ends, a date, a class of a faculty, two numbers: `7tom7`, `asha15jan`, `omar.19cse`, `ana1979_dre88`.
    () => number + given + number,
    () => given + separator + between(1, 31) + pick(months) + pick(['', '', between(1970, 2008)]),
    () => `${given}${separator}${between(10, 25)}${pick(faculties)}${pick(['', '', between(1, 99)])}`,
    () => given + number + separator + family + between(1, 99),
    // Initials, a digit and letters, as at some universities, and call signs of radio amateurs.
    () => initials + family[0] + between(1, 9) + some(1, 3),
    () => given[0] + between(70, 99) + given.slice(0, 2) + family.slice(0, 2),
    () => some(1, 2) + between(0, 9) + some(2, 3),
    () => initials + between(10, 99) + pick([given, family]).slice(0, 3),
    () => `${given}2k${pick(['', between(1, 9)])}`,
  ])();
}

/** With a year, a date or a short number. */
function withNumber({ given, middle, family, separator, random }) {
  const { between } = random;
  const forms = [
    given,
    family,
    given[0] + family,
    `${given}${separator}${family}`,
    given + family,
    given + family[0],
    given[0] + middle[0] + family,
    given.slice(0, between(3, 5)),
  ];
  const numbers = [
    between(1, 9),
    between(1, 99),
    between(1, 99),
    between(70, 99),
    between(1950, 2012),
    between(100, 999),
    birthday(random),
    random.pick([between(1000, 99_999), between(10_000, 99_999), '12345', '123456', '1234']),
  ];
  return `${random.pick(forms)}${random.chance(0.1) ? separator : ''}${random.pick(numbers)}`;
}

const digitFor = { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7', l: '1', z: '2', b: '8', g: '9' };
const commonLetters = 'aeio';

/** Replaces one, some or most letters by similar digits. */
export function leetspeak(random, name) {
  const places = [...name].flatMap((letter, at) => (letter in digitFor && (at > 0 || random.chance(0.1)) ? [at] : []));
  const positions = places.filter((at) => commonLetters.includes(name[at]) || random.chance(0.3));
  if (positions.length === 0) return name;
  const one = random.pick(positions);
  const chosen = random.pick([
    () => [one],
    () => [one],
    () => [one, random.pick(positions)],
    () => positions.filter((at) => name[at] === name[one]),
    () => positions,
  ])();
  return [...name].map((letter, at) => (chosen.includes(at) ? digitFor[letter] : letter)).join('');
}

const hackerEnds = 'x0r z0r r0x 0r h4x 1337 c0de n0de b0t l33t d3v n1nja z3r0 m4n h4ck 0x'.split(' ');

/** A handle in leetspeak: a name, one or two words, or one with a typical ending. */
export function leetHandle(random, name, word) {
  const { pick } = random;
  return pick([
    () => leetspeak(random, name),
    () => leetspeak(random, word),
    () => leetspeak(random, name + pick(['', '', '.', '_']) + word),
    () => leetspeak(random, word + pick(['', '', '.', '_']) + name),
    () => name[0] + pick(['', '.']) + leetspeak(random, word),
    () => (random.chance(0.5) ? name : word) + pick(hackerEnds),
    () => `${pick(['0x', 'xx', 'x', 'mr', 'the', 'aka.'])}${leetspeak(random, word)}`,
    () => `${word.slice(0, 5)}${pick(['4', '2'])}${pick(['u', 'you', 'me', 'ever', 'life', 'fun', name])}`,
    () => leetspeak(random, name) + random.between(1, 99),
  ])();
}

const trades = 'online shop team office studio club life fan lover girl boy man dev tech art photo music world'.split(
  ' ',
);
const epithets = ['my', 'i.am.', 'mr.', 'mrs', 'dr.', 'el', 'la', 'big', 'little', 'super', 'real', 'the', 'thebig'];
const places = 'de uk us eu fr berlin paris london nyc hq it hr'.split(' ');

const handleHeads = 'the mr dj mc i x el iam its real dr code git web net sys hack pixel cyber neo micro open'.split(
  ' ',
);
const handleTails =
  'dev js io x er ster man boy girl hub labs lab io tech soft ware code org team inc hq zone bot cat fox'.split(' ');

/** A nickname from pieces of a name or a word. */
export function nickname(random, name, word) {
  const { pick, between } = random;
  const piece = (text) => text.slice(0, between(3, 6));
  const forms = [
    () => piece(name) + pick(['y', 'ie', 'o', 'i', 'a', 'ey', 'us', 'z', 'x', 'ski', 'inho', 'ito', 'chan', 'ka']),
    () => piece(name) + piece(word),
    () => piece(word) + piece(name),
    () => pick(handleHeads) + name,
    () => pick(handleHeads) + word,
    () => name + pick(handleTails),
    () => word + pick(handleTails),
    () => name.slice(0, between(3, 5)),
    () => leetspeak(random, word),
    () => `${word}${pick(['', '', '-', '_'])}${piece(name)}`,
    () => name.slice(1),
    () => word.slice(0, between(1, 5)) + between(0, 9) + piece(name),
    () => name.slice(0, between(1, 4)) + between(0, 99) + word.slice(0, between(1, 4)),
    () => piece(name) + pick(['2', '4', '42', '0', '3', '1']) + pick([word.slice(0, 3), 'u', 'x', 'k', 'me', name[0]]),
    () => leetspeak(random, name),
    () => name + name.at(-1),
    () => `x${word}x`,
    () => word.replace(/er$/, 'r').replace(/s$/, 'z').replace(/ck?s/, 'x'),
  ];
  return pick(forms)();
}

/** A handle, a department or a shop: one or two words, perhaps with a number. */
export function wordMailbox(random, word, other) {
  const { pick, between, chance } = random;
  const number = chance(0.3) ? between(1, 999) : '';
  const forms = [
    () => `${word}${number}`,
    () => `${word}${pick(separators)}${other}${number}`,
    () => `the${word}${number}`,
    () => `${word}${pick(separators)}${pick(trades)}`,
    () => `${pick(epithets)}${word}${number}`,
    () => `${word}.${pick(places)}`,
  ];
  return pick(forms)();
}

const roles =
  `info admin support sales contact office billing help hello team jobs careers press media marketing accounts
  accounting finance hr it legal privacy security abuse postmaster webmaster hostmaster noreply no-reply newsletter service
  orders shop store booking reservations reception feedback enquiries inquiries subscribe unsubscribe customerservice
  customer.service kundenservice buchhaltung bewerbung vertrieb einkauf direktion empfang contacto ventas administracion
  compras facturacion recursoshumanos comercial direction comptabilite accueil secretariat info.de amministrazione ufficio
  segreteria commerciale biuro sekretariat kontakt sprzedaz rekrutacja podpora obchod uctarna klantenservice verkoop
  boekhouding post myynti asiakaspalvelu`
    .trim()
    .split(/\s+/);

/** A role, sometimes with a place or a year. */
export function roleMailbox(random, town) {
  const { pick, between } = random;
  const name = pick(roles);
  const forms = [
    () => name,
    () => name,
    () => `${name}.${town}`,
    () => `${town}.${name}`,
    () => `${name}-${town}`,
    () => `${name}${between(1, 9)}`,
    () => `${name}${between(2015, 2026)}`,
  ];
  return pick(forms)();
}

const numberPrefixes = ['a', 'b', 'c', 'd', 'e', 'emp', 'i', 'id', 'k', 'm', 'n', 'p', 's', 'st', 'stu', 't', 'u', 'x'];

/** Initials, short handles, employee and student numbers; sometimes a number alone, as some providers assign. */
export function shortMailbox(random, given, middle, family) {
  const { pick, between, chance } = random;
  const digits = (count) => Array.from({ length: count }, () => between(0, 9)).join('');
  const initials = pick([given[0], given[0] + middle[0]]) + family[0];
  const forms = [
    () => initials,
    () => initials,
    () => `${initials}${pick([given, middle, family])[0]}`,
    () => given.slice(0, between(2, 4)),
    () => initials + between(1, 99),
    () => initials + digits(between(2, 4)),
    () => `${pick(numberPrefixes)}${digits(between(5, 8))}`,
    () => pick(numberPrefixes) + (chance(0.3) ? '12345678'.slice(0, between(5, 8)) : digits(between(5, 8))),
    () => `${family.slice(0, between(3, 5))}${digits(between(2, 4))}`,
    () => `${given[0]}.${family[0]}`,
    () => (chance(0.3) ? digits(between(5, 11)) : initials),
  ];
  return pick(forms)();
}

const tags = ['news', 'shop', 'spam', 'test', 'lists', 'bank', '2024'];

/** Adds a tag or capitals to some. */
export function withTagOrCapitals(random, text) {
  if (random.chance(0.03)) return `${text}+${random.pick(tags)}`;
  if (!random.chance(0.05)) return text;
  return text.replace(/(^|[._-])([a-z])/g, (_, before, letter) => before + letter.toUpperCase());
}
