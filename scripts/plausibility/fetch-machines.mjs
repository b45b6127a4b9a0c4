// Lets other people's programs make machine-made names: node fetch-machines.mjs FOLDER
// Earlier models were tested on them (development-kinds.mjs), and a few are tested by again (kept-aside.mjs). Those of the last test stand
// in later-programs.mjs. Those of the test before, here, were chosen by a rule, too:
//   Debian  every package of bookworm whose one line of description says that it generates passwords or random strings, tokens or
//           unique ids (/generat|random|unique/ and /password|random string|random token|uuid|guid|unique id/), that runs without
//           a compiler, a service or a secret of yours
//   npm     every package with one of the words uuid, guid, uid, nanoid, ksuid, uniqid, shortid, unique-id, random-id, id-generator,
//           randomstring, random-string, password-generator, generate-password, sqids, hashids or randomatic in its name and 150,000
//           downloads a month or more
// each as its manual shows it first, and in its pronounceable mode where it has one. Of these leave out: what training, tuning or
// an earlier test knows by name (uuid, plain hexadecimal, object ids, cuid, ulid, xid, pwgen, apg, koremutake, proquint, base58 tokens), counters, and what makes
// its names of dictionary words or of people's names (diceware, xkcdpass, random-words, rig), since a person may choose the same.
// All have the same share. They are written in small letters, as the accounts of people are here; what is no part of a name (as
// $ or %) is left out, and so is a name of fewer than five characters, which may be anybody's initials.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { download } from './accounts/packages.mjs';
import { laterPackages } from './later-programs.mjs';

const ofEach = 500;

/** Debian package → the program that prints `ofEach` names, a line or a word each. */
const perl = (module, expression) => ['perl', `-M${module}`, '-e', `print ${expression}, "\\n" for 1..${ofEach}`];
const python = (module, expression) => [
  'python3',
  '-c',
  `import ${module}\nfor _ in range(${ofEach}): print(${expression})`,
];
const debianPrograms = {
  gpw: ['usr/bin/gpw', String(ofEach), '8'],
  'libtext-password-pronounceable-perl': perl(
    'Text::Password::Pronounceable',
    'Text::Password::Pronounceable->generate(6, 10)',
  ),
  'libcrypt-generatepassword-perl (words)': perl('Crypt::GeneratePassword=word', 'word(6, 10)'),
  'libcrypt-generatepassword-perl (characters)': perl('Crypt::GeneratePassword=chars', 'chars(6, 10)'),
  'libstring-mkpasswd-perl': perl('String::MkPasswd=mkpasswd', 'mkpasswd()'),
  makepasswd: ['perl', 'usr/bin/makepasswd', `--count=${ofEach}`],
  'libdata-uniqid-perl (short)': perl('Data::Uniqid=suniqid', 'suniqid'),
  'libdata-uniqid-perl (long)': perl('Data::Uniqid=luniqid', 'luniqid'),
  'libstring-random-perl': perl('String::Random', 'String::Random->new->randpattern("CCcc!ccn")'),
  'libdata-random-perl': perl(
    'Data::Random=rand_chars',
    'join "", rand_chars(set => "alphanumeric", min => 5, max => 8)',
  ),
  'python3-shortuuid': python('shortuuid', 'shortuuid.uuid()'),
  'python3-rstr (letters)': python('rstr', 'rstr.letters(5, 10)'),
  'python3-rstr (letters and digits)': python('rstr', 'rstr.domainsafe()'),
  otp: ['usr/bin/otp', `-n${ofEach}`],
};
const neededBesides = [
  ...[
    'libbytes-random-secure-perl',
    'libcrypt-passwdmd5-perl',
    'libcrypt-random-seed-perl',
    'libmath-random-isaac-perl',
  ],
  ...['libmath-random-isaac-xs-perl', 'libfile-sharedir-perl', 'libclass-inspector-perl'],
];

