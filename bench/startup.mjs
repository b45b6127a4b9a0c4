// Start-up as multiples of `node -e 0`, measured in the same run: whole processes, interleaved medians. What is measured is the
// package, packed and installed as users get it, with no cache but what Node itself keeps. NODE=path measures another Node.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, milliseconds, report } from './measure.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = process.env.NODE ?? process.execPath;
const home = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
// Reading extra certificates would triple the start of Node itself.
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
const env = { ...environment, MAILVET_HOME: home, MAILVET_CONFIG_DIR: home, NODE_COMPILE_CACHE: join(home, 'cache') };
const rounds = Number(process.env.ROUNDS ?? 41);
const version = execFileSync(node, ['--version'], { env, encoding: 'utf8' }).trim();
const binary = install();
const validate = ['validate', 'a@b.co', '--level', 'syntax', '--json'];
const goal = version.startsWith('v20') ? '≤ 2.0' : '≤ 1.8';

const cases = [
  { name: 'version', what: '--version', args: ['--version'], goal: '≤ 1.3' },
  { name: 'validate', what: 'validate a@b.co --level syntax --json', args: validate, goal },
];
// Node 20 takes what the build kept compiled only where its V8 is the builder's.
if (version.startsWith('v20')) {
  cases.push({ name: 'bare', what: 'the same, built by another Node 20', args: validate, goal, path: withoutKept() });
}

const start = (args) => () => milliseconds(() => spawnSync(node, args, { env, stdio: 'pipe' }));
const contenders = { node: start(['-e', '0']) };
for (const { name, args, path = binary } of cases) contenders[name] = start([path, ...args]);

const medians = await interleave(contenders, rounds);
for (const { name, what, goal } of cases) {
  report({
    bench: 'startup',
    what,
    ours: medians[name],
    peer: medians.node,
    peerName: `node -e 0 (${version})`,
    unit: 'ms',
    ratio: medians[name] / medians.node,
    goal,
  });
}
rmSync(home, { recursive: true, force: true });

/** Packs the package and installs it without a network; gives the program's path. */
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

/** The same package with nothing kept compiled; gives the program's path. */
function withoutKept() {
  const copy = join(home, 'bare');
  cpSync(dirname(dirname(binary)), copy, { recursive: true });
  const program = join(copy, 'dist', 'cli');
  for (const file of readdirSync(program)) if (file.includes('.js.')) rmSync(join(program, file));
  return join(copy, 'bin', 'mailvet.js');
}
