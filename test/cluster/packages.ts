import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { aptGet } from '../fakes/apt-get.js';

/** The folder of PostgreSQL's programs on Debian, by version. */
const debianFolder = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs, which are installed if they are missing. Throws an error that says what is not available. */
export function findPostgres(): string {
  const found = postgresFolder();
  if (found !== null) return found;
  install('postgresql');
  const installed = postgresFolder();
  if (installed === null) throw new Error('After installing postgresql, there is still no initdb.');
  return installed;
}

/** The path of a program from the Debian package of the same name, which is installed if it is missing. */
export function findProgram(name: string, debianPackage = name): string {
  const paths = [`/usr/sbin/${name}`, `/usr/bin/${name}`];
  if (!paths.some(existsSync)) install(debianPackage);
  return paths.find(existsSync) ?? name;
}

/** The path of Redis, which is installed if it is missing. */
export function findRedis(): string {
  if (spawnSync('redis-server', ['--version']).error !== undefined) install('redis-server');
  return 'redis-server';
}

function postgresFolder(): string | null {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debianFolder, version, 'bin'));
  const asked = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  if (asked.status === 0) folders.push(asked.stdout.trim());
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

function install(name: string): void {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).error) {
    throw new Error(`These tests need ${name}. Install it first, e.g. with: sudo apt-get install ${name}`);
  }
  aptGet(['update']);
  aptGet(['install', '-y', '--no-install-recommends', name]);
}
