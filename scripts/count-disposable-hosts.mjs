// Counts how many listed domains each mail server serves, and prints lines for scripts/curated/disposable-hosts.txt.
//   node scripts/count-disposable-hosts.mjs [--resolver ADDRESS[:PORT]] [--least 20] [--sample N]
// Looks up the MX records of every domain in disposable.txt, and of the free and curated domains as a control: a server that one of those
// uses is left out. This takes an hour, so it is not part of refresh-data.
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { resolver: { type: 'string' }, least: { type: 'string', default: '20' }, sample: { type: 'string' } },
});
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const linesOf = (path) =>
  readFileSync(join(root, path), 'utf8')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');
const { providers } = JSON.parse(readFileSync(join(root, 'src/engine/data/providers.json'), 'utf8'));
const sharedHosts = providers.flatMap(({ hosts }) => hosts);
const disposable = linesOf('src/engine/data/disposable.txt');
const controls = [
  ...linesOf('src/engine/data/free.txt'),
  ...['never-disposable.txt', 'relays.txt', 'institutions.txt'].flatMap((file) => linesOf(`scripts/curated/${file}`)),
];

const resolver = new Resolver({ timeout: 3000, tries: 2 });
if (values.resolver !== undefined) resolver.setServers([values.resolver]);

const listed = new Set(disposable);
const isShared = (host) => sharedHosts.some((name) => host === name || host.endsWith(`.${name}`));
/** These are found at run time without this table. */
const isListed = (host) => host.split('.').some((_, index, labels) => listed.has(labels.slice(index).join('.')));

const sampleOf = (names) => (values.sample === undefined ? names : every(names, Number(values.sample)));
const sample = sampleOf(disposable);
const counts = await countHosts(sample);
const used = await countHosts(sampleOf(controls));
const found = [...counts]
  .filter(([host, domains]) => domains >= Number(values.least) && !used.has(host) && !isShared(host) && !isListed(host))
  .sort(([, a], [, b]) => b - a);
for (const [host, domains] of found) console.log(`${host} ${domains}`);
console.error(
  `${sample.length} domains, ${counts.size} mail servers, ${found.length} that serve disposable domains only`,
);

/** The number of domains per mail server. Domains without an answer are not counted. */
async function countHosts(domains) {
  const perHost = new Map();
  let next = 0;
  const work = async () => {
    while (next < domains.length) {
      const records = await resolver.resolveMx(domains[next++]).catch(() => []);
      for (const host of new Set(records.map(({ exchange }) => exchange.toLowerCase()))) {
        if (host !== '') perHost.set(host, (perHost.get(host) ?? 0) + 1);
      }
    }
  };
  await Promise.all(Array.from({ length: 100 }, work));
  return perHost;
}

function every(names, size) {
  const step = Math.max(1, Math.floor(names.length / size));
  return names.filter((_, index) => index % step === 0);
}
