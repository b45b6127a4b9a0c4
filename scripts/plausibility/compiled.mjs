import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The address of the program's own TypeScript, so that training reads a local part exactly as the program does. */
export async function compiled(source) {
  const folder = mkdtempSync(join(tmpdir(), 'plausibility-'));
  const outfile = join(folder, 'compiled.mjs');
  const entry = join(import.meta.dirname, '../../src/engine/plausibility', source);
  await build({ entryPoints: [entry], bundle: true, format: 'esm', outfile });
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return pathToFileURL(outfile).href;
}
