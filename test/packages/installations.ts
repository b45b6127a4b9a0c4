import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const build = join(root, 'build');

/** One way of getting mailvet, installed. */
export interface Installation {
  /** Runs mailvet; the arguments follow. */
  command: readonly [string, ...string[]];
  env: Record<string, string>;
  /** A writable folder: its path here, and its path as the program sees it. */
  folder: { here: string; there: string };
  /** The folder of its manual pages, here. */
  man: string;
  /** Removes it; gives the files that are left of it. */
  uninstall(): string[];
}

/** Throws unless this process may use chroot. */
export function requireRoot(): void {
  if (process.getuid?.() !== 0) throw new Error('These tests use chroot. Run: sudo npm run test:packages');
}

/** The tarball of the registry, installed without a network. */
export function installFromNpm(): Installation {
  const folder = temporaryFolder();
  const options = { cwd: root, encoding: 'utf8' } as const;
  const tarball = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], options).trim();
  const prefix = join(folder, 'prefix');
  mkdirSync(prefix);
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--silent', '--global', '--prefix', prefix], options);
  npm('install', '--offline', join(folder, tarball));
  return {
    command: [join(prefix, 'bin/mailvet')],
    env: environment(join(folder, 'data')),
    folder: { here: folder, there: folder },
    man: join(prefix, 'share/man/man1'),
    uninstall: () => {
      npm('uninstall', 'mailvet');
      return filesIn(prefix);
    },
  };
}

/** The executable in a root without Node: only the libraries that it is linked with. */
export function installExecutable(): Installation {
  const jail = temporaryFolder();
  for (const folder of ['dev', 'tmp', 'usr/bin']) mkdirSync(join(jail, folder), { recursive: true });
  execFileSync('mknod', ['-m', '666', join(jail, 'dev/null'), 'c', '1', '3']);
  copyFileSync(join(build, 'mailvet'), join(jail, 'usr/bin/mailvet'));
  copyLibraries(jail, join(build, 'mailvet'));
  return {
    command: ['chroot', '--userspec=0:0', jail, '/usr/bin/mailvet'],
    env: environment('/tmp/data'),
    folder: { here: join(jail, 'tmp'), there: '/tmp' },
    man: join(root, 'dist/man'),
    uninstall: () => {
      rmSync(join(jail, 'usr/bin/mailvet'));
      return filesIn(join(jail, 'usr'));
    },
  };
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'mailvet-packages-'));
}

function environment(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, MAILVET_HOME: home, MAILVET_CONFIG_DIR: `${home}/config` };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function copyLibraries(jail: string, program: string): void {
  for (const [, path = ''] of execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)) {
    if (existsSync(join(jail, path))) continue;
    mkdirSync(dirname(join(jail, path)), { recursive: true });
    copyFileSync(path, join(jail, path));
  }
}
