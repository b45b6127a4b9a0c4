// Checks the OpenAPI document of the server: `redocly lint` accepts it, and test/server/interface-types.ts is what
// openapi-typescript generates from it.
//   npm run build && node scripts/check-interface.mjs [--write]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const types = 'test/server/interface-types.ts';
const work = mkdtempSync(join(tmpdir(), 'mailvet-interface-'));
const env = { ...process.env, MAILVET_HOME: work, MAILVET_CONFIG_DIR: join(work, 'config') };
const run = (command, ...args) => execFileSync(command, args, { env, encoding: 'utf8' });

try {
  const document = join(work, 'openapi.json');
  writeFileSync(document, await fetchDocument());
  lint(document);
  const generated = generateTypes(document);
  if (process.argv.includes('--write')) writeFileSync(types, generated);
  else if (readFileSync(types, 'utf8') !== generated) {
    console.error(`${types} does not match the OpenAPI document. Run: node scripts/check-interface.mjs --write`);
    process.exitCode = 1;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The document of a server that is started for this. */
async function fetchDocument() {
  const { key } = JSON.parse(run(process.execPath, 'bin/mailvet.js', 'keys', 'create', '--name', 'check', '--json'));
  const args = ['bin/mailvet.js', 'serve', '--port', '0', '--level', 'syntax', '--json'];
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(server, 'exit');
  try {
    const line = await Promise.race([once(createInterface(server.stdout), 'line'), exited]).then(([first]) => first);
    if (typeof line !== 'string') throw new Error('The server ended before it was ready.');
    const { origin } = new URL(JSON.parse(line).url);
    const response = await fetch(`${origin}/openapi.json`, { headers: { 'x-api-key': key } });
    if (!response.ok) throw new Error(`The server answered /openapi.json with HTTP ${response.status}.`);
    return await response.text();
  } finally {
    server.kill('SIGTERM');
    await exited;
  }
}

/** Warnings count as errors. */
function lint(document) {
  Object.assign(env, { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' });
  run('npx', '-y', '@redocly/cli@2.73.0', 'lint', '--extends', 'recommended-strict', document);
}

/** openapi-typescript works with TypeScript 5 only, so it is installed with its own. */
function generateTypes(document) {
  const file = join(work, 'types.ts');
  run(
    'npx',
    '-y',
    '-p',
    'openapi-typescript@7.13.0',
    '-p',
    'typescript@5.9.3',
    'openapi-typescript',
    document,
    '-o',
    file,
  );
  const input = readFileSync(file, 'utf8');
  return execFileSync('npx', ['biome', 'format', `--stdin-file-path=${types}`], { input, encoding: 'utf8' });
}
