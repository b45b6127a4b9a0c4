// Checks that package-lock.json works on every supported platform. npm silently skips an optional package that it cannot
// fetch, and the tests then fail on the platform that needs it.
//   node scripts/check-lock.mjs
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const supported = { os: 'linux', cpus: ['x64', 'arm64'] };
const fetchTimeoutMs = 60_000;
const maxConcurrentFetches = 4;

const entries = Object.entries(packages)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({ ...entry, name: entry.name ?? path.split('node_modules/').at(-1) }));
const named = new Set(entries.map(({ name }) => name));
const native = entries.filter(
  ({ os, cpu }) => os?.includes(supported.os) && cpu?.some((processor) => supported.cpus.includes(processor)),
);

const faults = [...entries.flatMap(entryFaults), ...(await fetchFaults(native))];
if (faults.length > 0) {
  console.error(`package-lock.json does not work on ${supported.os} with ${supported.cpus.join(' and ')}:`);
  for (const fault of faults) console.error(`  ${fault}`);
  console.error('Pin a version that has them all (see "overrides" in package.json), then run: npm install');
  process.exitCode = 1;
} else {
  console.log(
    `package-lock.json: ${entries.length} packages with hashes; all ${native.length} made for ${supported.os} on ${supported.cpus.join(' or ')} were fetched.`,
  );
}

/** What is wrong with one entry of the lock file. */
function entryFaults({ name, version, integrity, resolved, optionalDependencies = {} }) {
  const faults = [];
  if (integrity === undefined) faults.push(`${name}@${version}: no integrity hash`);
  if (resolved !== undefined) faults.push(`${name}@${version}: names a registry (${resolved})`);
  for (const needed of Object.keys(optionalDependencies)) {
    if (!named.has(needed)) {
      faults.push(`${needed}: ${name}@${version} may need it, but it is not in the lock file`);
    }
  }
  return faults;
}

async function fetchFaults(wanted) {
  const folder = mkdtempSync(join(tmpdir(), 'mailvet-lock-'));
  const queue = [...wanted];
  const faults = [];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const fault = await fetchFault(next, folder);
      if (fault !== null) faults.push(fault);
    }
  };
  try {
    await Promise.all(Array.from({ length: maxConcurrentFetches }, work));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return faults.sort();
}

/** Fetches one package, also for another platform, and compares its hash. */
async function fetchFault({ name, version, integrity }, folder) {
  const spec = `${name}@${version}`;
  try {
    const { stdout } = await promisify(execFile)('npm', ['pack', spec, '--json', '--pack-destination', folder], {
      timeout: fetchTimeoutMs,
    });
    const [fetched] = JSON.parse(stdout);
    return fetched.integrity === integrity ? null : `${spec}: the registry has ${fetched.integrity}, not ${integrity}`;
  } catch (error) {
    if (error.killed) return `${spec}: not fetched within ${fetchTimeoutMs / 1_000} s`;
    const reason = /npm error (code \w+|.*not found.*|.*No match.*)/i.exec(error.stderr ?? '')?.[1] ?? error.message;
    return `${spec}: cannot be fetched (${reason})`;
  }
}
