// Asks the registry for advisories about the bundled packages. A registry without that service is reported, not a failure.
//   npm run build && node scripts/check-advisories.mjs
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { components } = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8'));
const versions = {};
for (const { name, version } of components) versions[name] = [...(versions[name] ?? []), version];

const shell = process.platform === 'win32';
const registry = execFileSync('npm', ['config', 'get', 'registry', '--silent'], { encoding: 'utf8', shell }).trim();
const answer = await ask(new URL('-/npm/v1/security/advisories/bulk', registry.replace(/\/*$/, '/')));
if (answer.advisories === null) {
  console.log(`${registry} has no advisories (${answer.reason}), so ${components.length} packages are not checked.`);
} else {
  const found = Object.entries(answer.advisories).flatMap(([name, list]) =>
    list.map(({ severity, title, url }) => `${name} ${versions[name]?.join(', ')}: ${severity}: ${title} ${url}`),
  );
  console.log([...found, `${components.length} packages, ${found.length} advisories`].join('\n'));
  process.exitCode = found.length > 0 ? 1 : 0;
}

async function ask(url) {
  try {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(versions),
      signal: AbortSignal.timeout(30_000),
    });
    if (!response.ok) return { advisories: null, reason: `status ${response.status}` };
    return { advisories: await response.json() };
  } catch (error) {
    return { advisories: null, reason: error.cause?.code ?? error.message };
  }
}
