// The code of the thread that reads workbooks, as a constant of the program: a single executable has no files.
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/** The constants of a bundle of the program. */
export async function programConstants(version) {
  const { output } = await build({
    input: fileURLToPath(new URL('../src/rows/read/decode/workbook-worker.ts', import.meta.url)),
    platform: 'node',
    transform: { target: 'node20.18' },
    output: { format: 'cjs', minify: true },
    write: false,
  });
  return { __VERSION__: JSON.stringify(version), __WORKBOOK_WORKER__: JSON.stringify(output[0].code) };
}
