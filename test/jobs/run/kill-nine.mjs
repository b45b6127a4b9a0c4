// The long version of the kill test: node test/jobs/run/kill-nine.mjs [--times 100] [--rows 20000] [--driver wasm|node]
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '100' },
    rows: { type: 'string', default: '20000' },
    driver: { type: 'string' },
  },
});
const driver = values.driver ?? (process.getBuiltinModule('node:sqlite') === undefined ? 'wasm' : 'node');
const root = join(import.meta.dirname, '../../..');
const out = join(root, 'node_modules/.cache/mailvet-test', `kill-nine-${process.pid}`);
await build({
  entryPoints: ['kill-nine.ts', 'job-child.ts'].map((file) => join(import.meta.dirname, file)),
  outdir: out,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  external: ['node-sqlite3-wasm'],
  logLevel: 'error',
});
const { killNine, inFlightRows } = await import(join(out, 'kill-nine.mjs'));
const report = await killNine(join(out, 'job-child.mjs'), Number(values.times), Number(values.rows), driver);
rmSync(out, { recursive: true });
console.log(JSON.stringify({ driver, ...report }));
process.exitCode = report.lost === 0 && report.wrong === 0 && report.mostAskedAgain <= inFlightRows ? 0 : 1;
