import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
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
  /** Removes all files of the test. */
  dispose(): void;
}

const tools = { mandoc: 'mandoc', lintian: 'lintian', debootstrap: 'debootstrap' };

/** Throws unless this process may use chroot; installs Debian's tools. */
export function prepareMachine(): void {
  if (process.getuid?.() !== 0) throw new Error('These tests use chroot. Run: sudo npm run test:packages');
  const missing = Object.entries(tools).filter(([tool]) => spawnSync('which', [tool]).status !== 0);
  if (missing.length === 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => execFileSync('apt-get', ['-q', ...args], { env, stdio: 'ignore' });
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...missing.map(([, name]) => name));
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
    dispose: () => rmSync(folder, { recursive: true }),
  };
}

/** The tarball with install.sh, in a root without Node and without a shell: only the libraries of the executable. */
export function installFromTarball(): Installation {
  const jail = temporaryFolder();
  for (const folder of ['dev', 'tmp', 'usr/local']) mkdirSync(join(jail, folder), { recursive: true });
  execFileSync('mknod', ['-m', '666', join(jail, 'dev/null'), 'c', '1', '3']);
  copyLibraries(jail, join(build, 'mailvet'));
  const unpacked = temporaryFolder();
  execFileSync('tar', ['-xzf', artifact('.tar.gz'), '--strip-components=1', '-C', unpacked]);
  const prefix = join(jail, 'usr/local');
  const install = (script: string, ...args: string[]) =>
    execFileSync('sh', [script, '--prefix', prefix, ...args], { encoding: 'utf8' });
  // The second time is an upgrade.
  for (let times = 0; times < 2; times++) install(join(unpacked, 'install.sh'));
  rmSync(unpacked, { recursive: true });
  return {
    command: ['chroot', '--userspec=1234:1234', jail, '/usr/local/bin/mailvet'],
    env: environment('/tmp/data'),
    folder: { here: openToAll(join(jail, 'tmp')), there: '/tmp' },
    man: join(prefix, 'share/man/man1'),
    uninstall: () => {
      install(join(prefix, 'share/mailvet/install.sh'), '--uninstall');
      return filesIn(prefix);
    },
    dispose: () => rmSync(jail, { recursive: true }),
  };
}

/** The Debian package in a minimal Debian, run by the user that it adds. */
export function installFromDeb(): Installation {
  const jail = makeDebian();
  const before = filesIn(jail);
  const home = '/var/lib/mailvet';
  execFileSync('cp', [artifact('.deb'), join(jail, 'tmp/mailvet.deb')]);
  inJail(jail, 'dpkg', '--install', '/tmp/mailvet.deb');
  rmSync(join(jail, 'tmp/mailvet.deb'));
  return {
    command: ['chroot', '--userspec=mailvet:mailvet', jail, '/usr/bin/mailvet'],
    env: environment(home),
    folder: { here: join(jail, home), there: home },
    man: join(jail, 'usr/share/man/man1'),
    uninstall: () => {
      inJail(jail, 'dpkg', '--purge', 'mailvet');
      const users = readFileSync(join(jail, 'etc/passwd'), 'utf8').match(/^mailvet:.*$/gm) ?? [];
      return [...users, ...filesIn(jail).filter((file) => !before.includes(file) && !isRecord(file))];
    },
    dispose: () => rmSync(jail, { recursive: true }),
  };
}

/** What Debian itself writes about packages and users. */
function isRecord(file: string): boolean {
  return /\/run\/|\/var\/(?:log|lib\/dpkg|cache)\/|\/etc\/(?:passwd|group|g?shadow)-?$/.test(file);
}

/** A copy of a minimal Debian, which is fetched once. */
export function makeDebian(): string {
  const cached = '/var/cache/mailvet-packages/debian';
  if (!existsSync(cached)) {
    const fetched = `${cached}.new`;
    rmSync(fetched, { recursive: true, force: true });
    mkdirSync(fetched, { recursive: true });
    const [, suite = ''] = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
    execFileSync('debootstrap', ['--variant=minbase', suite, fetched], { stdio: 'ignore' });
    renameSync(fetched, cached);
  }
  const jail = temporaryFolder();
  execFileSync('cp', ['-a', `${cached}/.`, jail]);
  return jail;
}

/** Runs a program of the jail; gives its output. */
export function inJail(jail: string, ...command: string[]): string {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' };
  return execFileSync('chroot', [jail, ...command], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The newest file that was built with this ending. */
export function artifact(ending: string): string {
  const [file] = readdirSync(build).filter((name) => name.endsWith(ending));
  if (file === undefined) throw new Error(`build/ has no file *${ending}. Run: npm run build:packages`);
  return join(build, file);
}

function openToAll(folder: string): string {
  chmodSync(folder, 0o777);
  return folder;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailvet-packages-'));
  // Other users run the program in it.
  chmodSync(folder, 0o755);
  return folder;
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
