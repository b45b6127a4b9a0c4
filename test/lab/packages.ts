import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The real servers of the lab, by the program that tells whether the Debian package is there. */
const programs = {
  postfix: '/usr/sbin/postfix',
  nsd: '/usr/sbin/nsd',
  postgrey: '/usr/sbin/postgrey',
  openssl: '/usr/bin/openssl',
};

/** Finds the lab's servers, or installs them; throws a sentence that says what is missing. */
export function ensurePackages(): void {
  const missing = Object.entries(programs).flatMap(([name, path]) => (existsSync(path) ? [] : [name]));
  if (process.getuid?.() !== 0) {
    throw new Error(
      'The lab binds port 25 on loopback and starts Postfix, so it must run as root: sudo npm run test:lab',
    );
  }
  if (missing.length === 0) return;
  if (spawnSync('apt-get', ['--version']).error) {
    throw new Error(`The lab needs ${missing.join(', ')}, and there is no apt-get here to install them.`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-q'], { env, stdio: 'ignore' });
  execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...missing], { env, stdio: 'ignore' });
  const absent = Object.values(programs).filter((path) => !existsSync(path));
  if (absent.length > 0)
    throw new Error(`After installing ${missing.join(', ')}, there is still no ${absent.join(', ')}.`);
}
