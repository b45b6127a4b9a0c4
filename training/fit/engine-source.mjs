import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The address of the program's own TypeScript, several files as one, so that training reads a local part exactly as the program does. */
export async function compiled(...sources) {
  const folder = mkdtempSync(join(tmpdir(), 'plausibility-'));
  const outfile = join(folder, 'compiled.mjs');
  const contents = sources.map((source) => `export * from './${source}';`).join('\n');
  const resolveDir = join(import.meta.dirname, '../../src/engine/plausibility');
  await build({ stdin: { contents, resolveDir, loader: 'ts' }, bundle: true, format: 'esm', outfile });
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return pathToFileURL(outfile).href;
}
