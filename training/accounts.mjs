// Account names of real people, from two readers: npm's registry and Debian's packages. Only weights trained on them are
// published. `node accounts.mjs FOLDER` downloads 38,000 package descriptions and 10,900 small packages.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const mirror = 'http://deb.debian.org/debian';
/** Source → what it is for, and how it is read. Sources of one purpose share no account with the others. */
const sources = {
  npm: { use: 'training', read: () => npmPeople((name) => !name.startsWith('@'), 30_000) },
  python: { use: 'training', read: () => debianPeople(/^python3-/, 1_500) },
  perl: { use: 'training', read: () => debianPeople(/^lib.*-perl$/, 1_200) },
  others: {
    use: 'training',
    read: () => debianPeople(/^(?!python3-|lib.*-perl$|r-|librust-|libghc-|ruby-|elpa-)/, 4_500),
  },
  r: { use: 'tuning', read: () => debianPeople(/^r-/, 1_000) },
  rust: { use: 'tuning', read: () => debianPeople(/^librust-/, 800) },
  ruby: { use: 'tuning', read: () => debianPeople(/^ruby-/, 800) },
  scoped: { use: 'test', read: () => npmPeople((name) => name.startsWith('@'), 8_000) },
  haskell: { use: 'test', read: () => debianPeople(/^libghc-/, 600) },
  emacs: { use: 'test', read: () => debianPeople(/^elpa-/, 500) },
};

/** Accounts { account, source } for training, tuning and the test. */
export function readAccounts(folder) {
  if (folder === undefined) throw new Error('Set ACCOUNTS to the folder that accounts.mjs filled.');
  const seen = new Set();
  const uses = { training: [], tuning: [], test: [] };
  for (const [source, { use }] of Object.entries(sources)) {
    const file = join(folder, `${source}.txt`);
    if (!existsSync(file)) throw new Error(`${file} is missing. Run accounts.mjs first.`);
    for (const account of readFileSync(file, 'utf8').trim().split('\n')) {
      if (!seen.has(account)) uses[use].push({ account, source });
      seen.add(account);
    }
  }
  return uses;
}

const placeholderLocalPart =
  /^(email|e-?mail|you|your[._-]?.*|me|no-?reply.*|unknown|none|null|undefined|user|username|name|example|test|xxx.*|foo|bar)$/;
const placeholderDomain = /(^|\.)(example\.(com|org|net)|localhost|address|invalid|local|localdomain)$|noreply/i;

/** The account in `Jane Doe <jane@corp.com>`; null for placeholders and for text without a name. */
export function accountOf(text) {
  const found = /[^\s<>"(]\s*"?\s*<\s*([A-Za-z0-9._+-]{1,40})@([A-Za-z0-9.-]+\.[A-Za-z]{2,})\s*>/.exec(text);
  if (found === null) return null;
  const [, local, domain] = found;
  const account = local
    .toLowerCase()
    .replace(/(?<=.)\+.*/, '')
    .replace(/^[._+-]+|[._+-]+$/g, '');
  return account.length < 2 || placeholderLocalPart.test(account) || placeholderDomain.test(domain) ? null : account;
}

/** The first `count` names, ordered by their hashes. */
export function hashOrderedSample(names, count) {
  const hash = (name) => createHash('sha256').update(name).digest('hex');
  const ordered = names.map((name) => [hash(name), name]).sort(([one], [other]) => (one < other ? -1 : 1));
  return ordered.slice(0, count).map(([, name]) => name);
}

/** Authors and maintainers of packages with 1,000 downloads or more, and owners of their repositories. */
async function npmPeople(wanted, count) {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const counts = createRequire(import.meta.url)('download-counts');
  const queue = hashOrderedSample(
    Object.keys(counts).filter((name) => counts[name] >= 1_000 && wanted(name)),
    count,
  );
  const accounts = [];
  let answers = 0;
  const work = async () => {
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      const address = new URL(`${name.replace('/', '%2f')}/latest`, registry);
      const response = await fetch(address, { signal: AbortSignal.timeout(30_000) }).catch(() => null);
      const found = response?.ok ? await response.json().catch(() => null) : null;
      if (found !== null) answers++;
      const { author, contributors, maintainers, repository } = found ?? {};
      const owner = /github\.com[/:]([A-Za-z0-9-]{2,39})\//.exec(repository?.url ?? repository ?? '')?.[1];
      if (owner !== undefined) accounts.push(owner.toLowerCase());
      for (const person of [author, contributors, maintainers].flat())
        accounts.push(accountOf(typeof person === 'string' ? person : `${person?.name} <${person?.email}>`));
    }
  };
  await Promise.all(Array.from({ length: 24 }, work));
  if (answers < count / 2) throw new Error(`The registry answered ${answers} of ${count} requests.`);
  return accounts;
}

