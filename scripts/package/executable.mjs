// Builds one executable of the program, its data and its web application, which needs no Node on the user's machine.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchNode, output, root } from './node.mjs';

/** Marks the place in Node's executable that tells whether it contains a program. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

export const executable = join(output, process.platform === 'win32' ? 'mailvet.exe' : 'mailvet');

/** Needs dist/. Returns the path of the executable. */
export function buildExecutable() {
  const { program: node } = fetchNode();
  const configFile = join(output, 'sea.json');
  const blob = join(output, 'sea.blob');
  writeFileSync(
    configFile,
    JSON.stringify({
      main: join(root, 'scripts/package/executable-main.cjs'),
      output: blob,
      disableExperimentalSEAWarning: true,
      assets: { 'package.json': join(root, 'package.json'), ...embeddedFiles() },
    }),
  );
  // Only the same version of Node can read the blob.
  execFileSync(node, ['--experimental-sea-config', configFile], { stdio: ['ignore', 'ignore', 'inherit'] });
  rmSync(executable, { force: true });
  copyFileSync(node, executable);
  chmodSync(executable, 0o755);
  if (process.platform === 'linux') execFileSync('strip', ['--strip-unneeded', executable]);
  if (process.platform === 'darwin') execFileSync('codesign', ['--remove-signature', executable]);
  const postject = join(root, 'node_modules/postject/dist/cli.js');
  const machO = process.platform === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : [];
  const inject = [postject, executable, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse, ...machO];
  execFileSync(process.execPath, inject, { stdio: ['ignore', 'ignore', 'inherit'] });
  // macOS runs only signed executables; `-` signs without a certificate.
  if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', executable]);
  rmSync(configFile);
  rmSync(blob);
  return executable;
}

/** The files that the program reads at run time, by their names inside. SQLite is part of the Node that is used. */
function embeddedFiles() {
  const names = readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, 'dist/').length).replaceAll('\\', '/'));
  const embedded = names.filter((name) => /^(?:[^/]+\.cjs|data\/.+|web\/.+)$/.test(name)).sort();
  return Object.fromEntries(embedded.map((name) => [name, join(root, 'dist', name)]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(join(root, 'dist/program.cjs'))) throw new Error('dist/ is missing. Run: npm run build');
  console.log(buildExecutable());
}
