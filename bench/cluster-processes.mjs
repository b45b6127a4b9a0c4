// Starts the processes of bench/cluster (PostgreSQL with fsync, the built program) and measures what they use.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const binary = join(root, 'bin/mailvet.js');

/** The servers of test/cluster, compiled from TypeScript. */
export async function compileServers() {
  const out = join(root, 'node_modules/.cache/mailvet-bench', `cluster-${process.pid}`);
  await build({
    entryPoints: [join(root, 'test/cluster/postgres.ts'), join(root, 'test/cluster/redis.ts')],
    outdir: out,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    define: { __VERSION__: JSON.stringify('bench') },
    logLevel: 'error',
  });
  const [postgres, redis] = await Promise.all(['postgres', 'redis'].map((name) => import(join(out, `${name}.mjs`))));
  rmSync(out, { recursive: true });
  return {
    startPostgres: (settings = []) => postgres.startPostgres(['fsync=on', ...settings]),
    startRedis: redis.startRedis,
  };
}

/** An environment with its own data directory inside the folder. */
export function makeEnvironment(folder, change = {}) {
  const home = mkdtempSync(join(folder, 'home-'));
  const { PATH, TMPDIR } = process.env;
  return {
    PATH,
    ...(TMPDIR && { TMPDIR }),
    HOME: home,
    MAILVET_HOME: home,
    MAILVET_CONFIG_DIR: join(home, 'config'),
    ...change,
  };
}

export function makeFolder() {
  return mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
}

const started = new Set();
process.on('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

/** Starts the program. It is killed when the benchmark exits. */
export function start(args, env, stdio = ['ignore', 'pipe', 'inherit']) {
  const child = spawn(process.execPath, [binary, ...args], { env, stdio });
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

/** Runs the program and returns its output. */
export async function run(args, env) {
  const child = start(args, env);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`mailvet ${args.join(' ')} exited with ${status}.`);
  return out;
}

export async function stop(...children) {
  await Promise.all(
    children.map((child) => {
      child.kill('SIGTERM');
      return once(child, 'exit');
    }),
  );
}

/** Starts a server; returns its process and URL. */
export async function startServe(args, env) {
  const child = start(['serve', '--port', '0', '--set', 'serve.web=false', '--json', '-q', ...args], env);
  const [line] = await once(child.stdout, 'data');
  return { child, url: JSON.parse(line).url };
}

/** Samples CPU time and peak memory of the processes for which `labelOf` returns a label. */
export function watchProcesses(labelOf, everyMs = 250) {
  const samples = new Map();
  const sample = () => {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const label = labelOf(Number(name));
      if (label === null) continue;
      const usage = readProcess(name);
      if (usage !== null) samples.set(`${label} ${name}`, { label, ...usage });
    }
  };
  sample();
  const timer = setInterval(sample, everyMs);
  return {
    stop: () => {
      sample();
      clearInterval(timer);
      return [...samples.values()];
    },
  };
}

/** Clock ticks per second on Linux. */
const ticksPerSecond = 100;

export function readProcess(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').pop().split(' ');
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const peak = /VmHWM:\s+(\d+)/.exec(status);
    return { cpu: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond, peakMb: Number(peak?.[1] ?? 0) / 1024 };
  } catch {
    // The process has exited.
    return null;
  }
}

export function parentOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').pop().split(' ')[1]);
  } catch {
    return 0;
  }
}

/** The command line of a process. */
export function commandLineOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

export function hasVariable(pid, name, value) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${name}=${value}`);
  } catch {
    return false;
  }
}

/** The job if it has ended, otherwise null. */
export const endedJob = (job) => (['completed', 'failed', 'canceled'].includes(job.status) ? job : null);

/** Polls until `read` returns a truthy value; returns that. */
export async function pollUntil(read, everyMs = 500) {
  for (;;) {
    const value = await read();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
