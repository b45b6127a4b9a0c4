import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Imports engine source files (TypeScript), so that training reads a local part exactly as the program does. */
export async function importEngine(...sources) {
  const folder = mkdtempSync(join(tmpdir(), 'plausibility-'));
  const outfile = join(folder, 'engine.mjs');
  const contents = sources.map((source) => `export * from './${source}';`).join('\n');
  const resolveDir = join(import.meta.dirname, '../../src/engine/plausibility');
  await build({ stdin: { contents, resolveDir, loader: 'ts' }, bundle: true, format: 'esm', outfile });
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return import(pathToFileURL(outfile).href);
}
