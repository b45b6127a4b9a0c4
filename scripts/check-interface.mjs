// Checks the OpenAPI document of the server: `redocly lint` accepts it, and test/server/generated-client.test.ts compiles
// with the types that openapi-typescript generates from it.
//   npm run build && node scripts/check-interface.mjs
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const client = 'test/server/generated-client.test.ts';
const work = mkdtempSync(join(tmpdir(), 'mailvet-interface-'));
const env = { ...process.env, MAILVET_HOME: work, MAILVET_CONFIG_DIR: join(work, 'config') };
const run = (command, ...args) => execFileSync(command, args, { env, encoding: 'utf8' });

try {
  const document = join(work, 'openapi.json');
  writeFileSync(document, await fetchDocument());
  lint(document);
  checkClient(generateTypes(document));
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
  return readFileSync(file, 'utf8');
}

/** Compiles the client with these types, as a copy that is not left out of the check. */
function checkClient(types) {
  const folder = dirname(client);
  const files = { types: join(folder, 'generated-types.ts'), client: join(folder, 'checked-client.ts') };
  try {
    writeFileSync(files.types, types);
    writeFileSync(files.client, readFileSync(client, 'utf8').replace(/^\/\/ @ts-nocheck.*\n/, ''));
    run('npx', 'tsc', '--noEmit');
  } finally {
    for (const file of Object.values(files)) rmSync(file, { force: true });
  }
}
