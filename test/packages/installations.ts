import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
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
import packageJson from '../../package.json' with { type: 'json' };

const root = resolve(import.meta.dirname, '../..');
const build = join(root, 'build');

/** An installed mailvet, by one of the ways to install it. */
export interface Installation {
  /** Runs mailvet; the arguments follow. */
  command: readonly [string, ...string[]];
  env: Record<string, string>;
  /** A writable folder: its path on this machine, and its path as the program sees it. */
  folder: { hostPath: string; pathInside: string };
  /** The folder of its manual pages, on this machine. */
  man: string;
  /** Removes it; returns the files that are left. */
  uninstall(): string[];
  /** Removes all files of the test. */
  dispose(): void;
}

/** Throws unless this process may use chroot. */
export function requireRoot(): void {
  if (process.getuid?.() !== 0) throw new Error('These tests use chroot. Run: sudo npm run test:packages');
}

/** The tarball of the registry, from the build that exists, installed without a network. */
export function installFromNpm(): Installation {
  const folder = temporaryFolder();
  const options = { cwd: root, encoding: 'utf8' } as const;
  const tarball = execFileSync(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder],
    options,
  ).trim();
  const prefix = join(folder, 'prefix');
  mkdirSync(prefix);
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--silent', '--global', '--prefix', prefix], options);
  npm('install', '--offline', join(folder, tarball));
  return {
    command: [join(prefix, 'bin/mailvet')],
    env: environment(join(folder, 'data')),
    folder: { hostPath: folder, pathInside: folder },
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
    folder: { hostPath: makeAccessible(join(jail, 'tmp')), pathInside: '/tmp' },
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
    folder: { hostPath: join(jail, home), pathInside: home },
    man: join(jail, 'usr/share/man/man1'),
    uninstall: () => {
      inJail(jail, 'dpkg', '--purge', 'mailvet');
      const users = readFileSync(join(jail, 'etc/passwd'), 'utf8').match(/^mailvet:.*$/gm) ?? [];
      return [...users, ...filesIn(jail).filter((file) => !before.includes(file) && !isRecord(file))];
    },
    dispose: () => rmSync(jail, { recursive: true }),
  };
}

const inContainer = `
  mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" &&
  mount --bind "$2" "$1/data" && mount --bind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/tmp" &&
  root=$1 user=$3 && shift 3 && exec chroot --userspec="$user" "$root" /usr/bin/mailvet "$@"`;

/** The image, unpacked and run as a container does: by its user, with a read-only root and a volume. */
export function installFromImage(): Installation {
  const bundle = temporaryFolder();
  for (const folder of ['layout', 'volume']) mkdirSync(join(bundle, folder));
  execFileSync('tar', ['-xf', artifact('.image.tar'), '-C', join(bundle, 'layout')]);
  execFileSync('umoci', [
    'unpack',
    '--image',
    `${join(bundle, 'layout')}:${packageJson.version}`,
    join(bundle, 'image'),
  ]);
  const { process: container } = JSON.parse(readFileSync(join(bundle, 'image/config.json'), 'utf8')) as ContainerConfig;
  const { uid, gid } = container.user;
  chownSync(join(bundle, 'volume'), uid, gid);
  // A new volume has the mode of the folder in the image.
  chmodSync(join(bundle, 'volume'), 0o700);
  const root = join(bundle, 'image/rootfs');
  const variables = container.env.map((variable) => variable.split('=') as [string, string]);
  return {
    command: ['unshare', '-m', 'sh', '-c', inContainer, 'sh', root, join(bundle, 'volume'), `${uid}:${gid}`],
    env: { ...Object.fromEntries(variables), PATH: process.env['PATH'] ?? '' },
    folder: { hostPath: join(bundle, 'volume'), pathInside: '/data' },
    man: join(root, 'usr/share/man/man1'),
    uninstall: () => [],
    dispose: () => rmSync(bundle, { recursive: true }),
  };
}

/** The part of an OCI runtime configuration that is used. */
interface ContainerConfig {
  process: { user: { uid: number; gid: number }; env: string[]; args: string[] };
}

/** Files in which Debian records packages and users. */
function isRecord(file: string): boolean {
  return /\/run\/|\/var\/(?:log|lib\/dpkg|cache)\/|\/etc\/(?:passwd|group|g?shadow)-?$/.test(file);
}

/** A copy of a minimal Debian, which is downloaded once. */
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

/** Runs a program of the jail; returns its output. */
export function inJail(jail: string, ...command: string[]): string {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' };
  return execFileSync('chroot', [jail, ...command], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The built file with this extension. */
export function artifact(kind: '.deb' | '.tar.gz' | '.image.tar'): string {
  const [file] = readdirSync(build).filter((name) => name.endsWith(kind));
  if (file === undefined) throw new Error(`build/ has no file *${kind}. Run: npm run build:packages`);
  return join(build, file);
}

function makeAccessible(folder: string): string {
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
