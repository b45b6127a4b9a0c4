// `bulk` on long lists: memory over five million lines, and rows per second on a 90 MB CSV compared with a bare papaparse pipeline.
// Run `npm run build` first. `--parts` measures only reading and writing, without the program.
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, report } from './measure.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const thisFile = fileURLToPath(import.meta.url);
const lines = 5_000_000;
const rows = 1_000_000;
const appended = ['valid', 'not_probed', '0.95', 'true', ''];

const [mode, ...operands] = process.argv.slice(2);
if (mode === '--papaparse') await papaparsePipeline(...operands);
else if (mode === '--rows-module') await rowsPipeline(...operands);
else await main(mode === '--parts');

async function main(partsOnly) {
  const dir = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
  try {
    if (!partsOnly) await measureMemory(dir);
    await measureSpeed(dir, partsOnly);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measureMemory(dir) {
  const list = join(dir, 'list.txt');
  await writeList(list, lines, (index) => `firstname.lastname${index}@example${index % 5000}.com\n`);
  const args = [join(root, 'bin/mailvet.js'), 'bulk', list, '--level', 'syntax', '-o', join(dir, 'out.csv')];
  const { peakMegabytes } = await run([...args, '--format', 'csv', '--quiet']);
  if (peakMegabytes === 0) {
    console.log('bulk: memory: not measured, this system has no /proc');
    return;
  }
  report({
    bench: 'bulk',
    what: `peak resident memory over ${lines.toLocaleString('en-US')} distinct lines`,
    ours: peakMegabytes,
    peer: 150,
    peerName: 'limit',
    unit: 'MB',
    ratio: peakMegabytes / 150,
    goal: '<= 1',
  });
}

async function measureSpeed(dir, partsOnly) {
  const csv = join(dir, 'list.csv');
  await writeList(csv, rows, (index) => csvRow(index), 'id,first_name,last_name,email,city,signup\n');
  const out = (name) => join(dir, `${name}.csv`);
  const timed = (args) => async () => (await run(args)).milliseconds;
  const contenders = {
    papaparse: timed([thisFile, '--papaparse', csv, out('papaparse')]),
    parts: timed([thisFile, '--rows-module', csv, out('parts'), await bundleRows(dir)]),
  };
  if (!partsOnly) {
    const command = ['bulk', csv, '--level', 'syntax', '-o', out('bulk'), '--format', 'csv', '--quiet'];
    contenders.bulk = timed([join(root, 'bin/mailvet.js'), ...command]);
  }
  const medians = await interleave(contenders, 5);
  const megabytes = Math.round(statSync(csv).size / 1e6);
  const reportRate = (what, milliseconds, goal) =>
    report({
      bench: 'bulk',
      what: `${what}, ${rows.toLocaleString('en-US')} rows, ${megabytes} MB, results written`,
      ours: rows / (milliseconds / 1000),
      peer: rows / (medians.papaparse / 1000),
      peerName: 'bare papaparse pipeline',
      unit: 'rows/s',
      ratio: medians.papaparse / milliseconds,
      goal,
    });
  reportRate('reading and writing only', medians.parts, '>= 1');
  if (medians.bulk !== undefined) reportRate('bulk --level syntax', medians.bulk, '>= 0.70');
}

function csvRow(index) {
  const address = `firstname.lastname${index}@example${index % 5000}.com`;
  return `${index},Firstname${index % 1000},Lastname${index % 777},${address},Some City ${index % 300},2026-01-${10 + (index % 20)}\n`;
}

async function writeList(path, count, line, header = '') {
  const file = createWriteStream(path);
  let text = header;
  for (let index = 0; index < count; index++) {
    text += line(index);
    if (text.length < 1 << 20 && index < count - 1) continue;
    if (!file.write(text)) await new Promise((resolve) => file.once('drain', resolve));
    text = '';
  }
  await new Promise((resolve, reject) => file.end((error) => (error ? reject(error) : resolve())));
}

/** Runs a child process; returns its time and its peak resident memory (0 without /proc). */
async function run(args) {
  const start = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const status = `/proc/${child.pid}/status`;
  let peakMegabytes = 0;
  const sample = () => {
    if (!existsSync(status)) return;
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1];
    if (kilobytes !== undefined) peakMegabytes = Math.max(peakMegabytes, Number(kilobytes) / 1024);
  };
  const sampler = setInterval(sample, 20);
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
  clearInterval(sampler);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return { milliseconds: performance.now() - start, peakMegabytes };
}

/** The peer: reads, decodes, parses in chunks, appends the same cells, unparses and writes. */
async function papaparsePipeline(from, to) {
  const Papa = createRequire(import.meta.url)('papaparse');
  const input = await open(from);
  const output = await open(to, 'w');
  const parser = new Papa.Parser({ delimiter: ',', newline: '\n' });
  const decoder = new TextDecoder();
  const buffer = Buffer.alloc(64 * 1024);
  let remainder = '';
  for (;;) {
    const { bytesRead } = await input.read(buffer, 0, buffer.length, null);
    const text = remainder + decoder.decode(buffer.subarray(0, bytesRead), { stream: bytesRead > 0 });
    const { data, meta } = parser.parse(text, 0, bytesRead > 0);
    remainder = text.slice(meta.cursor);
    for (const cells of data) cells.push(...appended);
    if (data.length > 0) await output.write(`${Papa.unparse(data, { newline: '\n' })}\n`);
    if (bytesRead === 0) break;
  }
  await input.close();
  await output.close();
}

/** Reads and writes with our own modules, without vetting. */
async function rowsPipeline(from, to, bundle) {
  const { openRows, encodeRow, appendCells } = await import(bundle);
  const source = await openRows({ path: from });
  const output = await open(to, 'w');
  for await (const chunk of source.chunks) {
    let text = '';
    for (const { cells } of chunk) {
      text += `${encodeRow(appendCells(cells, source.columns.length, appended), source.delimiter)}\n`;
    }
    await output.write(text);
  }
  await output.close();
}

async function bundleRows(dir) {
  const { build } = await import('esbuild');
  const outfile = join(dir, 'rows.mjs');
  const contents =
    "export { openRows } from './open-rows.js'; export { encodeRow } from './write/encode-row.js'; export { appendCells } from './table/verdict-columns.js';";
  await build({
    stdin: { contents, resolveDir: join(root, 'src/rows'), loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
  });
  return outfile;
}
