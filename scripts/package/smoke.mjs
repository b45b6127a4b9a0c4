// Runs the first commands on the executable, on platforms without the tests of test/packages.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executable } from './executable.mjs';
import { version } from './tree.mjs';

const folder = mkdtempSync(join(tmpdir(), 'mailvet-smoke-'));
const env = { ...process.env, MAILVET_HOME: join(folder, 'home'), MAILVET_CONFIG_DIR: join(folder, 'config') };
const mailvet = (...args) => execFileSync(executable, args, { env, cwd: folder, encoding: 'utf8' });
const list = ['list.csv', '--level', 'syntax'];

assert.equal(mailvet('--version'), `${version}\n`);
assert.match(mailvet('validate', 'dörte@sörensen.de', '--level', 'syntax'), /xn--srensen-90a\.de/);
writeFileSync(join(folder, 'list.csv'), 'email\r\njane.doe@gmail.com\r\nnot an address\r\n');
mailvet('bulk', ...list, '-o', 'vetted.csv');
assert.match(readFileSync(join(folder, 'vetted.csv'), 'utf8'), /^jane\.doe@gmail\.com,valid/m);
mailvet('upload', ...list, '--column', 'email', '--yes', '--wait', '-o', 'job.csv');
assert.match(readFileSync(join(folder, 'job.csv'), 'utf8'), /^not an address,invalid/m);
assert.equal(JSON.parse(mailvet('jobs', 'list', '--json')).total, 1);
assert.match(mailvet('completion', 'bash'), /_mailvet/);
const { key } = JSON.parse(mailvet('keys', 'create', '--name', 'smoke', '--json'));
const server = spawn(executable, ['serve', '--port', '0', '--level', 'syntax', '--json'], { env, cwd: folder });
try {
  const [line] = await once(server.stdout, 'data');
  const { url } = JSON.parse(line);
  const answer = await fetch(`${url}/validation/single?email=jane.doe@gmail.com`, { headers: { 'X-API-Key': key } });
  assert.equal((await answer.json()).status, 'valid');
} finally {
  server.kill();
  await once(server, 'exit');
}
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
console.log(`${executable} works.`);
