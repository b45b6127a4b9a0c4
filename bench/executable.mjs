// The start of the single executable against the npm package on the same version of Node: medians of interleaved runs.
// ROUNDS=n sets the number of runs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildExecutable } from '../scripts/package/executable.mjs';
import { fetchNode } from '../scripts/package/node.mjs';
import { interleave, milliseconds, report } from './measure.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { program: node } = fetchNode();
const executable = buildExecutable();
const home = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
// Reading extra certificates takes longer than the start of Node itself.
const { NODE_EXTRA_CA_CERTS: _, NODE_COMPILE_CACHE: __, ...environment } = process.env;
const env = { ...environment, MAILVET_HOME: home, MAILVET_CONFIG_DIR: home };
const start = (command, args) => () => milliseconds(() => execFileSync(command, args, { env, stdio: 'pipe' }));

for (const command of ['--version', 'validate a@b.co --level syntax --json', 'jobs list --json']) {
  const args = command.split(' ');
  const contenders = { executable: start(executable, args), npm: start(node, [join(root, 'bin/mailvet.js'), ...args]) };
  const medians = await interleave(contenders, Number(process.env.ROUNDS ?? 41));
  report({
    bench: 'executable',
    what: command,
    ours: medians.executable,
    peer: medians.npm,
    peerName: 'npm package',
    unit: 'ms',
    ratio: medians.executable / medians.npm,
    goal: '≤ 1.3',
  });
}
