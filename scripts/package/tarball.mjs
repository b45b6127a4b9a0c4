// Builds a tarball for systems that have no mailvet package: the files, and install.sh, which copies or removes them. On
// Windows, builds a zip file.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { output, root } from './node.mjs';
import { normalize, sourceDate, version, writeTree } from './tree.mjs';

/** Needs dist/ with its manual pages, and the executable. Returns the path of the tarball. */
export function buildTarball() {
  const name = `mailvet-${version}-${process.platform}-${process.arch}`;
  const folder = join(output, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeTree(folder);
  if (process.platform === 'win32') return zip(folder, name);
  copyFileSync(join(root, 'packaging/install.sh'), join(folder, 'install.sh'));
  normalize(folder);
  const tarball = `${folder}.tar.gz`;
  const order = ['--sort=name', `--mtime=@${sourceDate}`, '--owner=0', '--group=0', '--numeric-owner'];
  // The tar of macOS has other flags, and keeps the order of the file system.
  const flags = process.platform === 'linux' ? order : [];
  execFileSync('tar', [...flags, '-C', output, '-cf', `${folder}.tar`, name]);
  execFileSync('gzip', ['-n', '-6', '-f', `${folder}.tar`]);
  rmSync(folder, { recursive: true });
  return tarball;
}

/** The tar of Windows writes zip files. */
function zip(folder, name) {
  execFileSync('tar', ['-a', '-C', output, '-cf', `${folder}.zip`, name]);
  rmSync(folder, { recursive: true });
  return `${folder}.zip`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(buildTarball());
