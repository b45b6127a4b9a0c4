// Account names of the people and teams who publish packages. One request a package, a dozen at a time.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { someOf } from './packages.mjs';
import { parsePerson } from './person.mjs';

const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
const packagesWanted = 36_000;
const atATime = 12;

/** { account, name, source } of those behind the packages without a scope: training data. */
export async function npmAccounts(onProgress) {
  const found = new Map();
  const names = packageNames((name) => !name.startsWith('@'), packagesWanted);
  await askEach(names, onProgress, (answer) => {
    for (const person of accountsIn(answer)) found.set(`${person.account}\0${person.name}`, person);
  });
  return [...found.keys()].sort().map((key) => found.get(key));
}

/** What stands for the authors and maintainers of so many packages in scopes, as the registry has it. */
export async function scopedPeople(count) {
  const people = [];
  await askEach(
    packageNames((name) => name.startsWith('@'), count),
    () => {},
    ({ author, contributors, maintainers }) => people.push(...[author, contributors, maintainers].flat()),
  );
  return people;
}

/** Packages with some users, in an order that only their names decide. */
function packageNames(wanted, count) {
  const counts = createRequire(import.meta.url)('download-counts');
  const used = Object.keys(counts).filter((name) => counts[name] >= 1_000 && wanted(name));
  return someOf(used, count);
}

async function askEach(names, onProgress, onAnswer) {
  const queue = [...names];
  let asked = 0;
  const work = async () => {
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      const answer = await fetch(new URL(`${name.replace('/', '%2f')}/latest`, registry), {
        signal: AbortSignal.timeout(30_000),
      }).catch(() => null);
      const found = answer?.ok ? await answer.json().catch(() => null) : null;
      if (found !== null) onAnswer(found);
      if (++asked % 1000 === 0) onProgress(`npm: ${asked} packages`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
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
