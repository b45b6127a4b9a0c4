import { execFileSync, spawn } from 'node:child_process';
import { chownSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fetchPackages } from './packages.js';

export interface JailPlan {
  /** Debian packages that are unpacked into the jail. They conflict with each other, so none is installed. */
  packages: readonly string[];
  /** Programs to run, by their path in the jail. */
  programs: readonly string[];
  /** Accounts that the programs drop their privileges to. */
  users: readonly string[];
  /** Folders to make, each with the user that owns it. */
  folders: Record<string, string>;
}

/** A folder that is the root directory of a server: with its own users, hosts and paths, and without a resolver. */
export interface Jail {
  root: string;
  write(path: string, text: string): void;
  /** Writes a key and a self-signed certificate for another name to a folder: `key.pem` and `cert.pem`. */
  certify(folder: string): void;
  run(program: string, args: readonly string[]): ReturnType<typeof spawn>;
}

const firstId = 901;
const devices = { null: 3, zero: 5, random: 8, urandom: 9 };

/** Creates a jail under `root`. */
export function makeJail(root: string, plan: JailPlan): Jail {
  for (const folder of ['dev', 'tmp', 'run', 'var/log']) mkdirSync(join(root, folder), { recursive: true });
  for (const deb of fetchPackages(plan.packages)) execFileSync('dpkg-deb', ['-x', deb, root]);
  for (const program of plan.programs) copyLibraries(root, program);
  for (const [name, minor] of Object.entries(devices)) {
    execFileSync('mknod', ['-m', '666', join(root, 'dev', name), 'c', '1', String(minor)]);
  }
  const jail: Jail = {
    root,
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    certify: (folder) => makeCertificate(join(root, folder)),
    run: (program, args) =>
      spawn('chroot', [root, program, ...args], { stdio: 'ignore', env: { PATH: '/usr/sbin:/usr/bin' } }),
  };
  const ids = new Map([...['mail', ...plan.users].entries()].map(([index, name]) => [name, firstId + index]));
  writeSystemFiles(jail, ids);
  for (const [folder, owner] of Object.entries(plan.folders)) {
    const id = ids.get(owner) ?? 0;
    mkdirSync(join(root, folder), { recursive: true });
    chownSync(join(root, folder), id, id);
  }
  return jail;
}

function writeSystemFiles(jail: Jail, ids: ReadonlyMap<string, number>): void {
  const all = [['root', 0] as const, ...ids];
  jail.write('etc/passwd', all.map(([name, id]) => `${name}:x:${id}:${id}::/:/bin/sh\n`).join(''));
  jail.write('etc/group', all.map(([name, id]) => `${name}:x:${id}:\n`).join(''));
  jail.write('etc/hosts', '127.0.0.1 localhost\n');
  jail.write('etc/services', 'smtp 25/tcp\n');
  jail.write('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files\nservices: files\n');
  jail.write('etc/resolv.conf', 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
}

/** The libraries have the same paths as on the host. */
function copyLibraries(root: string, program: string): void {
  const listed = execFileSync('ldd', [join(root, program)], { encoding: 'utf8' });
  for (const line of listed.split('\n')) {
    if (line.includes('not found')) throw new Error(`The lab cannot run ${program}: ${line.trim()}`);
    const path = /(\/\S+) \(0x/.exec(line)?.[1];
    if (path === undefined || existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(path, join(root, path));
  }
}

function makeCertificate(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  execFileSync('openssl', ['req', '-x509', '-days', '1', '-subj', '/CN=other.example', ...key, ...files], {
    stdio: 'ignore',
  });
}
