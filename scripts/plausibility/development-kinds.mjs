// Kinds of machine-made names to steer by, which neither train nor tune; an earlier model was tested on them, and its rule was:
//   programs  that are there to make passwords and identifiers (fetch-machines.mjs)
//   formats   the addresses that mail systems make by themselves: for bounces, for aliases and for tickets, as they document them
// Each program and each format has the same share.

const textOf = (random, alphabet, length) => Array.from({ length }, () => random.pick(alphabet)).join('');
const digits = '0123456789';
const hexadecimal = `${digits}abcdef`;
const lower = 'abcdefghijklmnopqrstuvwxyz';
const base32 = `${lower}234567`;
const base36 = lower + digits;
const domain = (random, name) => `${name}.${random.pick(['com', 'de', 'org', 'fr', 'co.uk', 'com.br', 'net'])}`;
const time = (random) => random.between(1_400_000_000, 1_790_000_000);
const lists = ['users', 'dev', 'announce', 'linux-kernel', 'misc', 'help', 'test-list', 'general'];

/** System → (random, name) → an address that it makes, its format as documented. */
export const developmentFormats = {
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

/** The programs that make names to be said, which their manuals say: reported together as well. */
export const developmentSayable = [
  'gpw',
  'libtext-password-pronounceable-perl',
  'libcrypt-generatepassword-perl (words)',
  'password-generator@2.3.2',
];
