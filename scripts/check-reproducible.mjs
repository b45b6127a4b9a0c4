// Packs the package twice, each time from a new build, and compares the bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const hashes = [pack(), pack()];
console.log(`sha512-${hashes[0]}`);
if (hashes[0] !== hashes[1]) {
  console.error(`The second package differs: sha512-${hashes[1]}`);
  process.exitCode = 1;
}

function pack() {
  const folder = mkdtempSync(join(tmpdir(), 'mailvet-pack-'));
  try {
    const shell = process.platform === 'win32';
    const stdio = ['ignore', 'ignore', 'inherit'];
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, shell, stdio });
    const [tarball = ''] = readdirSync(folder);
    return createHash('sha512')
      .update(readFileSync(join(folder, tarball)))
      .digest('base64');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
