// The Node that is part of the executable: an official build from the npm registry, which checks its integrity.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
/** The folder of everything that is built for users, except for the npm package. */
export const output = join(root, 'build');
export const nodeVersion = '24.21.0';

/** Fetches Node for this platform once. Returns the paths of the program and its license. */
export function fetchNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = join(output, `${name}-${nodeVersion}`);
  if (!existsSync(folder)) {
    mkdirSync(output, { recursive: true });
    const work = mkdtempSync(join(output, 'node-'));
    npm('pack', '--silent', '--pack-destination', work, `${name}@${nodeVersion}`);
    execFileSync('tar', ['-xzf', `${name}-${nodeVersion}.tgz`], { cwd: work });
    renameSync(join(work, 'package'), folder);
    rmSync(work, { recursive: true });
  }
  const program = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return { program, license: readFileSync(join(folder, 'LICENSE'), 'utf8') };
}

/** Runs npm; returns its output. */
export function npm(...args) {
  // On Windows, npm is a shell script.
  const options = {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
  };
  return execFileSync('npm', args, options);
}
