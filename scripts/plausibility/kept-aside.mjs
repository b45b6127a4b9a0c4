// What training and tuning never see, fixed by rule before this model was trained or scored; test.mjs looks at it once, when the
// model is done. What earlier models were tested on has been looked at, so it now serves to train and to tune. This,
// too, has been looked at with the model of today: the next model needs a new choice.
//   sources  mailboxes of people (fetch-accounts.mjs): authors of Python's, Haskell's, Perl's and Emacs' libraries and of Vim's files,
//            those whom the files AUTHORS and CREDITS of Debian's packages name, and the translators of all programs that training
//            does not read, by language; without any account that also stands in a training or tuning source
//   kinds    what programs make that are there to make passwords and identifiers (fetch-machines.mjs, which states the rule), and
//            the addresses that mail systems make by themselves, here: for bounces, for aliases and for tickets, by the formats that
//            they document. Each program and each format has the same share.
// Left out: a format whose machine-made half comes after a plus, because the model does not read a tag; one that an earlier model
// was trained, tuned or tested on; pairs of dictionary words and names drawn from lists of names (faker, rig), because a person might
// choose the same, so that no reader of the name alone could tell.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
export const mailFormats = {
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

/** As many names of each kind, { text, label, groups }, as make `count` in all; `names` are real ones for formats that hold one. */
export function keptMachines(random, folder, names, count) {
  const file = join(folder, 'machines.ndjson');
  if (!existsSync(file)) throw new Error(`${file} is missing. Run fetch-machines.mjs first.`);
  const programs = {};
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { kind, text } = JSON.parse(line);
    programs[kind] ??= [];
    programs[kind].push(text);
  }
  const kinds = {
    ...mailFormats,
    ...Object.fromEntries(Object.entries(programs).map(([kind, texts]) => [kind, () => random.pick(texts)])),
  };
  const each = Math.ceil(count / Object.keys(kinds).length);
  return Object.entries(kinds).flatMap(([kind, make]) =>
    Array.from({ length: each }, () => ({
      text: make(random, random.pick(names)),
      label: 0,
      groups: [kind, ...(pronounceable.includes(kind) ? ['all that can be pronounced'] : [])],
    })),
  );
}

/** The programs that make names to be said, which their manuals say: reported together as well. */
const pronounceable = [
  'gpw',
  'libtext-password-pronounceable-perl',
  'libcrypt-generatepassword-perl (words)',
  'password-generator@2.3.2',
];