function debianNames(folder) {
  const packages = [...Object.keys(debianPrograms).map((kind) => kind.split(' ')[0]), ...neededBesides];
  const root = join(folder, 'programs');
  mkdirSync(root, { recursive: true });
  for (const archive of download(folder, [...new Set(packages)])) execFileSync('dpkg-deb', ['-x', archive, root]);
  const compiledModules = join(root, 'usr/lib/x86_64-linux-gnu/perl5');
  const env = {
    ...process.env,
    PERL5LIB: [
      join(root, 'usr/share/perl5'),
      ...readdirSync(compiledModules).map((v) => join(compiledModules, v)),
    ].join(':'),
    PYTHONPATH: join(root, 'usr/lib/python3/dist-packages'),
  };
  return Object.entries(debianPrograms).flatMap(([kind, [program, ...words]]) => {
    const path = program.includes('/') ? join(root, program) : program;
    const text = execFileSync(path, words, { cwd: root, env, encoding: 'utf8' });
    const texts = text.split(/\s+/).filter((word) => !/^(\d+\))?$/.test(word));
    return texts.map((one) => ({ kind, text: one }));
  });
}

/** npm package and version → how its manual has it make a name. */
const npmPackages = {
  'nanoid@5.1.16': ({ nanoid }) => nanoid(),
  'uid@2.0.2': ({ uid }) => uid(),
  'uid-safe@2.1.5': (uid) => uid.sync(18),
  'uid-promise@1.0.0': (uid) => uid(10),
  'randomatic@3.1.1': (randomize) => randomize('Aa0', 10),
  'short-unique-id@5.3.2': (ShortUniqueId) => new ShortUniqueId().rnd(),
  'uniqid@5.4.0': (uniqid) => uniqid(),
  'shortid@2.2.17': (shortid) => shortid.generate(),
  'randomstring@1.3.1': (randomstring) => randomstring.generate(),
  'hyperid@4.0.0': (hyperid) => hyperid()(),
  'generate-password@1.7.1': (generator) => generator.generate({ length: 10, numbers: true }),
  'json-rpc-random-id@1.0.1': (idGenerator) => String(idGenerator()()),
  'short-uuid@6.0.3': (short) => (short.default ?? short).generate(),
  'ksuid@3.0.0': (ksuid) => ksuid.randomSync().string,
  'sqids@0.3.0': ({ default: Sqids }, at) => new Sqids().encode([1, 2, at]),
  'hashids@2.3.0': (Hashids, at) => new (Hashids.default ?? Hashids)().encode(1, 2, at),
  'password-generator@2.3.2': (generatePassword) => generatePassword(),
  'random-string@0.2.0': (randomString) => randomString(),
  'auth0-id-generator@0.2.0': (IdGenerator) => new IdGenerator().new('cus'),
  'uuid-apikey@1.5.3': (uuidAPIKey) => uuidAPIKey.create().apiKey,
};

async function npmNames(folder, packages) {
  const root = join(folder, 'npm-programs');
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"private":true}');
  execFileSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...Object.keys(packages)],
    {
      cwd: root,
    },
  );
  const require = createRequire(join(root, 'package.json'));
  const names = [];
  for (const [kind, make] of Object.entries(packages)) {
    const loaded = await load(require, kind.split('@')[0]);
    for (let at = 0; at < ofEach; at++) names.push({ kind, text: await make(loaded, at * 7919) });
  }
  return names;
}

async function load(require, name) {
  try {
    return require(name);
  } catch {
    return import(require.resolve(name));
  }
}

const folder = resolve(process.argv[2] ?? '');
if (process.argv[2] === undefined) {
  console.error('Name a folder: node fetch-machines.mjs FOLDER');
  process.exit(2);
}
write('machines.ndjson', [...debianNames(folder), ...(await npmNames(folder, npmPackages))]);
write('later-machines.ndjson', await npmNames(folder, laterPackages));

function write(file, names) {
  const made = names
    .map(({ kind, text }) => ({
      kind,
      text: String(text)
        .toLowerCase()
        .replaceAll(/[^a-z0-9._-]|^[._-]+|[._-]+$/g, ''),
    }))
    .filter(({ text }) => text.length >= 5);
  writeFileSync(join(folder, file), `${made.map((one) => JSON.stringify(one)).join('\n')}\n`, { mode: 0o600 });
  console.log(`${file}: ${made.length} names of ${new Set(made.map(({ kind }) => kind)).size} programs`);
}
