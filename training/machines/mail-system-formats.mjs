// Addresses that mail systems generate for bounces, aliases and tickets, in their documented formats. Earlier models were tested on them.
// Counters are left out, and formats whose generated half follows a plus: tags have their own network.
import { base36, digits, hexadecimal, lower, textOf } from './random-text.mjs';

const base32 = `${lower}234567`;
const base64url = `${base36}-_`;
const domain = (random, name) => `${name}.${random.pick(['com', 'de', 'org', 'fr', 'co.uk', 'com.br', 'net'])}`;
const number = (random, ...lengths) => textOf(random, digits, random.between(...lengths));
const phone = (random) => `1${random.between(201, 989)}${number(random, 7, 7)}`;
const time = (random) => random.between(1_400_000_000, 1_790_000_000);
const lists = ['users', 'dev', 'announce', 'linux-kernel', 'misc', 'help', 'test-list', 'general'];

/** Mail server or service → (random, name) → address: the first test set. */
export const mailSystemFormats = {
  'sender rewriting (SRS0)': (random, name) =>
    `srs0=${textOf(random, base36, 4)}=${textOf(random, base32, 2)}=${domain(random, name)}=${name}`,
  'bounce tags (BATV)': (random, name) => `prvs=${textOf(random, digits, 4)}${textOf(random, hexadecimal, 6)}=${name}`,
  'bounces of ezmlm': (random, name) =>
    `${random.pick(lists)}-return-${random.between(1, 99_999)}-${name}=${domain(random, name)}`,
  'confirmations of ezmlm': (random, name) =>
    `${random.pick(lists)}-sc.${time(random)}.${textOf(random, 'abcdefghijklmnop', 20)}-${name}=${domain(random, name)}`,
  'bounces of Mailchimp': (random) =>
    `bounce-mc.us${random.between(1, 21)}_${textOf(random, digits, 8)}.${textOf(random, digits, 7)}-${textOf(random, hexadecimal, 10)}`,
  'health mailboxes of Exchange': (random) =>
    `healthmailbox${textOf(random, hexadecimal, random.chance(0.5) ? 32 : 7)}`,
  'system mailboxes of Exchange': (random) =>
    `systemmailbox{${[8, 4, 4, 4, 12].map((length) => textOf(random, hexadecimal, length)).join('-')}}`,
  'private relay of Apple': (random) => textOf(random, base36, 10),
  'Firefox Relay': (random) => textOf(random, base36, 9),
  'buyers at Amazon': (random) => textOf(random, base36, random.between(13, 15)),
  'commits at GitHub': (random, name) => `${random.between(100_000, 199_999_999)}+${name}`,
  'calendars of Google': (random) => `c_${textOf(random, `${digits}abcdefghijklmnopqrstuv`, 26)}`,
  'notes by mail (Evernote)': (random, name) => `${name}.${textOf(random, hexadecimal, 7)}`,
  'tasks by mail (Todoist)': (random) => `add.task.${textOf(random, digits, 8)}.${textOf(random, hexadecimal, 32)}`,
  "Debian's bug tracker": (random) =>
    `${random.between(100_000, 1_099_999)}-${random.pick(['done', 'close', 'submitter', 'quiet', 'forwarded', 'subscribe'])}`,
  Bugzilla: (random) =>
    `bug-${random.between(1000, 999_999)}-${random.between(1, 99_999)}-${textOf(random, base36, 10)}`,
  'Request Tracker': (random) =>
    `rt-4.4.${random.between(1, 6)}-${random.between(100, 32_000)}-${time(random)}-${random.between(1, 1999)}.${random.between(1000, 99_999)}-${random.between(1, 9)}-0`,
};

/** Letter pairs from which the game Elite builds the names of planets. */
const elitePairs = 'le xe ge za ce bi so us es ar ma in di re a er at en be ra la ve ti ed or qu an te is ri on'.split(
  ' ',
);

function elitePlanet(random) {
  const name = Array.from({ length: random.between(3, 4) }, () => random.pick(elitePairs)).join('');
  return name.length >= 5 ? name : elitePlanet(random);
}

/** Service → (random, name) → address in lower case: the second test set. */
export const mailServiceFormats = {
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
