// Account names of the people and teams who publish packages: training data. One request a package, a dozen at a time.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { someOf } from './packages.mjs';
import { parsePerson } from './person.mjs';

const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
const packagesWanted = 36_000;
const atATime = 12;
/** Account → { account, name, source } of the packages with some users, in an order that only their names decide. */
export async function npmAccounts(onProgress) {
  const queue = packageNames();
  const found = new Map();
  let asked = 0;
  const work = async () => {
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      for (const person of await peopleOf(name)) found.set(`${person.account}\0${person.name}`, person);
      if (++asked % 1000 === 0) onProgress(`npm: ${asked} packages, ${found.size} accounts`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return [...found.keys()].sort().map((key) => found.get(key));
}

function packageNames() {
  const counts = createRequire(import.meta.url)('download-counts');
  const used = Object.keys(counts).filter((name) => counts[name] >= 1_000 && !name.startsWith('@'));
  return someOf(used, packagesWanted);
}

async function peopleOf(name) {
  const answer = await fetch(new URL(`${name}/latest`, registry), {
    signal: AbortSignal.timeout(30_000),
  }).catch(() => null);
  if (answer === null || !answer.ok) return [];
  const { author, contributors, maintainers, repository } = await answer.json();
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
