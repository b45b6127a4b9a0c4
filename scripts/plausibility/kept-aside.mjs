// What neither trains, tunes nor steers, fixed by rule before any model was scored on it; test.mjs looks at it once, when the model is
// done. It has been looked at with the model of today and with one that was not shipped: the next model needs a new choice.
//   sources   mailboxes of people (fetch-accounts.mjs): those whom the copyright files, the change logs and the manuals of Debian's
//             packages name, and the authors of npm's packages in scopes; without any account that also stands in another source.
//             The language is told by the script of the owner's name, or else by the country of the mailbox.
//   programs  npm's packages that are there to make identifiers, passwords or words that can be said (fetch-machines.mjs, which states
//             the rule)
//   formats   addresses that mail systems make by themselves, here, by the formats that they document or send; none of a system that
//             an earlier test had
// Each program and each format has the same share. Left out: a format whose machine-made half comes after a plus, because the model
// does not read a tag; one that an earlier model was trained, tuned or tested on; counters; and what is made of dictionary words or of
// people's names, because a person might choose the same, so that no reader of the name alone could tell.

const textOf = (random, alphabet, length) => Array.from({ length }, () => random.pick(alphabet)).join('');
const digits = '0123456789';
const hexadecimal = `${digits}abcdef`;
const lower = 'abcdefghijklmnopqrstuvwxyz';
const base36 = lower + digits;
const base64url = `${base36}-_`;
const domain = (random, name) => `${name}.${random.pick(['com', 'de', 'org', 'fr', 'co.uk', 'com.br', 'net'])}`;
const number = (random, ...lengths) => textOf(random, digits, random.between(...lengths));
const phone = (random) => `1${random.between(201, 989)}${number(random, 7, 7)}`;

/** The pairs of letters that the game Elite makes the names of its planets of. */
const elitePairs = 'le xe ge za ce bi so us es ar ma in di re a er at en be ra la ve ti ed or qu an te is ri on'.split(
  ' ',
);

function elitePlanet(random) {
  const name = Array.from({ length: random.between(3, 4) }, () => random.pick(elitePairs)).join('');
  return name.length >= 5 ? name : elitePlanet(random);
}

/** System → (random, name) → an address that it makes, in small letters. */
export const keptFormats = {
  'bounces of Marketing Cloud': (random) =>
    `bounce-${number(random, 2, 4)}_html-${number(random, 8, 9)}-${number(random, 5, 7)}-${number(random, 6, 9)}-${number(random, 1, 4)}`,
  'senders of Marketo': (random) =>
    `${number(random, 3, 3)}-${textOf(random, lower, 3)}-${number(random, 3, 3)}.0.${number(random, 4, 6)}.0.0.${number(random, 4, 5)}.9.${number(random, 6, 8)}`,
  'bounces of Constant Contact': (random) =>
    `a${textOf(random, base64url, 21)}_11${number(random, 11, 11)}_${textOf(random, base64url, 22)}`,
  'bounces of Yahoo groups': (random, name) =>
    `sentto-${number(random, 5, 8)}-${number(random, 2, 5)}-${number(random, 10, 10)}-${name}=${domain(random, name)}`,
  'bounces of a social network': (random, name) =>
    `b${textOf(random, hexadecimal, 10)}-${name}=${domain(random, name)}`,
  'bounces of Google': (random) => `3${textOf(random, base64url, 15)}k${textOf(random, lower, random.between(8, 20))}`,
  'texts of Google Voice': (random) => `${phone(random)}.${phone(random)}.${textOf(random, base36, 10)}`,
  'guests at Airbnb': (random) => textOf(random, base36, random.between(20, 26)),
  'channels of Slack': (random, name) => `${name}-aaaa${textOf(random, base36, 22)}`,
  'documents for Kindle': (random, name) => `${name}_${textOf(random, base36, 6)}`,
  'channels of Teams': (random, name) => `${textOf(random, hexadecimal, 8)}.${name}.onmicrosoft.com`,
  'federation of Exchange': (random) =>
    `federatedemail.${[8, 4, 4, 4, 12].map((length) => textOf(random, hexadecimal, length)).join('-')}`,
  'inbound mail of Intercom': (random) => textOf(random, base36, 8),
  'articles for Instapaper': (random) => `readlater.${textOf(random, base36, random.between(9, 11))}`,
  'projects of Basecamp': (random) => `save-${textOf(random, base36, 12)}`,
  'message ids of Alpine': (random) =>
    `alpine.deb.2.${random.between(10, 26)}.${number(random, 13, 13)}.${number(random, 4, 6)}`,
  'message ids of Outlook': (random) =>
    `${textOf(random, lower, 2)}${random.between(1, 9)}pr${number(random, 2, 2)}mb${number(random, 4, 4)}${textOf(random, hexadecimal, 28)}`,
  'planets of Elite': elitePlanet,
};

/** The programs that make names to be said, which their manuals say: reported together as well. */
export const keptSayable = ['phonetic@0.1.1', 'chance@1.1.13', 'planets of Elite'];
