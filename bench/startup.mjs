// The time of whole processes as a multiple of `node -e 0`: medians of interleaved runs. The package is packed and installed
// as it is for users. NODE=path measures another Node, ROUNDS=n sets the number of runs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, milliseconds, report } from './measure.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = process.env.NODE ?? process.execPath;
const home = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
// Reading extra certificates takes longer than the start of Node itself.
const { NODE_EXTRA_CA_CERTS: _, NODE_COMPILE_CACHE: __, ...environment } = process.env;
const env = { ...environment, MAILVET_HOME: home, MAILVET_CONFIG_DIR: home };
const rounds = Number(process.env.ROUNDS ?? 41);
const version = execFileSync(node, ['--version'], { env, encoding: 'utf8' }).trim();
const binary = install();
const validate = 'validate a@b.co --level syntax --json';
const goal = version.startsWith('v20') ? '≤ 2.3' : '≤ 1.9';

const commands = [
  { command: '--version', goal: '≤ 1.3' },
  { command: validate, goal },
  { command: `${validate} --local`, goal },
  { command: `${validate} --quiet`, goal },
];

const start = (args) => () => milliseconds(() => execFileSync(node, args, { env, stdio: 'pipe' }));
const contenders = { node: start(['-e', '0']) };
for (const { command } of commands) contenders[command] = start([binary, ...command.split(' ')]);

const medians = await interleave(contenders, rounds);
for (const { command, goal } of commands) {
  report({
    bench: 'startup',
    what: command,
    ours: medians[command],
    peer: medians.node,
    peerName: `node -e 0 (${version})`,
    unit: 'ms',
    ratio: medians[command] / medians.node,
    goal,
  });
}

/** Packs the package and installs it without a network; returns the path of the program. */
function install() {
  const options = { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('npm', ['pack', '--silent', '--pack-destination', home], options);
  const tarball = readdirSync(home).find((file) => file.endsWith('.tgz'));
  const prefix = join(home, 'prefix');
  execFileSync(
    'npm',
    ['install', '--silent', '--global', '--offline', '--prefix', prefix, join(home, tarball)],
    options,
  );
  return join(prefix, 'lib', 'node_modules', 'mailvet', 'bin', 'mailvet.js');
}
