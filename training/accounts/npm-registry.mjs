// Account names of people and teams that publish npm packages: one request per package.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { hashOrderedSample } from './packages.mjs';
import { parsePerson } from './person.mjs';

const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
const packageCount = 36_000;
const concurrency = 12;

/** { account, name, source } for packages without a scope: training data. */
export async function npmAccounts(onProgress) {
  const found = new Map();
  const names = packageNames((name) => !name.startsWith('@'), packageCount);
  await fetchEach(names, onProgress, (response) => {
    for (const person of accountsIn(response)) found.set(`${person.account}\0${person.name}`, person);
  });
  return [...found.keys()].sort().map((key) => found.get(key));
}

/** Author and maintainer fields of `count` scoped packages, unparsed. */
export async function scopedPeople(count) {
  const people = [];
  await fetchEach(
    packageNames((name) => name.startsWith('@'), count),
    () => {},
    ({ author, contributors, maintainers }) => people.push(...[author, contributors, maintainers].flat()),
  );
  return people;
}

/** Packages with at least 1,000 downloads, sampled by the hash of their names. */
function packageNames(wanted, count) {
  const counts = createRequire(import.meta.url)('download-counts');
  const used = Object.keys(counts).filter((name) => counts[name] >= 1_000 && wanted(name));
  return hashOrderedSample(used, count);
}

async function fetchEach(names, onProgress, onPackage) {
  const queue = [...names];
  let fetchedCount = 0;
  const work = async () => {
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      const response = await fetch(new URL(`${name.replace('/', '%2f')}/latest`, registry), {
        signal: AbortSignal.timeout(30_000),
      }).catch(() => null);
      const found = response?.ok ? await response.json().catch(() => null) : null;
      if (found !== null) onPackage(found);
      if (++fetchedCount % 1000 === 0) onProgress(`npm: ${fetchedCount} packages`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

function accountsIn({ author, contributors, maintainers, repository }) {
  const people = [author, contributors, maintainers]
    .flat()
    .map(parsePerson)
    .filter((person) => person !== null);
  const owner = /github\.com[/:]([A-Za-z0-9-]{2,39})\//.exec(repository?.url ?? repository ?? '')?.[1];
  return [
    ...people.map((person) => ({ ...person, source: 'npm address' })),
    ...(owner === undefined ? [] : [{ account: owner.toLowerCase(), name: '', source: 'npm repository' }]),
  ];
}