const plainFiles =
  '*/copyright *.mo */METADATA */PKG-INFO */DESCRIPTION */Cargo.toml *.gemspec *.pm *.el */AUTHORS *.conf';
const packedFiles = '*/AUTHORS.gz */changelog*.gz */CREDITS.gz';
const maxBytes = 200_000;

/** People named with an address in the small packages of this release whose names match, verified by apt's digests. */
async function debianPeople(pattern, count) {
  const entries = execFileSync('apt-cache', ['dumpavail'], { encoding: 'utf8', maxBuffer: 1 << 30 }).split('\n\n');
  const paths = new Map();
  for (const entry of entries) {
    const field = (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(entry)?.[1] ?? '';
    if (pattern.test(field('Package')) && Number(field('Size')) <= maxBytes)
      paths.set(field('Filename'), field('SHA256'));
  }
  const folder = resolve(given, 'downloads');
  mkdirSync(folder, { recursive: true });
  const sample = hashOrderedSample([...paths.keys()], count);
  const missing = sample.filter((path) => !existsSync(join(folder, basename(path))));
  const config = missing.map((path) => `url = "${mirror}/${path}"\noutput = "${basename(path)}"`).join('\n');
  const options = ['-sSf', '--no-progress-meter', '--parallel', '--parallel-max', '32', '--config', '-'];
  // A package that has left the mirror since the last `apt-get update` is left out.
  if (missing.length > 0) spawnSync('curl', options, { cwd: folder, input: config });
  const digestOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
  const archives = sample
    .map((path) => ({ file: join(folder, basename(path)), digest: paths.get(path) }))
    .filter(({ file, digest }) => existsSync(file) && digestOf(file) === digest)
    .map(({ file }) => file);
  const read = (files) =>
    `dpkg-deb --fsys-tarfile "$archive" | tar xO --wildcards ${files.replaceAll(/\S+/g, "'$&'")} 2>/dev/null`;
  const each = `${read(plainFiles)}; ${read(packedFiles)} | gzip -dcf 2>/dev/null`;
  const command = `for archive; do ${each}; done | LC_ALL=C grep -aoE '[^<>]{2,40}<[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+>'`;
  const child = spawn('sh', ['-c', command, 'sh', ...archives], { stdio: ['ignore', 'pipe', 'inherit'] });
  const accounts = [];
  for await (const line of createInterface({ input: child.stdout })) accounts.push(accountOf(line));
  return accounts;
}

const given = process.argv[2];
if (import.meta.filename === resolve(process.argv[1] ?? '')) {
  if (given === undefined || !relative(resolve(import.meta.dirname, '..'), resolve(given)).startsWith('..'))
    throw new Error('Name a folder outside the repository: node accounts.mjs FOLDER');
  mkdirSync(given, { recursive: true, mode: 0o700 });
  for (const [source, { read }] of Object.entries(sources)) {
    const file = join(given, `${source}.txt`);
    if (existsSync(file)) continue;
    const accounts = [...new Set(await read())].filter((account) => account !== null).sort();
    writeFileSync(file, `${accounts.join('\n')}\n`, { mode: 0o600 });
    console.log(`${source}: ${accounts.length} accounts`);
  }
}
