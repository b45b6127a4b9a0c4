import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The other runtimes, from their npm packages. */
export const runtimes = { bun: '1.4.4', deno: '2.9.6', workerd: '1.20261104.1' };

const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'mailvet-test-runtimes');

/** The path of a runtime's program, installed into a cache folder; null, with a note, if it cannot be fetched. */
export function installRuntime(name: keyof typeof runtimes): string | null {
  const folder = join(cache, `${name}-${runtimes[name]}`);
  const program = join(folder, 'node_modules/.bin', name);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  try {
    const quick = ['--no-save', '--no-audit', '--no-fund', '--fetch-retries=1', '--fetch-timeout=60000'];
    const args = ['install', '--prefix', folder, ...quick, `${name}@${runtimes[name]}`];
    execFileSync('npm', args, { stdio: 'pipe', timeout: 240_000 });
    // Some packages fetch their program in an install script, which npm may refuse to run.
    execFileSync(program, ['--version'], { stdio: 'pipe' });
    return program;
  } catch (error) {
    console.warn(`${name} ${runtimes[name]} cannot be fetched, so its test is skipped: ${String(error).slice(0, 300)}`);
    return null;
  }
}
