import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { aptGet } from '../fakes/apt-get.js';

/** The real servers of the lab, by the program that shows whether the Debian package is installed. */
const programs = {
  postfix: '/usr/sbin/postfix',
  nsd: '/usr/sbin/nsd',
  postgrey: '/usr/sbin/postgrey',
  openssl: '/usr/bin/openssl',
  m4: '/usr/bin/m4',
  faketime: '/usr/bin/faketime',
};

/** The shells to test, and a terminal for typing into them. */
const shells = { zsh: '/usr/bin/zsh', fish: '/usr/bin/fish', bash: '/usr/bin/bash', tmux: '/usr/bin/tmux' };

/** Finds the lab's servers, or installs them; throws an error that says what is missing. */
export function ensurePackages(): void {
  if (process.getuid?.() !== 0) {
    throw new Error(
      'The lab binds port 25 on loopback and starts Postfix, so it must run as root: sudo npm run test:lab',
    );
  }
  ensure(programs);
}

/** Finds the shells, or installs them. */
export function ensureShells(): void {
  ensure(shells);
}

function ensure(programs: Record<string, string>): void {
  const missing = Object.entries(programs).flatMap(([name, path]) => (existsSync(path) ? [] : [name]));
  if (missing.length === 0) return;
  if (spawnSync('apt-get', ['--version']).error) {
    throw new Error(`The lab needs ${missing.join(', ')}, and there is no apt-get here to install them.`);
  }
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...missing);
  const absent = Object.values(programs).filter((path) => !existsSync(path));
  if (absent.length > 0)
    throw new Error(`After installing ${missing.join(', ')}, there is still no ${absent.join(', ')}.`);
}

/** Packages that were fetched before are kept, so that the lab needs the network once. */
const larder = '/var/cache/mailvet-lab';

/** The files of Debian packages, fetched and not installed; the libraries that they need are installed. */
export function fetchPackages(packages: readonly string[]): string[] {
  mkdirSync(larder, { recursive: true });
  const missing = packages.filter((name) => fileOf(name) === undefined);
  if (missing.length > 0) {
    if (!knows(missing)) apt('update');
    apt('install', '-y', '--no-install-recommends', '--no-upgrade', ...librariesOf(packages));
    apt('download', ...missing);
  }
  return packages.map((name) => {
    const file = fileOf(name);
    if (file === undefined) throw new Error(`The lab needs the Debian package ${name}, and apt-get did not fetch it.`);
    return join(larder, file);
  });
}

function fileOf(name: string): string | undefined {
  return readdirSync(larder).find((file) => file.startsWith(`${name}_`) && file.endsWith('.deb'));
}

function knows(packages: readonly string[]): boolean {
  return spawnSync('apt-cache', ['show', ...packages], { stdio: 'ignore' }).status === 0;
}

function librariesOf(packages: readonly string[]): string[] {
  const listed = execFileSync('apt-cache', ['depends', ...packages], { encoding: 'utf8' });
  return [...new Set([...listed.matchAll(/^ +Depends: (lib[^\s:<]+)$/gm)].flatMap(([, name]) => name ?? []))];
}

function apt(...args: string[]): void {
  mkdirSync(larder, { recursive: true });
  aptGet(args, { cwd: larder });
}

/** The library that sets the clock of a program. */
export function fakeTimeLibrary(): string {
  const folder = readdirSync('/usr/lib').find((name) => existsSync(`/usr/lib/${name}/faketime/libfaketime.so.1`));
  return `/usr/lib/${folder}/faketime/libfaketime.so.1`;
}
