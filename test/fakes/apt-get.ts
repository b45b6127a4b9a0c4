import { execFileSync } from 'node:child_process';

/** Runs apt-get, one at a time, since suites that run side by side install what they need. */
export function aptGet(args: readonly string[], options: { cwd?: string; timeout?: number } = {}): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const command = ['/tmp/apt-get-of-tests.lock', 'apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300', ...args];
  execFileSync('flock', command, { ...options, env, stdio: ['ignore', 'ignore', 'pipe'] });
}
