// Installs the missing Debian tools that build and test the packages.
import { execFileSync, spawnSync } from 'node:child_process';

const tools = { umoci: 'umoci', debootstrap: 'debootstrap', lintian: 'lintian', mandoc: 'mandoc', strip: 'binutils' };
const missing = Object.entries(tools).filter(([tool]) => spawnSync('which', [tool]).status !== 0);
if (missing.length > 0) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => execFileSync('apt-get', ['-q', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...missing.map(([, name]) => name));
}
