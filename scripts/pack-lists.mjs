// Writes the package of lists that `mailvet lists update` installs: node scripts/pack-lists.mjs [FILE]
// Sign it with minisign, and publish both files: minisign -Sm mailvet-lists.json.gz
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const [target = 'mailvet-lists.json.gz'] = process.argv.slice(2);
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src/engine/data');
const read = (file) => readFileSync(join(folder, file), 'utf8');
const { generated } = JSON.parse(read('sources.json'));
const files = Object.fromEntries(
  ['disposable.txt', 'free.txt', 'disposable-hosts.txt'].map((file) => [file, read(file).trimEnd().split('\n')]),
);
writeFileSync(target, gzipSync(JSON.stringify({ format: 'mailvet-lists/1', generated, files })));
console.log(`${target}: lists of ${generated}. Sign it with: minisign -Sm ${target}`);
