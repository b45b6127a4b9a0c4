// How people and organisations turn names and words into mailboxes.

const separators = ['.', '.', '.', '_', '-', ''];
const particles = 'de da di del van von der den ter la le al el bin ibn abu ben mc st dos san vander vande'.split(' ');
const titles = ['dr', 'prof', 'mr', 'mrs', 'ing', 'rev'];

/** A mailbox name from the given, middle and family name of one person. */
export function personal(random, given, middle, family) {
  const { pick, between } = random;
  const separator = pick(separators);
  const initial = given[0];
  const forms = [
    () => `${given}.${family}`,
    () => `${given}.${family}`,
    () => `${given}${separator}${family}`,
    () => `${given}${separator}${family}`,
    () => `${initial}${separator}${family}`,
    () => `${initial}${family}`,
    () => `${initial}.${family}`,
    () => `${given}${family[0]}`,
    () => `${given}.${family[0]}`,
    () => `${family}.${given}`,
    () => `${family}${initial}`,
    () => `${family}${separator}${given}`,
    () => given,
    () => family,
    () => `${given}${between(1, 99)}`,
    () => `${given}${separator}${family}${between(1, 99)}`,
    () => `${given}${separator}${between(1950, 2012)}`,
    () => `${given}${family}${between(1950, 2012)}`,
    () => `${given}${separator}${family}${between(1, 999)}`,
    () => `${initial}${family}${between(1, 99)}`,
    () => `${given}${separator}${middle[0]}${separator}${family}`,
    () => `${given}-${middle}.${family}`,
    () => `${family}${separator}${middle}${separator}${given}`,
    () => `${given}${separator}${pick(particles)}${separator}${family}`,
    () => `${initial}.${pick(particles)}.${family}`,
    () => `${pick(titles)}${pick(separators)}${family}`,
    () => `${given.slice(0, 3)}${family.slice(0, between(3, 5))}`,
    () => `${family.slice(0, between(4, 6))}${initial}${pick(['', between(1, 9)])}`,
    () => `${given}${between(100, 9999)}`,
  ];
  return pick(forms)();
}

const trades = 'online shop team office studio club life fan lover girl boy man dev tech art photo music world'.split(
  ' ',
);
const epithets = ['my', 'i.am.', 'mr.', 'mrs', 'dr.', 'el', 'la', 'big', 'little', 'super', 'real', 'the', 'thebig'];
const places = 'de uk us eu fr berlin paris london nyc hq it hr'.split(' ');

/** A handle, a department, a shop: one or two words, perhaps with a number. */
export function worded(random, word, other) {
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

/** A mailbox that belongs to a role, sometimes of a place or a year. */
export function role(random, town) {
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

const numberPrefixes = ['a', 'e', 'emp', 'id', 'k', 'm', 'n', 'p', 's', 'stu', 'u', 'x'];

/** Initials, short handles, employee and student numbers. */
export function terse(random, given, middle, family) {
  const { pick, between } = random;
  const digits = (count) => Array.from({ length: count }, () => between(0, 9)).join('');
  const forms = [
    () => `${given[0]}${family[0]}`,
    () => `${given[0]}${middle[0]}${family[0]}`,
    () => given.slice(0, between(2, 4)),
    () => `${given[0]}${family[0]}${between(1, 99)}`,
    () => `${given[0]}${family[0]}${digits(between(3, 4))}`,
    () => `${pick(numberPrefixes)}${digits(between(4, 8))}`,
    () => `${family.slice(0, between(3, 5))}${digits(between(2, 4))}`,
    () => digits(between(3, 9)),
    () => `${given[0]}.${family[0]}`,
    () => given.replaceAll(/(?<=.)[aeiou]/g, ''),
  ];
  return pick(forms)();
}

const tags = ['news', 'shop', 'spam', 'test', 'lists', 'bank', '2024'];

/** With a tag or capitals, as people write. */
export function dressed(random, text) {
  if (random.chance(0.03)) return `${text}+${random.pick(tags)}`;
  if (!random.chance(0.05)) return text;
  return text.replace(/(^|[._-])([a-z])/g, (_, before, letter) => before + letter.toUpperCase());
}
