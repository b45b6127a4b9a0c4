import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');

/** Bundles a TypeScript file of the tests for plain Node. Returns its path and a function that removes it. */
export async function bundleForNode(file: string): Promise<{ path: string; remove(): void }> {
  const path = join(root, 'node_modules/.cache/mailvet-test', `${process.pid}-${Date.now()}.mjs`);
  await build({
    entryPoints: [join(root, 'test', file)],
    outfile: path,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['node-sqlite3-wasm', 'pg'],
    define: { __VERSION__: '"0.0.0-test"' },
    logLevel: 'error',
  });
  return { path, remove: () => rmSync(path, { force: true }) };
}
