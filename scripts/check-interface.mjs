// What the server says of its interface: `redocly lint` finds nothing in it, and test/server/interface-types.ts is what
// openapi-typescript makes of it. npm run build, then node scripts/check-interface.mjs [--write]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const types = 'test/server/interface-types.ts';
const work = mkdtempSync(join(tmpdir(), 'mailvet-interface-'));
const env = { ...process.env, MAILVET_HOME: work, MAILVET_CONFIG_DIR: join(work, 'config') };
const run = (command, ...args) => execFileSync(command, args, { env, encoding: 'utf8' });

try {
  const document = join(work, 'openapi.json');
  writeFileSync(document, await description());
  lint(document);
  const made = generate(document);
  if (process.argv.includes('--write')) writeFileSync(types, made);
  else if (readFileSync(types, 'utf8') !== made) {
    console.error(`${types} is not what the interface gives. Run: node scripts/check-interface.mjs --write`);
    process.exitCode = 1;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function description() {
  const { key } = JSON.parse(run(process.execPath, 'bin/mailvet.js', 'keys', 'create', '--name', 'check', '--json'));
  const args = ['bin/mailvet.js', 'serve', '--port', '0', '--level', 'syntax', '--json'];
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = await once(server.stdout, 'data');
    const { origin } = new URL(JSON.parse(line).url);
    const answer = await fetch(`${origin}/openapi.json`, { headers: { 'x-api-key': key } });
    return await answer.text();
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

/** Warnings count as errors. */
function lint(document) {
  Object.assign(env, { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' });
  run('npx', '-y', '@redocly/cli@2.73.0', 'lint', '--extends', 'recommended-strict', document);
}

/** Beside a compiler of its own: it works with TypeScript 5 alone, and the project is checked with a later one. */
function generate(document) {
  const made = join(work, 'types.ts');
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
    made,
  );
  const stdin = readFileSync(made, 'utf8');
  return execFileSync('npx', ['biome', 'format', `--stdin-file-path=${types}`], { input: stdin, encoding: 'utf8' });
}
