// Start-up as multiples of `node -e 0`, measured in the same run: whole processes, interleaved medians.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, milliseconds, report } from './measure.mjs';

const binary = join(dirname(dirname(fileURLToPath(import.meta.url))), 'bin', 'mailvet.js');
const home = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
// Reading extra certificates would triple the start of Node itself.
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
const env = { ...environment, MAILVET_HOME: home, MAILVET_CONFIG_DIR: home };
const rounds = Number(process.env.ROUNDS ?? 21);

const cases = [
  { name: 'version', what: '--version', args: ['--version'], goal: '≤ 1.3' },
  {
    name: 'validate',
    what: 'validate a@b.co --level syntax --json',
    args: ['validate', 'a@b.co', '--level', 'syntax', '--json'],
    goal: '≤ 1.7',
  },
];

const start = (args) => () => milliseconds(() => spawnSync(process.execPath, args, { env, stdio: 'pipe' }));
const contenders = { node: start(['-e', '0']) };
for (const { name, args } of cases) contenders[name] = start([binary, ...args]);

const medians = await interleave(contenders, rounds);
for (const { name, what, goal } of cases) {
  report({
    bench: 'startup',
    what,
    ours: medians[name],
    peer: medians.node,
    peerName: 'node -e 0',
    unit: 'ms',
    ratio: medians[name] / medians.node,
    goal,
  });
}
rmSync(home, { recursive: true, force: true });
